/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk - one drive: takes ops, moves the arm, completes them.
 *
 * An op is lent: the submitter allocates and fills it, the drive links it,
 * done() gives it back - once, later, never from inside submit.  A write's
 * data is taken from `buf` and reaches the medium at the moment the op
 * ends, when the head has passed; a read's data is put into `buf` then.
 *
 * Service is one op at a time.  A preset without [buffer] is served in order
 * of arrival and written through.  With one, reads may be answered from RAM
 * and a write may end when its data is there; the drive then brings it to
 * the medium by itself (cached.c).  Flush and the end of write caching wait
 * until nothing is held, a forced write until nothing of it is; disk_free()
 * empties what is left.
 *
 * When an op is taken up the whole access is worked out and the arm is put
 * where it ends; the one event of a drive is that end.  So an op taken back
 * in service leaves the arm where its access would have ended: arm time is
 * not refunded, but the next op starts at once.
 */
#ifndef DISK_DRIVE_DISK_H
#define DISK_DRIVE_DISK_H

#include "disk-model/drive/mech.h"
#include "disk-model/media/media.h"
#include "disk-model/world/queue.h"
#include "disk-model/world/trace.h"

typedef enum DiskVerb {
    DISK_READ,
    DISK_WRITE,
    DISK_FLUSH,
    DISK_ATA,           /* an ATA command of its own, see ata.h */
} DiskVerb;

typedef enum DiskStatus {
    DISK_OK,
    DISK_BAD_SECTOR,    /* op->bad_sector says which */
    DISK_GONE,          /* no drive there, or it left under the op */
    DISK_FAILED,        /* the drive (or its image) does not work */
    DISK_ABORTED,       /* cancelled; nothing reached the medium */
    DISK_REFUSED,       /* ATA: command aborted by the drive */
    DISK_OUT_OF_RANGE,  /* beyond the last sector */
} DiskStatus;

/* A write that is on the medium when it ends, whatever the drive holds. */
#define DISK_OP_FUA 1u

typedef struct DiskOp DiskOp;
typedef struct AtaTaskFile AtaTaskFile;
typedef struct Disk Disk;

struct DiskOp {
    DiskVerb verb;
    DiskSpan span;              /* READ, WRITE */
    void *buf;                  /* span.count * 512; ATA: 512 bytes or NULL */
    AtaTaskFile *ata;           /* DISK_ATA: in and out */
    unsigned flags;             /* DISK_OP_... */
    bool link_slowed;           /* the port's own: by trouble */
    void (*done)(DiskOp *op);
    void *opaque;               /* the submitter's */
    /* NULL, or told once that trouble has put off the end of an op that the
     * drive took up at `since`: for ever, it may be. */
    void (*late)(DiskOp *op, SimTime since);
    /* filled in before done(): */
    DiskStatus status;
    uint64_t bad_sector;
    MechTime time;
    /*< private >*/
    GList link;
    SimTime asked;
    uint64_t order;             /* of arrival at the drive */
    uint64_t link_bytes_per_s;  /* the port's; 0 without one */
    uint32_t from_cylinder, to_cylinder;
    Disk *disk;                 /* NULL when not lent to a drive */
    void *port;
    SimEvent ev;                /* the port's, for answers without a drive */
};

/*
 * Owns neither preset nor media; both outlive it.  `serial` is copied.
 * The medium has at least as many sectors as the preset.  `phase` 0..2^32-1
 * sets the spindle's angle at time 0: spindles of an
 * array are not synchronised.
 */
Disk *disk_new(Sim *sim, const DiskPreset *preset, DiskMedia *media,
               const char *serial, uint32_t phase);
void disk_free(Disk *disk);             /* no op may be lent to it */

const DiskPreset *disk_preset(const Disk *disk);
const char *disk_serial(const Disk *disk);
uint64_t disk_sectors(const Disk *disk);

/* Whether its medium keeps what is written. */
bool disk_keeps_data(const Disk *disk);

/*
 * The medium itself, at once and past all queues and buffers: for what
 * happens before there is a clock to charge.  0 or -errno.
 */
int disk_peek(Disk *disk, DiskSpan span, void *buf);
int disk_poke(Disk *disk, DiskSpan span, const void *buf);

/* Whether a write may end while it is in RAM only. */
bool disk_write_cache(const Disk *disk);

void disk_set_port(Disk *disk, int number);     /* for the trace; -1 none */
/* The port's: what trouble makes of a drive and its link. */
#define DISK_LINK_TRIES 3
typedef struct DiskListener {
    /* An op's data has crossed the cable wrong DISK_LINK_TRIES times:
     * chooses a slower mode, or false: there is none. */
    bool (*bad_link)(void *opaque, DiskOp *op);
    /* Its SMART status fails from now on. */
    void (*failing)(void *opaque);
} DiskListener;
void disk_listen(Disk *disk, const DiskListener *listener, void *opaque);
void disk_set_udma(Disk *disk, unsigned mode);  /* as IDENTIFY has it */
/* DISK_OUT_OF_RANGE and DISK_FAILED (the medium said no) come by done(). */
void disk_submit(Disk *disk, DiskOp *op);

/*
 * Take an op back before it ends: done() runs inside, with `status`.
 * Nothing reaches the medium.
 */
void disk_cancel(DiskOp *op, DiskStatus status);
/*
 * End an op at once, out of turn, as if its time had passed: data reaches
 * the medium, done() runs inside.  Used by reset, which must not leave a
 * half-written row behind.
 */
void disk_finish_now(DiskOp *op);
/*
 * End every op lent to the drive with `status`, oldest first.  What done()
 * submits meanwhile stays.
 */
void disk_cancel_all(Disk *disk, DiskStatus status);

/*
 * Flaws, for a drive that has aged; they cost time and lose nothing.  A
 * defect was found and its sector moved to the spares, taken to be beside
 * the last sector of its zone: what crosses it makes the way there and back,
 * and read-ahead ends before it.  A sector with retries is read again in so
 * many turns more.  False, and nothing done, when there are DISK_FLAWS_MAX.
 */
#define DISK_FLAWS_MAX 64
bool disk_add_defect(Disk *disk, uint64_t sector);
bool disk_set_retries(Disk *disk, uint64_t sector, unsigned turns);

/*
 * The power goes: what the drive holds in its RAM and has told the host to
 * be written is lost; the number of sectors is returned, and `lost` is told
 * which, oldest first (where two overlap, both).  Of a write under the head
 * the sectors it has passed are new, the one it is over is torn, the rest is
 * old; a torn one cannot be read until it is on the medium anew.  Ops lent
 * to the drive stay: cancel them after it.  A reset does not do this:
 * cancelling ops, or ending them early, loses nothing that was held.
 */
void disk_on_lost(Disk *disk, void (*lost)(void *opaque, DiskSpan span),
                  void *opaque);
uint64_t disk_power_cut(Disk *disk);

#endif
