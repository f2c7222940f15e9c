/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Params - the tables a host reads: what card, what drives, what units,
 * what happened.  Little-endian bytes, as they go to the host.
 */
#ifndef HW_ASIC_PARAMS_H
#define HW_ASIC_PARAMS_H

#include "hw/asic/personality.h"

#define PARAM_BYTES_MAX 256     /* one more than a length byte can ask for */

typedef enum ParamResult {
    PARAM_OK, PARAM_NO_TABLE, PARAM_NO_PARAMETER, PARAM_NO_UNIT,
    PARAM_READ_ONLY
} ParamResult;

/* `value` has PARAM_BYTES_MAX; what lies past the parameter stays. */
ParamResult param_get(RaidHost *host, uint16_t table, uint8_t parameter,
                      uint8_t *value);
ParamResult param_set(RaidHost *host, uint16_t table, uint8_t parameter,
                      const uint8_t *value);

#endif
