/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Port - a connector and its cable: a link of some speed, a drive or none.
 *
 * A unit borrows ports, never drives: a pulled drive is a port that answers
 * DISK_GONE.  The port tells the drive how fast the link is, the slower of
 * both ends; what of it is not covered by media time the drive charges.
 * One command at a time is on a cable of this age, so that time is part of
 * the op's service.
 *
 * A link on which data has crossed wrong DISK_LINK_TRIES times in a row is
 * slowed down by one Ultra DMA mode, until another drive is plugged in.
 */
#ifndef DISK_DRIVE_PORT_H
#define DISK_DRIVE_PORT_H

#include "disk-model/drive/ata.h"
#include "disk-model/drive/disk.h"

typedef struct DiskPort DiskPort;

/* link_bytes_per_s caps the drive's own link rate; 0: no cap. */
DiskPort *disk_port_new(Sim *sim, unsigned number, uint64_t link_bytes_per_s);
void disk_port_free(DiskPort *port);            /* never frees the drive */

unsigned disk_port_number(const DiskPort *port);
Disk *disk_port_disk(const DiskPort *port);     /* borrowed; NULL when empty */
/* Unless there is a drive whose medium keeps nothing of what is written. */
bool disk_port_keeps_data(const DiskPort *port);

void disk_port_plug(DiskPort *port, Disk *disk);        /* port was empty */
/* Every op in flight completes GONE inside; returns the drive. */
Disk *disk_port_pull(DiskPort *port);                   /* NULL when empty */

/* What the card has noticed there; `news` may not submit, pull or plug. */
typedef enum DiskPortNews {
    DISK_PORT_TIMEOUT,          /* the drive did not answer in time */
    DISK_PORT_SLOWER,           /* the link is an Ultra DMA mode slower */
    DISK_PORT_FAILING,          /* the drive's SMART status fails */
} DiskPortNews;
void disk_port_on_news(DiskPort *port,
                       void (*news)(void *opaque, unsigned port,
                                    DiskPortNews what), void *opaque);
/* The card has waited long enough and resets the drive, which takes no time
 * (assumed): told as TIMEOUT, then all ops there end with `status`. */
void disk_port_reset_late(DiskPort *port, DiskStatus status);

/* done() later, also when there is no drive (GONE). */
void disk_port_submit(DiskPort *port, DiskOp *op);
/* As disk_cancel() and disk_finish_now(), for ops submitted here. */
void disk_port_cancel(DiskOp *op, DiskStatus status);
void disk_port_finish_now(DiskOp *op);

#endif
