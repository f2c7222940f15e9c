# SPDX-License-Identifier: GPL-2.0-or-later
#
# The devices our QEMU has, copied to configs/devices/x86_64-softmmu/.  A
# symbol added here recompiles nearly all of QEMU (config-poison.h changes).
# IDE, AHCI, serial ports, timers and the RTC come with the two machines.

# Machines and the bridges a test may put a card behind
CONFIG_I440FX=y
CONFIG_Q35=y
CONFIG_HPET=y
CONFIG_PCIE_PORT=y
CONFIG_IOH3420=y
CONFIG_PCIE_PCI_BRIDGE=y
CONFIG_PCI_BRIDGE=y
CONFIG_I82801B11=y

# The cards
CONFIG_THREEWARE=y

# Exit status, debug console, panic notice
CONFIG_ISA_DEBUG=y
CONFIG_PVPANIC_ISA=y

# Other storage, for oracles and comparisons
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_SCSI=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_MEGASAS_SCSI_PCI=y
CONFIG_NVME_PCI=y
