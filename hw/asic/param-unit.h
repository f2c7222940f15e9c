/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit parameters - what the card says of one unit.
 */
#ifndef HW_ASIC_PARAM_UNIT_H
#define HW_ASIC_PARAM_UNIT_H

#include <stddef.h>
#include <stdint.h>

#include "raid-model/array/unit.h"

/* bit 0 online, bit 1 complete, bits 7:2 a state; `unit` may be NULL */
uint8_t param_unit_status(RaidUnit *unit);

/* Returns the bytes put in `out`: at most 216, for 16 members of RAID 10. */
size_t param_unit_descriptor(RaidUnit *unit, uint8_t *out);

#endif
