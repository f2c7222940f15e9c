/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wire - little-endian numbers at any address, as the card sees them.
 */
#ifndef HW_ASIC_WIRE_H
#define HW_ASIC_WIRE_H

#include <stdint.h>

static inline uint16_t get_le16(const void *from)
{
    const uint8_t *p = from;

    return p[0] | p[1] << 8;
}

static inline uint32_t get_le32(const void *from)
{
    const uint8_t *p = from;

    return get_le16(p) | (uint32_t)get_le16(p + 2) << 16;
}

static inline void put_le16(void *to, uint16_t value)
{
    uint8_t *p = to;

    p[0] = value;
    p[1] = value >> 8;
}

static inline void put_le32(void *to, uint32_t value)
{
    put_le16(to, value);
    put_le16((uint8_t *)to + 2, value >> 16);
}

#endif
