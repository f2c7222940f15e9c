/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fault - the door of trouble: rules of what goes wrong, and the one
 * question the models ask.
 *
 *   PLACE WHAT [at FIRST[-LAST]] [on read|write|any] [after N] [times N]
 *         [from TIME] [for TIME] [chance P]
 *
 *   port 2 bad at 5000-5007          unreadable until written again
 *   port 2 bad at 5000 always        whatever is written
 *   port 2 bad at 5000 times 1       once
 *   port 2 slow 30ms on read         so much more for each
 *   port 2 slow 90s times 1          a stall
 *   port 2 hang times 1              never ends, unless the card resets it
 *   port 2 dead                      answers nothing but failure
 *   port 2 stale at 128-255          writes are acknowledged, not done
 *   port 2 flip at 700               a bit is turned on the medium, once
 *
 *   port 2 crc times 3               transfers that have to be repeated
 *   port 2 crc over 4                ... in a faster mode than UDMA 4
 *   port 2 retries 8 at 700          so many turns more to read it
 *   port 2 grows 3                   so many sectors, anywhere, are bad now
 *   port 2 gone from 20s for 25s     pulled, and plugged again
 *   card stall 90s                   its firmware does nothing for so long
 *   card hang                        nor later, until it is reset
 *   card aen 0x21 port 3             an event nobody has cause for
 *   host lost-interrupt times 1      the line is not raised
 *   host queue-full for 1s           the command queue
 *   host parity                      an error in the status register; also
 *                                    pci-abort, queue-error, sbuf,
 *                                    microcontroller
 *   card power-cut after 100         when drives have ended so many writes
 *
 * `at` counts sectors of the drive and defaults to all of it, `on` to any
 * (bad, flip: read; stale: write).  `after N` lets N matching ops pass,
 * `times N` ends the rule when it has struck so often (flip: 1), `from` and
 * `for` bound it in time (20s, 5ms, 100us), `chance 0.01` strikes one in a
 * hundred of the rest.  The same words serve scenarios, QEMU's `fault`
 * property and the tests.
 *
 * What no drive is asked for is an act: somebody has registered to do it at
 * `from`, or when the drives of the place have ended `after` writes.
 *
 * Without rules nothing is asked, nothing is spent and no chance is drawn;
 * the chance of rules is a stream of its own.
 */
#ifndef DISK_WORLD_FAULT_H
#define DISK_WORLD_FAULT_H

#include <glib.h>

#include "disk-model/world/sim.h"

#define FAULT_RULES_MAX 64

/* What is about to end; flags, so that a rule can mean several. */
#define FAULT_ON_READ  1u
#define FAULT_ON_WRITE 2u
#define FAULT_ON_OTHER 4u

typedef enum FaultPlace { FAULT_PORT, FAULT_CARD, FAULT_HOST } FaultPlace;

/* Who does what no model asks for. */
typedef enum FaultActor {
    FAULT_NO_ACTOR, FAULT_ACTOR_CARD, FAULT_ACTOR_HOST, FAULT_ACTOR_POWER,
    FAULT_ACTORS
} FaultActor;

typedef enum FaultWhat {
    FAULT_BAD, FAULT_SLOW, FAULT_HANG, FAULT_DEAD, FAULT_STALE, FAULT_FLIP,
    FAULT_CRC, FAULT_RETRIES, FAULT_GROWS,
    FAULT_GONE, FAULT_CARD_STALL, FAULT_CARD_HANG, FAULT_CARD_AEN,
    FAULT_POWER_CUT,
    FAULT_LOST_INTERRUPT, FAULT_QUEUE_FULL, FAULT_PARITY, FAULT_PCI_ABORT,
    FAULT_QUEUE_ERROR, FAULT_SBUF, FAULT_MICROCONTROLLER,
    FAULT_WHATS
} FaultWhat;

typedef struct FaultAsk {
    unsigned port;
    unsigned on;                /* one of FAULT_ON_... */
    uint64_t first, count;      /* 0, 0 for OTHER */
    uint64_t sectors;           /* of the drive */
} FaultAsk;

typedef struct FaultAnswer {
    bool dead;
    bool hang;                  /* it never ends */
    bool bad;                   /* `at` cannot be read */
    uint64_t at;                /* the lowest such */
    bool stale;                 /* nothing of it is written */
    bool flip;                  /* a bit of `flip_at` has turned */
    uint64_t flip_at;
    uint64_t turns;             /* more, of all its sectors together, */
    uint64_t turns_most;        /* and of the worst, */
    uint64_t turns_at;          /* which is this one */
    SimTime more_ns;            /* before it ends */
} FaultAnswer;

typedef struct FaultAct {
    FaultWhat what;
    bool over;                  /* its `for` has passed, or it is cleared */
    unsigned port;              /* GONE; the source of an AEN */
    SimTime ns;                 /* STALL: so long */
    uint64_t number;            /* AEN: its code */
} FaultAct;

/*
 * `act` is to do what a rule says, when it is due: in an event, where it may
 * order and clear.  Registering spends nothing; NULL: nobody.
 */
void fault_on_act(Sim *sim, FaultActor actor,
                  void (*act)(void *opaque, const FaultAct *act),
                  void *opaque);

/* Whether a line is a rule; false and one line in `error`. */
bool fault_is_right(const char *line, GError **error);
/*
 * A rule from a line of those words.  False, nothing changed and one line in
 * `error`: what is wrong, what would be right.  So too when nobody is
 * registered to do it.
 */
bool fault_order(Sim *sim, const char *line, GError **error);
bool fault_any(const Sim *sim);
/* Each rule that strikes counts one.  Once for each op. */
FaultAnswer fault_ask(Sim *sim, const FaultAsk *ask);
/* Whether data crosses the cable wrong, in such an Ultra DMA mode.  Once for
 * each transfer. */
bool fault_ask_crc(Sim *sim, const FaultAsk *ask, unsigned udma);
/* Whether a rule without a place among sectors strikes: LOST_INTERRUPT. */
bool fault_ask_host(Sim *sim, FaultWhat what);
/* The range holds something new: what was bad until then is good. */
void fault_written(Sim *sim, unsigned port, uint64_t first, uint64_t count);
/* The lines, as ordered, one each, with what is left of them. */
void fault_list(const Sim *sim, GString *out);
void fault_clear(Sim *sim);

#define FAULT_ERROR fault_error_quark()
GQuark fault_error_quark(void);

#endif
