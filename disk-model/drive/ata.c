/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ATA: which command does what.  The pages themselves are made in
 * identify.c and smart.c.
 *
 * Each command is a small function that says whether it could be carried
 * out; a refusal is always status 0x51, error 0x04, and changes nothing.
 */
#include <string.h>

#include "disk-model/drive/ata.h"
#include "disk-model/drive/identify.h"
#include "disk-model/drive/smart.h"

#define UDMA_MODES 0x40         /* SET FEATURES 03h: groups of modes */
#define MWDMA_MODES 0x20
#define PIO_MODES 0x08

typedef enum PowerMode {
    POWER_STANDBY = 0x00,       /* as CHECK POWER MODE tells it */
    POWER_IDLE = 0x80,
    POWER_ACTIVE = 0xff,
} PowerMode;

struct AtaState {
    Sim *sim;
    Disk *disk;
    AtaSwitches switches;
    PowerMode power;
    SmartState *smart;
};

/* --- power ------------------------------------------------------------- */

static void set_power(AtaState *ata, PowerMode power)
{
    ata->power = power;
    smart_set_spinning(ata->smart, sim_now(ata->sim),
                       power != POWER_STANDBY);
}

SimTime ata_wake(AtaState *ata)
{
    bool asleep = ata->power == POWER_STANDBY;

    if (ata->power != POWER_ACTIVE) {
        set_power(ata, POWER_ACTIVE);
    }
    return asleep ? disk_preset(ata->disk)->spin_up_ns : 0;
}

static bool check_power_mode(AtaState *ata, AtaTaskFile *tf, uint8_t *data)
{
    (void)data;
    tf->count[0] = ata->power;
    return true;
}

/* STANDBY, IDLE: the timer in the count is taken and never runs out. */
static bool change_power(AtaState *ata, AtaTaskFile *tf, uint8_t *data)
{
    (void)data;
    switch (tf->command) {
    case 0xe0: case 0x94: case 0xe2: case 0x96:
        set_power(ata, POWER_STANDBY);
        break;
    default:
        set_power(ata, POWER_IDLE);     /* spinning up is not charged */
        break;
    }
    return true;
}

/* --- features ---------------------------------------------------------- */

static bool mode_is_possible(const AtaState *ata, uint8_t mode)
{
    unsigned number = mode & 7;

    switch (mode & 0xf8) {
    case UDMA_MODES:
        return number <= ata_udma_max(disk_preset(ata->disk));
    case MWDMA_MODES:
        return number <= 2;
    case PIO_MODES:
        return number <= 4;
    case 0:
        return number <= 1;             /* the default PIO mode */
    default:
        return false;
    }
}

static bool set_features(AtaState *ata, AtaTaskFile *tf, uint8_t *data)
{
    (void)data;
    switch (tf->feature[0]) {
    case ATA_WRITE_CACHE_ON:
    case ATA_WRITE_CACHE_OFF:
        ata->switches.write_cache = tf->feature[0] == ATA_WRITE_CACHE_ON;
        return !ata->switches.write_cache ||
               ata_has_write_cache(disk_preset(ata->disk));
    case 0xaa:
    case 0x55:
        ata->switches.look_ahead = tf->feature[0] == 0xaa;
        return !ata->switches.look_ahead ||
               ata_has_look_ahead(disk_preset(ata->disk));
    case 0x03:
        if (!mode_is_possible(ata, tf->count[0])) {
            return false;
        }
        if (tf->count[0] & (UDMA_MODES | MWDMA_MODES)) {
            ata->switches.mode = tf->count[0];
        }
        return true;
    default:
        return false;
    }
}

static bool identify(AtaState *ata, AtaTaskFile *tf, uint8_t *data)
{
    (void)tf;
    ata_identify(disk_preset(ata->disk), disk_serial(ata->disk),
                 &ata->switches, data);
    return true;
}

static bool flush(AtaState *ata, AtaTaskFile *tf, uint8_t *data)
{
    (void)data;
    return tf->command == 0xe7 || ata_has_lba48(disk_preset(ata->disk));
}

/* --- SMART ------------------------------------------------------------- */

static void smart_status(AtaState *ata, AtaTaskFile *tf)
{
    bool healthy = smart_is_healthy(ata->smart, sim_now(ata->sim));

    tf->lba_mid[0] = healthy ? 0x4f : 0xf4;
    tf->lba_high[0] = healthy ? 0xc2 : 0x2c;
}

static bool smart_subcommand(AtaState *ata, AtaTaskFile *tf, uint8_t *data)
{
    SimTime now = sim_now(ata->sim);
    uint8_t address = tf->lba_low[0];

    switch (tf->feature[0]) {
    case 0xd0:
        smart_read_data(ata->smart, now, data);
        return true;
    case 0xd1:
        smart_read_thresholds(ata->smart, data);
        return true;
    case 0xd2:                  /* autosave on 0xf1, off 0: always saved */
        return tf->count[0] == 0xf1 || !tf->count[0];
    case 0xd3:
        return true;
    case 0xd4:
        return smart_execute(ata->smart, now, address);
    case 0xd5:
        return tf->count[0] == 1 &&
               smart_read_log(ata->smart, now, address, false, data);
    case 0xd6:
        return tf->count[0] == 1 &&
               smart_write_log(ata->smart, address, data);
    case 0xd9:
        ata->switches.smart = false;
        return true;
    case 0xda:
        smart_status(ata, tf);
        return true;
    case 0xdb:
        if (tf->count[0] && tf->count[0] != 0xf8) {
            return false;
        }
        smart_set_auto_offline(ata->smart, tf->count[0]);
        return true;
    default:
        return false;
    }
}

static bool smart(AtaState *ata, AtaTaskFile *tf, uint8_t *data)
{
    if (tf->lba_mid[0] != 0x4f || tf->lba_high[0] != 0xc2) {
        return false;
    }
    if (tf->feature[0] == 0xd8) {
        ata->switches.smart = true;
        return true;
    }
    return ata->switches.smart && smart_subcommand(ata, tf, data);
}

static bool read_log_ext(AtaState *ata, AtaTaskFile *tf, uint8_t *data)
{
    bool one_sector = tf->count[0] == 1 && !tf->count[1];
    bool first = !tf->lba_mid[0] && !tf->lba_mid[1];

    return ata_has_lba48(disk_preset(ata->disk)) && one_sector && first &&
           smart_read_log(ata->smart, sim_now(ata->sim), tf->lba_low[0],
                          true, data);
}

/* --- the table --------------------------------------------------------- */

typedef struct AtaCommand {
    uint8_t code;
    bool (*run)(AtaState *ata, AtaTaskFile *tf, uint8_t *data);
} AtaCommand;

static const AtaCommand commands[] = {
    { 0x2f, read_log_ext },
    { 0x94, change_power },     /* the codes of ATA-3 and before */
    { 0x95, change_power },
    { 0x96, change_power },
    { 0x97, change_power },
    { 0x98, check_power_mode },
    { 0xb0, smart },
    { 0xe0, change_power },     /* STANDBY IMMEDIATE */
    { 0xe1, change_power },     /* IDLE IMMEDIATE */
    { 0xe2, change_power },     /* STANDBY */
    { 0xe3, change_power },     /* IDLE */
    { 0xe5, check_power_mode },
    { 0xe7, flush },
    { 0xea, flush },            /* FLUSH CACHE EXT */
    { 0xec, identify },
    { ATA_SET_FEATURES, set_features },
};

static const AtaCommand *find_command(uint8_t code)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (commands[i].code == code) {
            return &commands[i];
        }
    }
    return NULL;
}

AtaData ata_data(const AtaTaskFile *tf)
{
    if (tf->command == 0xec || tf->command == 0x2f) {
        return ATA_DATA_IN;
    }
    if (tf->command != 0xb0) {
        return ATA_DATA_NONE;
    }
    switch (tf->feature[0]) {
    case 0xd0: case 0xd1: case 0xd5:
        return ATA_DATA_IN;
    case 0xd6:
        return ATA_DATA_OUT;
    default:
        return ATA_DATA_NONE;
    }
}

bool ata_is_flush(const AtaTaskFile *tf)
{
    return tf->command == 0xe7 || tf->command == 0xea;
}

bool ata_write_cache(const AtaState *ata)
{
    return ata->switches.write_cache &&
           ata_has_write_cache(disk_preset(ata->disk));
}

bool ata_look_ahead(const AtaState *ata)
{
    return ata->switches.look_ahead;
}

bool ata_empties_cache(const AtaTaskFile *tf)
{
    switch (tf->command) {
    case 0xe0: case 0x94: case 0xe2: case 0x96:
        return true;
    case ATA_SET_FEATURES:
        return tf->feature[0] == ATA_WRITE_CACHE_OFF;
    default:
        return ata_is_flush(tf);
    }
}

void ata_execute(AtaState *ata, AtaTaskFile *tf, void *data)
{
    const AtaCommand *command = find_command(tf->command);
    bool data_is_right = data || ata_data(tf) == ATA_DATA_NONE;

    if (command && data_is_right && command->run(ata, tf, data)) {
        tf->status = ATA_STATUS_READY;
        tf->error = 0;
    } else {
        tf->status = ATA_STATUS_READY | ATA_STATUS_ERR;
        tf->error = ATA_ERROR_ABRT;
    }
}

void ata_note_op(AtaState *ata, const DiskOp *op)
{
    smart_note_op(ata->smart, sim_now(ata->sim), op);
}

SmartState *ata_smart(AtaState *ata)
{
    return ata->smart;
}

void ata_set_udma(AtaState *ata, unsigned mode)
{
    ata->switches.mode = (uint8_t)(UDMA_MODES | mode);
}

void ata_power_cut(AtaState *ata)
{
    ata->switches.write_cache = ata->switches.look_ahead = true;
}

AtaState *ata_new(Sim *sim, Disk *disk)
{
    AtaState *ata = g_new0(AtaState, 1);

    ata->sim = sim;
    ata->disk = disk;
    ata->switches.smart = true;
    ata->switches.mode = UDMA_MODES | ata_udma_max(disk_preset(disk));
    ata_power_cut(ata);
    ata->power = POWER_ACTIVE;
    ata->smart = smart_new(disk_preset(disk), sim_now(sim));
    return ata;
}

void ata_free(AtaState *ata)
{
    if (ata) {
        smart_free(ata->smart);
        g_free(ata);
    }
}
