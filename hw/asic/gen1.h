/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gen1 - what the rooms of the 5000 to 8000 series' personality share: how
 * a command ends, and its scatter-gather list.  Private to hw/asic.
 */
#ifndef HW_ASIC_GEN1_H
#define HW_ASIC_GEN1_H

#include "hw/asic/gen1-packet.h"
#include "hw/asic/personality.h"

/* Writes status and flags into the packet and queues the response. */
void gen1_answer(HostRequest *req, Gen1Result result);
/* The same for something the guest did wrong; `word` goes to the trace. */
void gen1_refuse(HostRequest *req, Gen1Result result, const char *word,
                 uint64_t value, uint64_t limit);

static inline const Gen1Header *gen1_header(const HostRequest *req)
{
    return (const Gen1Header *)req->packet;
}

/* --- gen1-sg.c --- */

typedef struct Gen1Sg {
    const Gen1SgEntry *entry;   /* in the request's copy of the packet */
    unsigned entries;
    uint64_t bytes;
} Gen1Sg;

typedef struct Gen1SgLimits {
    unsigned dword_min, entries_max;
} Gen1SgLimits;

/* Answers the request itself and returns false if the list is not fit. */
bool gen1_sg_take(HostRequest *req, Gen1SgLimits limits, Gen1Sg *sg);
/* The same check for at least `bytes`. */
bool gen1_sg_holds(HostRequest *req, const Gen1Sg *sg, uint64_t bytes);
/* The list of a packet that was found fit before; empty if there is none. */
Gen1Sg gen1_sg_again(const HostRequest *req);

/*
 * Move `len` bytes from (gather) or to (scatter) the list, `skip` bytes into
 * it.  The list holds skip + len.  False when the bus refused some of it;
 * the request is then answered.
 */
bool gen1_sg_gather(HostRequest *req, const Gen1Sg *sg, size_t skip,
                    void *buf, size_t len);
bool gen1_sg_scatter(HostRequest *req, const Gen1Sg *sg, size_t skip,
                     const void *buf, size_t len);

/* --- the commands: gen1-io.c, gen1-param.c, gen1-ata.c --- */

HostStep gen1_read, gen1_write, gen1_flush, gen1_nop, gen1_init_connection;
HostStep gen1_get_param, gen1_set_param;
HostStep gen1_ata_passthrough;

#endif
