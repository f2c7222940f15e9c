/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What disk.c and cached.c share: the inside of a drive.
 *
 *   disk.c     the queue of ops, what each does to data, where it ends
 *
 * and, when the preset says what the drive does with its RAM:
 *
 *   cached.c   how long each op takes
 *   ahead.c    reading ahead while the arm is free
 *   destage.c  held writes on their way to the medium
 *
 *   flaw.c     sectors that cost more than others
 *   trouble.c  what goes wrong on order
 *   power.c    what is on the medium when the power goes
 */
#ifndef DISK_DRIVE_DISK_PRIVATE_H
#define DISK_DRIVE_DISK_PRIVATE_H

#include "disk-model/drive/ata.h"
#include "disk-model/drive/buffer.h"
#include "disk-model/drive/held.h"
#include "disk-model/world/fault.h"

/* Read-ahead under way.  Nothing happens for it: where it has got to is
 * worked out when somebody asks. */
typedef struct CachedStream {
    BufferSegment *segment;     /* NULL: none */
    MechRest rest;              /* where it goes on from */
    uint64_t next, limit;       /* sectors */
    SimTime seen;               /* worked out for this time */
    uint64_t back;              /* whole-track: the track's first, */
    SimTime round;              /* and when the turn is complete */
} CachedStream;

/* What the op in front cannot begin without. */
typedef enum CachedNeed {
    NEED_NOTHING,
    NEED_ARM,
    NEED_ROOM,                  /* for what it writes */
    NEED_EMPTY,                 /* nothing held any more */
} CachedNeed;

typedef struct Cached {
    DiskBuffer buffer;
    HeldList held;
    CachedStream stream;
    CachedNeed need;
    SimTime taken_up;           /* the op in front */
    bool arm_in_use;            /* by it */
    bool last_was_write;
    SimTime arm_free;           /* after the least of reading ahead */
    SimTime idle_since;         /* nothing in front */
    bool in_run;                /* one leaves after the other */
    SimEvent left;              /* a held write has, or one may leave */
    SimTime left_at;            /* when the last one had, */
    uint64_t left_end;          /* and the sector after it */
    bool failed;                /* a held write could not be written */
} Cached;

/* A sector that costs more. */
typedef struct DiskFlaw {
    uint64_t sector;
    bool moved;                 /* to the spares of its zone */
    bool torn;                  /* by a power cut: unreadable */
    bool pending;               /* found unreadable, not yet written */
    unsigned turns;             /* more to read it */
} DiskFlaw;

struct Disk {
    Sim *sim;
    const DiskPreset *preset;
    DiskMedia *media;
    char *serial;
    int port;
    MechArm arm;
    AtaState *ata;
    GQueue queue;               /* of ops; the head is in service if busy */
    bool busy;
    bool held;                  /* take nothing up just now */
    uint64_t arrivals;
    SimEvent end;               /* of the op in service */
    bool fault_asked;           /* about it, and `fault` is the answer */
    FaultAnswer fault;
    unsigned flaws;
    DiskFlaw flaw[DISK_FLAWS_MAX];      /* rising */
    unsigned torn, pending;     /* of those */
    unsigned crc_row;           /* transfers gone wrong, in a row */
    bool failing;               /* and the port was told */
    const DiskListener *listener;       /* NULL: none */
    void *listener_opaque;
    void (*lost)(void *opaque, DiskSpan span);
    void *lost_opaque;
    Cached cached;              /* used if preset->buffer.there */
};

static inline bool disk_moves_sectors(const DiskOp *op)
{
    return op->verb == DISK_READ || op->verb == DISK_WRITE;
}

bool disk_span_is_on(const Disk *disk, DiskSpan span);
/* How long what moves no sectors takes. */
SimTime disk_answer_ns(const Disk *disk, const DiskOp *op);

/* What the rules have for an op that would end now. */
FaultAnswer trouble_ask(Disk *disk, DiskOp *op);
/*
 * Asks once, when the op in front would end; true if that is put off, or
 * never comes.  Until the next op disk->fault is the answer, which is nothing
 * if none was asked.
 */
bool trouble_delays(Disk *disk, DiskOp *op);
/* A write has ended well, in RAM or on the medium. */
void trouble_written(Disk *disk, DiskSpan span);
void trouble_unreadable(Disk *disk, uint64_t sector);
int trouble_turns_bit(const Disk *disk, uint64_t sector);

/* To the medium, past everything; 0 or -errno. */
int disk_media_write(Disk *disk, DiskSpan span, const void *data);

/* As mech_walk(), with what flaws add; the walk has no `stop`. */
void disk_walk(const Disk *disk, MechWalk *walk);
/* The first at or after *index in `span`, or NULL. */
DiskFlaw *flaw_in(Disk *disk, DiskSpan span, unsigned *index);
/* Where the first flaw in `span` is, or its end. */
uint64_t flaw_before(const Disk *disk, DiskSpan span);
/* The one there, or a new one; NULL when there are DISK_FLAWS_MAX. */
DiskFlaw *flaw_at(Disk *disk, uint64_t sector);
/* Unless there is something about it: *index is that of the next then. */
void flaw_drop_if_none(Disk *disk, unsigned *index);

/* Whether a sector of `span` is torn: the first. */
bool power_is_torn(Disk *disk, DiskSpan span, uint64_t *at);
/* It has been written. */
void power_mend(Disk *disk, DiskSpan span);
/* How much of a write the head has passed that would be done with it at
 * `end`; *under: it is over the next sector. */
uint32_t power_passed(const Disk *disk, DiskSpan span, SimTime end,
                      bool *under);
/* So much of a write is new, and the next sector torn if `under`. */
void power_half_write(Disk *disk, DiskSpan span, const uint8_t *data,
                      uint32_t passed, bool under);

void cached_init(Disk *disk);
void cached_clear(Disk *disk);          /* what is held goes to the medium */

/* Which waiting op comes next; NULL when none waits. */
DiskOp *cached_choose(Disk *disk);
/* Whether an op waits for the arm to go somewhere; the oldest that does not
 * is next, in every order but that of arrival. */
bool cached_needs_seek(Disk *disk, const DiskOp *op);
/* The op becomes the one in front; disk->end will fire for it, in time. */
void cached_take_up(Disk *disk, DiskOp *op);
/* The same, later, when what it needed may be there. */
void cached_begin(Disk *disk, DiskOp *op);
/* It is not in front any more; `early`: nor will its access be made. */
void cached_let_go(Disk *disk, bool early);
/* The arm is free and nobody waits for it: it works for the buffer. */
void cached_idle(Disk *disk);

/* What a read or write does to data, at its end.  0 or -errno. */
int cached_read(Disk *disk, DiskOp *op);
int cached_write(Disk *disk, DiskOp *op);
/* All that is held, or all that overlaps, goes to the medium at once. */
int cached_empty(Disk *disk);
int cached_empty_span(Disk *disk, DiskSpan span);
/* What is on its way is cut short, the rest lost: so many sectors. */
uint64_t cached_power_cut(Disk *disk);

/* The sectors of the track that `sector` is on. */
DiskSpan ahead_track(const Disk *disk, uint64_t sector);
/* How far to read ahead after `span`, for a segment that began at `start`. */
uint64_t ahead_limit(const Disk *disk, DiskSpan span, uint64_t start);
/* When the arm is free after reading `span` and the least behind it. */
SimTime ahead_least(const Disk *disk, MechRest from, DiskSpan span,
                    uint64_t limit);
/* From the end of `segment`, unless that is the limit. */
void ahead_start(Disk *disk, BufferSegment *segment, MechRest from,
                 uint64_t limit);
/* What has passed by `when` is in the buffer, and the arm is there. */
void ahead_catch_up(Disk *disk, SimTime when);
void ahead_stop(Disk *disk, SimTime when);      /* the same, and no further */
/* No stream goes on into a segment that was dropped. */
void ahead_check(Disk *disk);

#endif
