/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ATA: so far only refuses; the answers follow.
 */
#include <glib.h>

#include "disk-model/drive/ata.h"

struct AtaState {
    Sim *sim;
    Disk *disk;
};

bool ata_is_flush(const AtaTaskFile *tf)
{
    return tf->command == 0xe7 || tf->command == 0xea;
}

SimTime ata_wake(AtaState *ata)
{
    (void)ata;
    return 0;
}

AtaData ata_data(const AtaTaskFile *tf)
{
    (void)tf;
    return ATA_DATA_NONE;
}

void ata_execute(AtaState *ata, AtaTaskFile *tf, void *data)
{
    (void)ata;
    (void)data;
    tf->status = ATA_STATUS_READY | ATA_STATUS_ERR;
    tf->error = ATA_ERROR_ABRT;
}

void ata_note_op(AtaState *ata, const DiskOp *op)
{
    (void)ata;
    (void)op;
}

AtaState *ata_new(Sim *sim, Disk *disk)
{
    AtaState *ata = g_new0(AtaState, 1);

    ata->sim = sim;
    ata->disk = disk;
    return ata;
}

void ata_free(AtaState *ata)
{
    g_free(ata);
}
