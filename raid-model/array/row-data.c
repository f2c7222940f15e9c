/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Row data - where the bytes of a row are while it is worked on, and what
 * is computed from them.
 *
 * The host's buffer serves for every sector that is in it; only what a plan
 * reads or computes beyond that gets a buffer from the pool, as long as the
 * step.
 */
#include "raid-model/array/row.h"

#include <string.h>

#include "raid-model/array/parity.h"

/* --- where the bytes are ----------------------------------------------- */

static void *op_at(const RowOp *row, unsigned slot, uint32_t offset)
{
    uint64_t lba = row_lba(row, row_is_mirror(row) ? 0 : slot, offset);

    return row->buf + (lba - row->lba) * DISK_SECTOR_BYTES;
}

static void *pool_at(const RowOp *row, void *buf, uint32_t offset)
{
    return (uint8_t *)buf + (size_t)(offset - row->at) * DISK_SECTOR_BYTES;
}

static bool has_old(const RowOp *row, unsigned slot)
{
    return row->buffers[0] & row_slot_bit(slot);
}

void *row_old_at(const RowOp *row, unsigned slot, uint32_t offset)
{
    return has_old(row, slot) ? pool_at(row, row->old[slot], offset)
                              : op_at(row, slot, offset);
}

/* What the slot holds when the op is over. */
void *row_new_at(const RowOp *row, const RowCut *cut, unsigned slot,
                    uint32_t offset)
{
    if ((cut->wanted & row_slot_bit(slot)) || row_is_mirror(row)) {
        return op_at(row, slot, offset);
    }
    if (cut->plan.compute & row_slot_bit(slot)) {
        return pool_at(row, row->fresh[slot], offset);
    }
    return row_old_at(row, slot, offset);
}

/*
 * Whether every sector read from the slot belongs in the host's buffer.  A
 * write never reads into it: it holds the new data.
 */
static bool reads_in_place(const RowOp *row, unsigned slot)
{
    if (row_is_mirror(row)) {   /* the second to be compared is not */
        return row->verb != ROW_VERIFY ||
               !(row->cut[0].plan.read & (row_slot_bit(slot) - 1));
    }
    for (unsigned i = 0; i < row->cuts; i++) {
        const RowCut *cut = &row->cut[i];

        if ((cut->plan.read & ~cut->wanted) & row_slot_bit(slot)) {
            return false;
        }
    }
    return row->verb != ROW_WRITE;
}

void row_take_buffers(RowOp *row)
{
    RaidPool *pool = &row->rows->pool;
    uint32_t read = 0, computed = 0;

    for (unsigned i = 0; i < row->cuts; i++) {
        read |= row->cut[i].plan.read;
        computed |= row->cut[i].plan.compute & ~row->cut[i].wanted;
    }
    row->buffer_bytes = (size_t)row->count * DISK_SECTOR_BYTES;
    FOR_EACH_SLOT(slot, read) {
        if (!reads_in_place(row, slot)) {
            row->old[slot] = raid_pool_take(pool, row->buffer_bytes);
            row->buffers[0] |= row_slot_bit(slot);
        }
    }
    row->buffers[1] = row_is_mirror(row) ? 0 : computed;
    FOR_EACH_SLOT(slot, row->buffers[1]) {
        row->fresh[slot] = raid_pool_take(pool, row->buffer_bytes);
    }
}

void row_give_buffers(RowOp *row)
{
    RaidPool *pool = &row->rows->pool;

    FOR_EACH_SLOT(slot, row->buffers[0]) {
        raid_pool_give(pool, row->old[slot], row->buffer_bytes);
    }
    FOR_EACH_SLOT(slot, row->buffers[1]) {
        raid_pool_give(pool, row->fresh[slot], row->buffer_bytes);
    }
    row->buffers[0] = row->buffers[1] = 0;
}

/* --- computing ----------------------------------------------------------- */

/* A slot from the `others` as read. */
static void recover_slot(const RowOp *row, const RowCut *cut, unsigned slot,
                         uint32_t others)
{
    void *source[RAID_MEMBERS_MAX];
    unsigned sources = 0;

    FOR_EACH_SLOT(other, others) {
        source[sources++] = row_old_at(row, other, cut->offset);
    }
    raid_parity_make(row_new_at(row, cut, slot, cut->offset), source, sources,
                     (size_t)cut->count * DISK_SECTOR_BYTES);
}

/* Nobody will read the parity on a drive that keeps no data. */
static bool is_kept(const RowOp *row, unsigned slot)
{
    const RaidRows *rows = row->rows;

    return disk_port_keeps_data(
        rows->port[raid_member(&rows->shape, row->row, slot)]);
}

static void make_parity(const RowOp *row, const RowCut *cut, unsigned slot)
{
    void *source[RAID_PARITY_SOURCES_MAX];
    unsigned data = raid_row_data(&row->rows->shape);
    unsigned sources = 0;

    if (cut->plan.by_delta) {
        FOR_EACH_SLOT(other, cut->plan.read) {
            source[sources++] = row_old_at(row, other, cut->offset);
        }
    }
    FOR_EACH_SLOT(other, cut->plan.by_delta ? cut->wanted
                                            : row_slot_bit(data) - 1) {
        source[sources++] = row_new_at(row, cut, other, cut->offset);
    }
    raid_parity_make(row_new_at(row, cut, slot, cut->offset), source, sources,
                     (size_t)cut->count * DISK_SECTOR_BYTES);
}

/* Sectors that had to be read beside the host's buffer, into it. */
static void deliver(const RowOp *row, const RowCut *cut)
{
    FOR_EACH_SLOT(slot, cut->wanted & cut->plan.read) {
        if (has_old(row, slot)) {
            memcpy(op_at(row, slot, cut->offset),
                   row_old_at(row, slot, cut->offset),
                   (size_t)cut->count * DISK_SECTOR_BYTES);
        }
    }
}

/* All slots were read: do they agree? */
static void compare(RowOp *row)
{
    const RowCut *cut = &row->cut[0];
    unsigned slots = raid_row_slots(&row->rows->shape);
    void *vector[RAID_MEMBERS_MAX];

    if (!row->rows->shape.level->row_redundant ||
        cut->plan.read != row_slot_bit(slots) - 1) {
        return;
    }
    for (unsigned slot = 0; slot < slots; slot++) {
        if (!is_kept(row, slot)) {
            return;
        }
        vector[slot] = row_old_at(row, slot, cut->offset);
    }
    row->agrees = row->agrees &&
                  raid_parity_holds(vector, slots, (size_t)cut->count *
                                                   DISK_SECTOR_BYTES);
}

static void make_zeroes(RowOp *row, uint32_t slots)
{
    const RowCut *cut = &row->cut[0];

    FOR_EACH_SLOT(slot, slots & ~cut->plan.read) {
        memset(op_at(row, slot, cut->offset), 0,
               (size_t)cut->count * DISK_SECTOR_BYTES);
    }
}

void row_compute(RowOp *row)
{
    unsigned data = raid_row_data(&row->rows->shape);
    uint32_t data_mask = row_slot_bit(data) - 1;

    if (row->verb == ROW_VERIFY) {
        compare(row);
    } else if (row->force) {
        make_zeroes(row, data_mask);
    }
    if (row_is_mirror(row)) {
        return;                 /* all slots are the host's buffer */
    }
    for (unsigned i = 0; i < row->cuts; i++) {
        const RowCut *cut = &row->cut[i];

        FOR_EACH_SLOT(slot, cut->plan.compute & data_mask) {
            recover_slot(row, cut, slot, cut->plan.read);
        }
        FOR_EACH_SLOT(slot, cut->plan.compute & ~data_mask) {
            if (is_kept(row, slot)) {
                make_parity(row, cut, slot);
            }
        }
        if (row->verb == ROW_READ) {
            deliver(row, cut);
        }
    }
}
