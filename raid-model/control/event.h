/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event - the queue of things the host is told about, and the log of them
 * for those who look after the card.
 *
 * The queue is bounded; when it is full the last entry becomes
 * RAID_EVENT_QUEUE_FULL, so that a loss is told and never silent.  The log
 * keeps the newest, whoever has read them.  Both survive a reset of the card.
 */
#ifndef RAID_CONTROL_EVENT_H
#define RAID_CONTROL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "disk-model/world/sim.h"

#define RAID_EVENTS_MAX 32      /* guess: the real depth is not public */
#define RAID_LOG_MAX 256        /* guess */

typedef enum RaidEventCode {
    RAID_EVENT_NONE,
    RAID_EVENT_SOFT_RESET,
    RAID_EVENT_UNIT_DEGRADED,           /* source: unit */
    RAID_EVENT_CONTROLLER_ERROR,        /* 0 */
    RAID_EVENT_REBUILD_FAILED,          /* unit */
    RAID_EVENT_REBUILD_DONE,            /* unit */
    RAID_EVENT_UNIT_INCOMPLETE,         /* unit */
    RAID_EVENT_INIT_DONE,               /* unit */
    RAID_EVENT_UNCLEAN_SHUTDOWN,        /* unit */
    RAID_EVENT_DRIVE_TIMEOUT,           /* port */
    RAID_EVENT_DRIVE_ERROR,             /* port */
    RAID_EVENT_REBUILD_STARTED,         /* unit */
    RAID_EVENT_INIT_STARTED,            /* unit */
    RAID_EVENT_UNIT_DELETED,            /* unit */
    RAID_EVENT_SMART_THRESHOLD,         /* port */
    RAID_EVENT_UDMA_DOWNGRADE,          /* port */
    RAID_EVENT_UDMA_UPGRADE,            /* port */
    RAID_EVENT_SECTOR_REPAIR,           /* port */
    RAID_EVENT_SBUF_FAILURE,            /* 0 */
    RAID_EVENT_LOST_CACHED_WRITE,       /* port */
    RAID_EVENT_DRIVE_ECC_ERROR,         /* port */
    RAID_EVENT_DCB_CHECKSUM,            /* port */
    RAID_EVENT_DCB_VERSION,             /* port */
    RAID_EVENT_VERIFY_STARTED,          /* unit */
    RAID_EVENT_VERIFY_FAILED,           /* unit */
    RAID_EVENT_VERIFY_DONE,             /* unit */
    RAID_EVENT_REBUILD_OVERWROTE,       /* port: bad sector, by force */
    RAID_EVENT_REBUILD_BAD_SECTOR,      /* port */
    RAID_EVENT_DRIVE_TOO_SMALL,         /* port */
    RAID_EVENT_VERIFY_UNINITIALISED,    /* unit */
    RAID_EVENT_DRIVE_UNSUPPORTED,       /* port */
    RAID_EVENT_QUEUE_FULL,
    RAID_EVENT_CODES,
    RAID_EVENT_LAST = RAID_EVENT_CODES + 0xff   /* see raid_event_of() */
} RaidEventCode;

typedef struct RaidEvent {
    RaidEventCode code;
    uint8_t source;             /* unit or port number */
} RaidEvent;

typedef struct RaidEventQueue {
    RaidEvent event[RAID_EVENTS_MAX];
    unsigned first, count;
} RaidEventQueue;

typedef enum RaidEventSource {
    RAID_OF_CARD, RAID_OF_UNIT, RAID_OF_PORT
} RaidEventSource;

/*
 * Numbers are what hosts are told: public lists (Linux, BSD drivers) have
 * them, and Linux oopses on those it has no string for.  Texts are the short
 * ones of the vendor's later manuals; what is grave is partly a guess.
 */
typedef struct RaidEventWord {
    uint8_t number;
    RaidEventSource of;
    const char *severity;       /* "ERROR", "WARNING", "INFO" */
    const char *text;
} RaidEventWord;

extern const RaidEventWord raid_event_word[RAID_EVENT_CODES];

/* The code with that number; of one no card has cause for, one beyond
 * RAID_EVENT_CODES, of which only the number is known. */
RaidEventCode raid_event_of(uint8_t number);
RaidEventWord raid_event_words(RaidEventCode code);

typedef struct RaidLogEntry {
    SimTime at;
    RaidEvent event;
} RaidLogEntry;

typedef struct RaidLog {
    RaidLogEntry entry[RAID_LOG_MAX];
    unsigned first, count;
} RaidLog;

/* The oldest goes when there is no room. */
void raid_log_put(RaidLog *log, SimTime at, RaidEventCode code,
                  uint8_t source);
/* `index` 0 is the oldest. */
const RaidLogEntry *raid_log_at(const RaidLog *log, unsigned index);

void raid_event_push(RaidEventQueue *queue, RaidEventCode code,
                     uint8_t source);
RaidEvent raid_event_pop(RaidEventQueue *queue);        /* NONE when empty */
bool raid_event_pending(const RaidEventQueue *queue);

#endif
