/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gen1 scatter-gather: from the packet's list to the guest's memory.
 *
 * The list ends where the packet's size says, never at a zero entry: Linux
 * leaves entries of older commands behind it.  Segments have any length and
 * alignment; a sector may lie across several.
 */
#include "hw/asic/gen1.h"
#include "hw/asic/wire.h"

Gen1Sg gen1_sg_again(const HostRequest *req)
{
    unsigned dword = GEN1_SGL_DWORD(gen1_header(req));
    unsigned dwords = gen1_header(req)->dwords;
    Gen1Sg sg = {
        .entry = (const Gen1SgEntry *)(req->packet + dword * 4),
        .entries = dwords > dword ? (dwords - dword) / 2 : 0,
    };
    unsigned i;

    for (i = 0; i < sg.entries; i++) {
        sg.bytes += get_le32(sg.entry[i].bytes);
    }
    return sg;
}

bool gen1_sg_take(HostRequest *req, Gen1SgLimits limits, Gen1Sg *sg)
{
    const Gen1Header *header = gen1_header(req);
    unsigned dword = GEN1_SGL_DWORD(header);

    if (dword < limits.dword_min) {
        gen1_refuse(req, GEN1_BAD_REQUEST, "sg-missing", dword,
                    limits.dword_min);
        return false;
    }
    if (header->dwords < dword) {
        gen1_refuse(req, GEN1_BAD_REQUEST, "sg-past-size", dword,
                    header->dwords);
        return false;
    }
    *sg = gen1_sg_again(req);
    if (!sg->entries) {
        gen1_refuse(req, GEN1_BAD_REQUEST, "sg-count-zero", 0, 1);
        return false;
    }
    if (sg->entries > limits.entries_max) {
        gen1_refuse(req, GEN1_BAD_REQUEST, "sg-count-over", sg->entries,
                    limits.entries_max);
        return false;
    }
    return true;
}

bool gen1_sg_holds(HostRequest *req, const Gen1Sg *sg, uint64_t bytes)
{
    if (sg->bytes < bytes) {
        gen1_refuse(req, GEN1_BAD_REQUEST, "sg-too-short", sg->bytes, bytes);
        return false;
    }
    return true;
}

typedef bool Gen1Dma(RaidHost *host, uint64_t addr, uint8_t *buf,
                     size_t len);

static bool move(HostRequest *req, const Gen1Sg *sg, size_t skip,
                 uint8_t *buf, size_t len, Gen1Dma *dma)
{
    const Gen1SgEntry *entry;

    for (entry = sg->entry; len; entry++) {
        uint64_t address = get_le32(entry->address);
        size_t bytes = get_le32(entry->bytes);
        size_t past = MIN(skip, bytes);
        size_t now = MIN(bytes - past, len);

        g_assert(entry < sg->entry + sg->entries);
        skip -= past;
        if (now && !dma(req->host, address + past, buf, now)) {
            gen1_refuse(req, GEN1_BAD_REQUEST, "sg-address", address, bytes);
            return false;
        }
        buf += now;
        len -= now;
    }
    return true;
}

static bool dma_in(RaidHost *host, uint64_t addr, uint8_t *buf, size_t len)
{
    return host_dma_read(host, addr, buf, len);
}

static bool dma_out(RaidHost *host, uint64_t addr, uint8_t *buf, size_t len)
{
    return host_dma_write(host, addr, buf, len);
}

bool gen1_sg_gather(HostRequest *req, const Gen1Sg *sg, size_t skip,
                    void *buf, size_t len)
{
    return move(req, sg, skip, buf, len, dma_in);
}

bool gen1_sg_scatter(HostRequest *req, const Gen1Sg *sg, size_t skip,
                     const void *buf, size_t len)
{
    return move(req, sg, skip, (uint8_t *)buf, len, dma_out);
}
