/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gen1 GET_PARAM and SET_PARAM: the parameter block in the guest's memory
 * against the tables of params.c.  Answered at once, at command cost: NetBSD
 * gives a polled parameter half a second.
 */
#include "hw/asic/gen1.h"
#include "hw/asic/params.h"
#include "hw/asic/wire.h"

static const Gen1SgLimits param_sg = {
    GEN1_PARAM_SGL_DWORD, GEN1_PARAM_SG_MAX
};

typedef struct Block {
    Gen1Sg sg;
    uint16_t table;
    uint8_t parameter, bytes;
} Block;

static bool block_fetch(HostRequest *req, Block *block)
{
    Gen1Parameter head;

    if (!gen1_sg_take(req, param_sg, &block->sg) ||
        !gen1_sg_holds(req, &block->sg, sizeof(head)) ||
        !gen1_sg_gather(req, &block->sg, 0, &head, sizeof(head))) {
        return false;
    }
    block->table = get_le16(head.table);
    block->parameter = head.parameter;
    block->bytes = head.bytes;
    return gen1_sg_holds(req, &block->sg, sizeof(head) + block->bytes);
}

/* True if the tables were content; answers otherwise. */
static bool accepted(HostRequest *req, const Block *block, ParamResult result)
{
    switch (result) {
    case PARAM_OK:
        return true;
    case PARAM_NO_TABLE:
        gen1_refuse(req, GEN1_BAD_TABLE, "table-unknown", block->table, 0);
        break;
    case PARAM_NO_PARAMETER:
        gen1_refuse(req, GEN1_BAD_TABLE, "parameter-unknown",
                    block->parameter, block->table);
        break;
    case PARAM_NO_UNIT:
        gen1_refuse(req, GEN1_UNIT_OFFLINE, "unit-absent", block->table, 0);
        break;
    case PARAM_READ_ONLY:
        gen1_refuse(req, GEN1_BAD_TABLE, "parameter-read-only",
                    block->parameter, block->table);
        break;
    }
    return false;
}

/* Short requests get the beginning; long ones are filled with zeroes. */
void gen1_get_param(HostRequest *req)
{
    uint8_t value[PARAM_BYTES_MAX] = { 0 };
    Block block;

    if (block_fetch(req, &block) &&
        accepted(req, &block, param_get(req->host, block.table,
                                        block.parameter, value)) &&
        gen1_sg_scatter(req, &block.sg, sizeof(Gen1Parameter), value,
                        block.bytes)) {
        gen1_answer(req, GEN1_OK);
    }
}

void gen1_set_param(HostRequest *req)
{
    uint8_t value[PARAM_BYTES_MAX] = { 0 };
    Block block;

    if (block_fetch(req, &block) &&
        gen1_sg_gather(req, &block.sg, sizeof(Gen1Parameter), value,
                       block.bytes) &&
        accepted(req, &block, param_set(req->host, block.table,
                                        block.parameter, value))) {
        gen1_answer(req, GEN1_OK);
    }
}
