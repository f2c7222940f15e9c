/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of the rules of trouble, shared by fault.c (who is struck, and
 * when) and fault-words.c (how rules are written).  Nobody else includes it.
 */
#ifndef DISK_WORLD_FAULT_PRIVATE_H
#define DISK_WORLD_FAULT_PRIVATE_H

#include "disk-model/world/fault.h"
#include "disk-model/world/sim-private.h"

#define FAULT_ON_ANY (FAULT_ON_READ | FAULT_ON_WRITE | FAULT_ON_OTHER)

typedef enum FaultTakes {
    FAULT_TAKES_NOTHING, FAULT_TAKES_TIME, FAULT_TAKES_NUMBER,
    FAULT_TAKES_CODE,
} FaultTakes;

typedef enum FaultOption {
    FAULT_AT = 1, FAULT_ON = 2, FAULT_AFTER = 4, FAULT_TIMES = 8,
    FAULT_FROM = 16, FAULT_FOR = 32, FAULT_CHANCE = 64, FAULT_ALWAYS = 128,
    FAULT_AT_MUST = 256, FAULT_OVER = 512, FAULT_SOURCE = 1024,
    FAULT_FOR_MUST = 2048,
} FaultOption;

/* What a word of trouble is about. */
typedef struct FaultWord {
    const char *name;
    FaultPlace place;
    FaultTakes takes;
    FaultActor actor;           /* who does it; nobody: it is asked for */
    unsigned options;           /* FaultOption */
    unsigned on;                /* what can show it, or is counted by after */
    unsigned times;             /* unless told; 0: without end */
} FaultWord;

extern const FaultWord fault_word[FAULT_WHATS];

#define FAULT_OVER_NONE UINT64_MAX

typedef struct FaultRule {
    FaultWhat what;
    unsigned port, on;
    uint64_t first, last;
    bool always;                /* bad: writing does not mend it */
    SimTime ns;                 /* slow */
    uint64_t number;            /* retries, grows */
    uint64_t over;              /* crc: in faster modes than this; NONE */
    uint64_t after, times;      /* times: 0 without end */
    SimTime from, until;
    double chance;
    bool begun;                 /* an act that lasts */
} FaultRule;

struct SimFaults {
    FaultRule rule[FAULT_RULES_MAX];
    unsigned rules;
    uint64_t chance;
    Sim *sim;
    SimEvent acts;              /* the next is due */
};

static inline FaultActor fault_actor(const FaultRule *rule)
{
    return fault_word[rule->what].actor;
}

/* A rule from a line; false and one line in `error`. */
bool fault_read(const char *line, SimTime now, FaultRule *rule,
                GError **error);
/* The same line, with what is left of it, and its end. */
void fault_write(const FaultRule *rule, GString *out);

bool fault_wrong(GError **error, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

#endif
