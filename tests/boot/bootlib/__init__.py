# SPDX-License-Identifier: GPL-2.0-or-later
"""The rooms behind tests/boot/run.

case       a job, its directory, its checks
guest      one scripts/guest that runs, and what became of it
qmp        a word with QEMU
log        what a kernel log may say of a card, and the trace of one
layout     where a unit's bytes lie: the independent reading
levels, kernels, resets, smart, shapes, hotplug, figures, cells, held, input,
trouble    the jobs, one room for each promise
"""
