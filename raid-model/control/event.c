/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event - two rings and the words for what is in them.
 */
#include "raid-model/control/event.h"

#include <glib.h>

const RaidEventWord raid_event_word[RAID_EVENT_CODES] = {
    [RAID_EVENT_SOFT_RESET] = { 0x01, RAID_OF_CARD, "INFO",
        "Controller reset occurred" },
    [RAID_EVENT_UNIT_DEGRADED] = { 0x02, RAID_OF_UNIT, "ERROR",
        "Degraded unit" },
    [RAID_EVENT_CONTROLLER_ERROR] = { 0x03, RAID_OF_CARD, "ERROR",
        "Controller error occurred" },
    [RAID_EVENT_REBUILD_FAILED] = { 0x04, RAID_OF_UNIT, "ERROR",
        "Rebuild failed" },
    [RAID_EVENT_REBUILD_DONE] = { 0x05, RAID_OF_UNIT, "INFO",
        "Rebuild completed" },
    [RAID_EVENT_UNIT_INCOMPLETE] = { 0x06, RAID_OF_UNIT, "ERROR",
        "Incomplete unit detected" },
    [RAID_EVENT_INIT_DONE] = { 0x07, RAID_OF_UNIT, "INFO",
        "Initialize completed" },
    [RAID_EVENT_UNCLEAN_SHUTDOWN] = { 0x08, RAID_OF_UNIT, "WARNING",
        "Unclean shutdown detected" },
    [RAID_EVENT_DRIVE_TIMEOUT] = { 0x09, RAID_OF_PORT, "ERROR",
        "Drive timeout detected" },
    [RAID_EVENT_DRIVE_ERROR] = { 0x0a, RAID_OF_PORT, "ERROR",
        "Drive error detected" },
    [RAID_EVENT_REBUILD_STARTED] = { 0x0b, RAID_OF_UNIT, "INFO",
        "Rebuild started" },
    [RAID_EVENT_INIT_STARTED] = { 0x0c, RAID_OF_UNIT, "INFO",
        "Initialize started" },
    [RAID_EVENT_UNIT_DELETED] = { 0x0d, RAID_OF_UNIT, "INFO", "Unit deleted" },
    [RAID_EVENT_SMART_THRESHOLD] = { 0x0f, RAID_OF_PORT, "WARNING",
        "SMART threshold exceeded" },
    [RAID_EVENT_UDMA_DOWNGRADE] = { 0x21, RAID_OF_PORT, "WARNING",
        "Downgrade UDMA mode" },
    [RAID_EVENT_UDMA_UPGRADE] = { 0x22, RAID_OF_PORT, "INFO",
        "Upgrade UDMA mode" },
    [RAID_EVENT_SECTOR_REPAIR] = { 0x23, RAID_OF_PORT, "WARNING",
        "Sector repair completed" },
    [RAID_EVENT_SBUF_FAILURE] = { 0x24, RAID_OF_CARD, "ERROR",
        "Buffer integrity test failed" },
    [RAID_EVENT_LOST_CACHED_WRITE] = { 0x25, RAID_OF_PORT, "ERROR",
        "Cache flush failed; some data lost" },
    [RAID_EVENT_DRIVE_ECC_ERROR] = { 0x26, RAID_OF_PORT, "ERROR",
        "Drive ECC error reported" },
    [RAID_EVENT_DCB_CHECKSUM] = { 0x27, RAID_OF_PORT, "ERROR",
        "DCB checksum error detected" },
    [RAID_EVENT_DCB_VERSION] = { 0x28, RAID_OF_PORT, "ERROR",
        "DCB version unsupported" },
    [RAID_EVENT_VERIFY_STARTED] = { 0x29, RAID_OF_UNIT, "INFO",
        "Verify started" },
    [RAID_EVENT_VERIFY_FAILED] = { 0x2a, RAID_OF_UNIT, "ERROR",
        "Verify failed" },
    [RAID_EVENT_VERIFY_DONE] = { 0x2b, RAID_OF_UNIT, "INFO",
        "Verify completed" },
    [RAID_EVENT_REBUILD_OVERWROTE] = { 0x2c, RAID_OF_PORT, "WARNING",
        "Source drive ECC error overwritten" },
    [RAID_EVENT_REBUILD_BAD_SECTOR] = { 0x2d, RAID_OF_PORT, "ERROR",
        "Source drive error occurred" },
    [RAID_EVENT_DRIVE_TOO_SMALL] = { 0x2e, RAID_OF_PORT, "ERROR",
        "Replacement drive capacity too small" },
    [RAID_EVENT_VERIFY_UNINITIALISED] = { 0x2f, RAID_OF_UNIT, "WARNING",
        "Verify not started; unit never initialized" },
    [RAID_EVENT_DRIVE_UNSUPPORTED] = { 0x30, RAID_OF_PORT, "ERROR",
        "Drive not supported" },
    [RAID_EVENT_QUEUE_FULL] = { 0xff, RAID_OF_CARD, "WARNING",
        "AEN queue full" },
};

RaidEventCode raid_event_of(uint8_t number)
{
    for (unsigned code = 0; code < RAID_EVENT_CODES; code++) {
        if (raid_event_word[code].number == number) {
            return code;
        }
    }
    return RAID_EVENT_CODES + number;
}

RaidEventWord raid_event_words(RaidEventCode code)
{
    if (code < RAID_EVENT_CODES) {
        return raid_event_word[code];
    }
    return (RaidEventWord) {
        .number = (uint8_t)(code - RAID_EVENT_CODES), .of = RAID_OF_CARD,
        .severity = "INFO", .text = "Unknown event",
    };
}

void raid_event_push(RaidEventQueue *queue, RaidEventCode code,
                     uint8_t source)
{
    RaidEvent event = { .code = code, .source = source };

    if (queue->count == RAID_EVENTS_MAX) {
        /* The newest place tells that it and all since were lost. */
        event = (RaidEvent) { .code = RAID_EVENT_QUEUE_FULL };
        queue->count--;
    }
    queue->event[(queue->first + queue->count) % RAID_EVENTS_MAX] = event;
    queue->count++;
}

RaidEvent raid_event_pop(RaidEventQueue *queue)
{
    RaidEvent event = { .code = RAID_EVENT_NONE };

    if (queue->count) {
        event = queue->event[queue->first];
        queue->first = (queue->first + 1) % RAID_EVENTS_MAX;
        queue->count--;
    }
    return event;
}

bool raid_event_pending(const RaidEventQueue *queue)
{
    return queue->count;
}

void raid_log_put(RaidLog *log, SimTime at, RaidEventCode code,
                  uint8_t source)
{
    unsigned place = (log->first + log->count) % RAID_LOG_MAX;

    log->entry[place] = (RaidLogEntry) { at, { code, source } };
    if (log->count < RAID_LOG_MAX) {
        log->count++;
    } else {
        log->first = (log->first + 1) % RAID_LOG_MAX;
    }
}

const RaidLogEntry *raid_log_at(const RaidLog *log, unsigned index)
{
    g_assert(index < log->count);
    return &log->entry[(log->first + index) % RAID_LOG_MAX];
}
