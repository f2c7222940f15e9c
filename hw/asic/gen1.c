/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gen1: the 5000 to 8000 series' personality.  Fetches a packet, finds its
 * command in a table, and writes the answer back.
 *
 * A packet is copied once and only as far as its size says, so one in the
 * last bytes of memory is fetched without reading past them.  The copy is
 * checked; the copy is used.
 */
#include "hw/asic/gen1.h"
#include "hw/asic/wire.h"

typedef struct Gen1Command {
    const char *name;
    uint8_t dwords_min;
    HostStep *run;              /* NULL: named in public sources, and with
                                   no public layout; refused */
} Gen1Command;

static const Gen1Command command[GEN1_OPCODES] = {
    [GEN1_NOP]             = { "nop", 2, gen1_nop },
    [GEN1_INIT_CONNECTION] = { "init-connection", 3, gen1_init_connection },
    [GEN1_READ]            = { "read", 3, gen1_read },
    [GEN1_WRITE]           = { "write", 3, gen1_write },
    [0x04]                 = { .name = "read-verify" },
    [0x05]                 = { .name = "verify" },
    [0x08]                 = { .name = "zero-unit" },
    [0x09]                 = { .name = "replace-unit" },
    [0x0a]                 = { .name = "hot-swap" },
    [0x0c]                 = { .name = "set-ata-feature" },
    [GEN1_FLUSH]           = { "flush", 2, gen1_flush },
    [0x0f]                 = { .name = "abort" },
    [0x10]                 = { .name = "check-status" },
    [GEN1_ATA_PASSTHROUGH] = { "ata-pass-through", 5, gen1_ata_passthrough },
    [GEN1_GET_PARAM]       = { "get-param", 2, gen1_get_param },
    [GEN1_SET_PARAM]       = { "set-param", 2, gen1_set_param },
    [0x14]                 = { .name = "create-unit" },
    [0x15]                 = { .name = "delete-unit" },
    [0x17]                 = { .name = "rebuild-unit" },
    [0x1a]                 = { .name = "sector-info" },
};

void gen1_answer(HostRequest *req, Gen1Result result)
{
    const Gen1Header *header = gen1_header(req);
    uint8_t answer[2] = { result >> 8, result & 0xff };

    /* The id is known, so the host is told even if the packet has gone. */
    if (!host_dma_write(req->host,
                        req->address + offsetof(Gen1Header, status),
                        answer, sizeof(answer))) {
        host_refuse(req->host, "status-address", header->id, req->address,
                    0);
    }
    sim_trace(req->host->sim, SIM_TRACE_COMPLETION,
              command[GEN1_OPCODE(header)].name, header->id,
              GEN1_OPCODE(header), answer[0], answer[1],
              sim_now(req->host->sim) - req->posted);
    host_answer(req, header->id);
}

void gen1_refuse(HostRequest *req, Gen1Result result, const char *word,
                 uint64_t value, uint64_t limit)
{
    host_refuse(req->host, word, gen1_header(req)->id, value, limit);
    gen1_answer(req, result);
}

/* An address that is not memory: there is no id to answer to. */
static void lost(HostRequest *req, const char *word)
{
    host_refuse(req->host, word, -1, req->address, 0);
    host_drop(req);
}

static void trace_command(const HostRequest *req)
{
    const Gen1Header *header = gen1_header(req);
    unsigned opcode = GEN1_OPCODE(header);
    bool io = opcode == GEN1_READ || opcode == GEN1_WRITE;

    sim_trace(req->host->sim, SIM_TRACE_COMMAND, command[opcode].name,
              header->id, opcode, GEN1_UNIT(header),
              io ? get_le32(((const Gen1Io *)header)->lba) : 0,
              get_le16(header->count), req->address);
}

static void execute(HostRequest *req)
{
    const Gen1Header *header = gen1_header(req);
    const Gen1Command *cmd;

    memset(req->packet, 0, sizeof(req->packet));
    req->packet_bytes = 4;
    if (!host_dma_read(req->host, req->address, req->packet, 4)) {
        lost(req, "packet-address");
        return;
    }
    if (header->dwords < GEN1_DWORDS_MIN) {
        gen1_refuse(req, GEN1_BAD_REQUEST, "packet-too-small",
                    header->dwords, GEN1_DWORDS_MIN);
        return;
    }
    if (header->dwords > GEN1_DWORDS_MAX) {
        gen1_refuse(req, GEN1_BAD_REQUEST, "packet-too-large",
                    header->dwords, GEN1_DWORDS_MAX);
        return;
    }
    req->packet_bytes = header->dwords * 4;
    if (!host_dma_read(req->host, req->address + 4, req->packet + 4,
                       req->packet_bytes - 4)) {
        lost(req, "packet-past-memory");
        return;
    }
    trace_command(req);
    cmd = &command[GEN1_OPCODE(header)];
    if (!cmd->run) {
        gen1_refuse(req, GEN1_BAD_OPCODE,
                    cmd->name ? "opcode-not-offered" : "opcode-unknown",
                    GEN1_OPCODE(header), GEN1_OPCODES);
    } else if (header->dwords < cmd->dwords_min) {
        gen1_refuse(req, GEN1_BAD_REQUEST, "packet-too-small",
                    header->dwords, cmd->dwords_min);
    } else {
        cmd->run(req);
    }
}

const Personality raid_gen1 = { .name = "gen1", .execute = execute };
