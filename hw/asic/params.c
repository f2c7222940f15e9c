/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Params: the tables as data.  A table is a run of ids (one, one per port,
 * one per unit); a parameter is a size and the function that fills it.
 *
 * Parameter 0 of any table is the whole table, 1 its size; how either looks
 * is a guess: all parameters in order, and two bytes.  So are the order and
 * width of the directory, table 0xffff.
 *
 * Sources: the BSD twe headers, which quote the vendor's numbers; Linux
 * 3w-xxxx for those it reads.
 */
#include "hw/asic/param-unit.h"
#include "hw/asic/params.h"
#include "hw/asic/wire.h"

#define TABLE_DIRECTORY 0xffff

/* Numbers on the wire. */
enum { PORT_MISSING = 0x00, PORT_PRESENT = 0xff, UNIT_NONE = 0xff };

typedef struct Place {
    RaidHost *host;
    unsigned index;             /* which port or unit of the table's run */
    unsigned number;            /* of the parameter */
    size_t arg;                 /* the parameter's */
} Place;

/* Fills `out` (PARAM_BYTES_MAX) and returns how much; 0: no such thing. */
typedef size_t ParamGet(const Place *at, uint8_t *out);
typedef void ParamSet(const Place *at, const uint8_t *in);

typedef struct Param {
    uint8_t first, last;        /* parameter numbers */
    ParamGet *get;
    size_t arg;
    ParamSet *set;              /* NULL: read-only */
    uint8_t bytes;              /* known without get(), which has effects */
} Param;

typedef enum TableRun { ONE_TABLE, TABLE_PER_PORT, TABLE_PER_UNIT } TableRun;

typedef struct Table {
    uint16_t first;
    TableRun run;
    const Param *param;
    unsigned params;
} Table;

static const BoardModel *board_at(const Place *at)
{
    return raid_controller_board(at->host->ctl);
}

static RaidUnit *unit_at(const Place *at)
{
    return raid_controller_unit(at->host->ctl, at->index);
}

static Disk *disk_at(const Place *at, unsigned port)
{
    return raid_controller_drive(at->host->ctl, port);
}

static size_t number_8(uint8_t *out, unsigned value)
{
    out[0] = value;
    return 1;
}

static size_t number_16(uint8_t *out, unsigned value)
{
    put_le16(out, MIN(value, UINT16_MAX));
    return 2;
}

static size_t number_32(uint8_t *out, uint64_t value)
{
    put_le32(out, MIN(value, UINT32_MAX));
    return 4;
}

/* Fixed-size text, filled up with `fill`; need not end in NUL. */
static size_t text(uint8_t *out, const char *from, size_t bytes, int fill)
{
    size_t len = from ? MIN(strlen(from), bytes) : 0;

    memset(out, fill, bytes);
    if (len) {
        memcpy(out, from, len);
    }
    return bytes;
}

/* --- drives ------------------------------------------------------------- */

static size_t drives_count(const Place *at, uint8_t *out)
{
    unsigned port, n = 0;

    for (port = 0; port < board_at(at)->ports; port++) {
        n += disk_at(at, port) != NULL;
    }
    return number_16(out, n);
}

static size_t drives_status(const Place *at, uint8_t *out)
{
    unsigned port;

    memset(out, PORT_MISSING, RAID_UNITS_MAX);
    for (port = 0; port < board_at(at)->ports; port++) {
        out[port] = disk_at(at, port) ? PORT_PRESENT : PORT_MISSING;
    }
    return RAID_UNITS_MAX;
}

static size_t drive_size(const Place *at, uint8_t *out)
{
    Disk *disk = disk_at(at, at->index);

    return number_32(out, disk ? disk_sectors(disk) : 0);
}

static size_t drive_model(const Place *at, uint8_t *out)
{
    Disk *disk = disk_at(at, at->index);

    return text(out, disk ? disk_preset(disk)->label : NULL, 40,
                disk ? ' ' : 0);
}

static size_t drive_serial(const Place *at, uint8_t *out)
{
    Disk *disk = disk_at(at, at->index);

    return text(out, disk ? disk_serial(disk) : NULL, 20, disk ? ' ' : 0);
}

/* Sectors vary by zone; the outermost stands for all. */
static size_t drive_physical(const Place *at, uint8_t *out)
{
    Disk *disk = disk_at(at, at->index);
    const DiskGeometry *geometry = disk ? &disk_preset(disk)->geometry : NULL;
    unsigned value[3] = { 0 };

    if (geometry) {
        value[0] = geometry->cylinders;
        value[1] = geometry->heads;
        value[2] = geometry->zone[0].sectors_per_track;
    }
    return number_16(out, value[at->arg]);
}

/* What every ATA drive of more than 8 GB says. */
static size_t drive_logical(const Place *at, uint8_t *out)
{
    static const unsigned value[3] = { 16383, 16, 63 };

    return number_16(out, disk_at(at, at->index) ? value[at->arg] : 0);
}

static size_t drive_unit(const Place *at, uint8_t *out)
{
    int unit = raid_controller_port_unit(at->host->ctl, at->index);

    return number_8(out, unit < 0 ? UNIT_NONE : unit);
}

static size_t zero_8(const Place *at, uint8_t *out)
{
    (void)at;
    return number_8(out, 0);
}

/* Read and write timeouts of a day, and how many degrade a unit: no port
 * has had any, and the threshold is a guess. */
static size_t port_timeouts(const Place *at, uint8_t *out)
{
    unsigned port = (at->number - 2) / 3;

    return port < board_at(at)->ports ? number_16(out, 0) : 0;
}

/* --- units -------------------------------------------------------------- */

static size_t units_count(const Place *at, uint8_t *out)
{
    unsigned i, n = 0;

    for (i = 0; i < RAID_UNITS_MAX; i++) {
        n += raid_controller_unit(at->host->ctl, i) != NULL;
    }
    return number_16(out, n);
}

static size_t units_status(const Place *at, uint8_t *out)
{
    unsigned i;

    for (i = 0; i < RAID_UNITS_MAX; i++) {
        out[i] = param_unit_status(raid_controller_unit(at->host->ctl, i));
    }
    return RAID_UNITS_MAX;
}

static size_t unit_number(const Place *at, uint8_t *out)
{
    return number_8(out, at->index);
}

static size_t unit_status(const Place *at, uint8_t *out)
{
    return number_8(out, param_unit_status(unit_at(at)));
}

static size_t unit_capacity(const Place *at, uint8_t *out)
{
    return number_32(out, raid_capacity(raid_unit_shape(unit_at(at))));
}

static size_t unit_descriptor(const Place *at, uint8_t *out)
{
    return param_unit_descriptor(unit_at(at), out);
}

/* The header of a parameter block but for one byte, as the drivers read it:
 * they ask for this less 3. */
static size_t unit_descriptor_size(const Place *at, uint8_t *out)
{
    uint8_t descriptor[PARAM_BYTES_MAX];

    return number_16(out, unit_descriptor(at, descriptor) + 3);
}

#define UNIT_FLAG_WRITE_CACHE 1

static size_t unit_flags(const Place *at, uint8_t *out)
{
    return number_8(out, raid_controller_write_cache(at->host->ctl, at->index)
                         ? UNIT_FLAG_WRITE_CACHE : 0);
}

static void set_unit_flags(const Place *at, const uint8_t *in)
{
    raid_controller_set_write_cache(at->host->ctl, at->index,
                                    in[0] & UNIT_FLAG_WRITE_CACHE);
}

/* --- the card ----------------------------------------------------------- */

static size_t event_pop(const Place *at, uint8_t *out)
{
    RaidEvent event = host_take_event(at->host);
    uint8_t code = raid_event_words(event.code).number;

    if (code) {
        sim_trace(at->host->sim, SIM_TRACE_AEN_READ, NULL, code,
                  event.source);
    }
    out[0] = code;
    out[1] = event.source;
    return 2;
}

static size_t version(const Place *at, uint8_t *out)
{
    const char *string = G_STRUCT_MEMBER(const char *, board_at(at),
                                         at->arg);

    return text(out, string, at->number <= 4 ? 16 : 8, 0);
}

static size_t zero_32(const Place *at, uint8_t *out)
{
    (void)at;
    return number_32(out, 0);
}

static size_t reserved_sectors(const Place *at, uint8_t *out)
{
    (void)at;
    return number_16(out, RAID_RESERVED_SECTORS);
}

static size_t port_count(const Place *at, uint8_t *out)
{
    return number_8(out, board_at(at)->ports);
}

static size_t shutdown_notice(const Place *at, uint8_t *out)
{
    return number_8(out, at->host->shutdown_notice);
}

static void set_shutdown_notice(const Place *at, const uint8_t *in)
{
    at->host->shutdown_notice = in[0];
}

/* --- the tables --------------------------------------------------------- */

static size_t directory_ids(const Place *at, uint8_t *out);
static size_t directory_sizes(const Place *at, uint8_t *out);

#define PARAM(number, ...) \
    { .first = number, .last = number, .get = __VA_ARGS__ }

static const Param drive_summary[] = {
    PARAM(2, drives_count),
    PARAM(3, drives_status),
};

static const Param unit_summary[] = {
    PARAM(2, units_count),
    PARAM(3, units_status),
};

static const Param drive_info[] = {
    PARAM(2, drive_size),
    PARAM(3, drive_model),
    PARAM(4, drive_serial),
    PARAM(5, drive_physical, .arg = 0),
    PARAM(6, drive_physical, .arg = 1),
    PARAM(7, drive_physical, .arg = 2),
    PARAM(8, drive_logical, .arg = 0),
    PARAM(9, drive_logical, .arg = 1),
    PARAM(10, drive_logical, .arg = 2),
    PARAM(11, drive_unit),
    PARAM(12, zero_8),                  /* flags: not documented */
};

static const Param timeouts[] = {
    { .first = 2, .last = 1 + 3 * RAID_UNITS_MAX, .get = port_timeouts },
};

static const Param unit_info[] = {
    PARAM(2, unit_number),
    PARAM(3, unit_status),
    PARAM(4, unit_capacity),
    PARAM(5, unit_descriptor_size),
    PARAM(6, unit_descriptor),
    PARAM(7, unit_flags, .set = set_unit_flags),
};

static const Param events[] = {
    PARAM(2, event_pop, .bytes = 2),
};

static const Param versions[] = {
    PARAM(2, version, .arg = offsetof(BoardModel, monitor)),
    PARAM(3, version, .arg = offsetof(BoardModel, firmware)),
    PARAM(4, version, .arg = offsetof(BoardModel, bios)),
    PARAM(5, version, .arg = offsetof(BoardModel, pcb)),
    PARAM(6, version, .arg = offsetof(BoardModel, achip)),
    PARAM(7, version, .arg = offsetof(BoardModel, pchip)),
    PARAM(11, zero_32),                 /* compatibility code: guess */
};

static const Param controller_info[] = {
    PARAM(2, reserved_sectors),
    PARAM(3, port_count),
};

static const Param features[] = {
    PARAM(2, shutdown_notice, .set = set_shutdown_notice),
};

static const Param directory[] = {
    PARAM(2, directory_ids),
    PARAM(3, directory_sizes),
};

#define TABLE(first, run, params) { first, run, params, G_N_ELEMENTS(params) }

static const Table table[] = {
    TABLE(0x0002, ONE_TABLE, drive_summary),
    TABLE(0x0003, ONE_TABLE, unit_summary),
    TABLE(0x0200, TABLE_PER_PORT, drive_info),
    TABLE(0x02c0, ONE_TABLE, timeouts),
    TABLE(0x0300, TABLE_PER_UNIT, unit_info),
    TABLE(0x0401, ONE_TABLE, events),
    TABLE(0x0402, ONE_TABLE, versions),
    TABLE(0x0403, ONE_TABLE, controller_info),
    TABLE(0x0404, ONE_TABLE, features),
    TABLE(TABLE_DIRECTORY, ONE_TABLE, directory),
};

static unsigned run_length(RaidHost *host, const Table *t)
{
    switch (t->run) {
    case TABLE_PER_PORT:
        return raid_controller_board(host->ctl)->ports;
    case TABLE_PER_UNIT:
        return RAID_UNITS_MAX;
    case ONE_TABLE:
        break;
    }
    return 1;
}

/* --- finding ------------------------------------------------------------ */

static const Table *table_find(RaidHost *host, uint16_t id, Place *at)
{
    unsigned i;

    for (i = 0; i < G_N_ELEMENTS(table); i++) {
        const Table *t = &table[i];

        if (id >= t->first && id < t->first + run_length(host, t)) {
            *at = (Place) { .host = host, .index = id - t->first };
            return t;
        }
    }
    return NULL;
}

static const Param *param_find(const Table *t, Place *at, uint8_t number)
{
    unsigned i;

    for (i = 0; i < t->params; i++) {
        const Param *p = &t->param[i];

        if (number >= p->first && number <= p->last) {
            at->number = number;
            at->arg = p->arg;
            return p;
        }
    }
    return NULL;
}

static bool is_there(const Table *t, const Place *at)
{
    return t->run != TABLE_PER_UNIT || unit_at(at);
}

static unsigned last_number(const Table *t)
{
    return t->param[t->params - 1].last;
}

static unsigned table_bytes(const Table *t, Place at)
{
    uint8_t value[PARAM_BYTES_MAX];
    unsigned number, bytes = 0;

    for (number = 2; number <= last_number(t); number++) {
        const Param *p = param_find(t, &at, number);

        bytes += !p ? 0 : p->bytes ? p->bytes : p->get(&at, value);
    }
    return bytes;
}

/* As much as a parameter block can carry. */
static void whole_table(const Table *t, Place at, uint8_t *out)
{
    uint8_t value[PARAM_BYTES_MAX];
    size_t room = PARAM_BYTES_MAX - 1;
    unsigned number;

    for (number = 2; number <= last_number(t) && room; number++) {
        const Param *p = param_find(t, &at, number);
        size_t bytes = p ? p->get(&at, value) : 0;

        bytes = MIN(bytes, room);
        memcpy(out, value, bytes);
        out += bytes;
        room -= bytes;
    }
}

static size_t directory_fill(const Place *at, uint8_t *out, bool sizes)
{
    size_t bytes = 0;
    unsigned i, k;

    for (i = 0; table[i].first != TABLE_DIRECTORY; i++) {
        for (k = 0; k < run_length(at->host, &table[i]); k++) {
            Place there = { .host = at->host, .index = k };

            if (is_there(&table[i], &there)) {
                bytes += number_16(out + bytes, sizes ?
                                   table_bytes(&table[i], there) :
                                   table[i].first + k);
            }
        }
    }
    return bytes;
}

static size_t directory_ids(const Place *at, uint8_t *out)
{
    return directory_fill(at, out, false);
}

static size_t directory_sizes(const Place *at, uint8_t *out)
{
    return directory_fill(at, out, true);
}

ParamResult param_get(RaidHost *host, uint16_t id, uint8_t number,
                      uint8_t *value)
{
    Place at;
    const Table *t = table_find(host, id, &at);
    const Param *p;

    if (!t) {
        return PARAM_NO_TABLE;
    }
    if (!is_there(t, &at)) {
        return PARAM_NO_UNIT;
    }
    if (number == 0) {
        whole_table(t, at, value);
        return PARAM_OK;
    }
    if (number == 1) {
        number_16(value, table_bytes(t, at));
        return PARAM_OK;
    }
    p = param_find(t, &at, number);
    return p && p->get(&at, value) ? PARAM_OK : PARAM_NO_PARAMETER;
}

ParamResult param_set(RaidHost *host, uint16_t id, uint8_t number,
                      const uint8_t *value)
{
    Place at;
    const Table *t = table_find(host, id, &at);
    const Param *p;

    if (!t) {
        return PARAM_NO_TABLE;
    }
    if (!is_there(t, &at)) {
        return PARAM_NO_UNIT;
    }
    p = param_find(t, &at, number);
    if (!p) {
        return PARAM_NO_PARAMETER;
    }
    if (!p->set) {
        return PARAM_READ_ONLY;
    }
    p->set(&at, value);
    return PARAM_OK;
}
