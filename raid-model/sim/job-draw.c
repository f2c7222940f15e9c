/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job draw: sizes, directions, places.
 */
#include <math.h>
#include <string.h>

#include "raid-model/sim/job-draw.h"

G_STATIC_ASSERT(UNIT_READ < DRAW_SIDES && UNIT_WRITE < DRAW_SIDES);

static bool is_drawn(const DrawPlan *plan, unsigned side)
{
    return side == UNIT_READ ? plan->read_percent > 0
                             : plan->read_percent < 100;
}

DrawPlan draw_plain(unsigned read_percent, bool random,
                    uint32_t block_sectors, uint64_t sectors)
{
    DrawSizes size = {
        .lines = 1, .line[0] = { block_sectors, block_sectors, 100 },
    };

    return (DrawPlan) {
        .size = { size, size }, .read_percent = read_percent,
        .random_percent = random ? 100 : 0, .align = block_sectors,
        .sectors = sectors,
    };
}

uint32_t draw_least(const DrawPlan *plan)
{
    uint32_t least = UINT32_MAX;

    for (unsigned i = 0; i < DRAW_SIDES; i++) {
        for (unsigned j = 0; is_drawn(plan, i) && j < plan->size[i].lines;
             j++) {
            least = MIN(least, plan->size[i].line[j].least);
        }
    }
    return least;
}

uint32_t draw_most(const DrawPlan *plan)
{
    uint32_t most = 0;

    for (unsigned i = 0; i < DRAW_SIDES; i++) {
        for (unsigned j = 0; is_drawn(plan, i) && j < plan->size[i].lines;
             j++) {
            most = MAX(most, plan->size[i].line[j].most);
        }
    }
    return most;
}

static bool has_map(const DrawPlan *plan)
{
    return plan->map && plan->random_percent &&
           plan->spread == DRAW_UNIFORM;
}

uint64_t draw_bitmap_blocks(const DrawPlan *plan)
{
    uint32_t least = draw_least(plan);

    return has_map(plan) && (least != draw_most(plan) ||
                             plan->random_percent < 100)
        ? plan->sectors / least : 0;
}

/* --- Zipf ------------------------------------------------------------------
 *
 * Rejection-inversion (Hoermann and Derflinger 1996): exact for any theta
 * and any number of places, without a table.
 */

static double zipf_density(const Draw *draw, double x)
{
    return exp(-draw->plan.skew * log(x));
}

static double zipf_integral(const Draw *draw, double x)
{
    double rest = 1 - draw->plan.skew;

    return fabs(rest) < 1e-9 ? log(x) : expm1(rest * log(x)) / rest;
}

static double zipf_inverse(const Draw *draw, double y)
{
    double rest = 1 - draw->plan.skew;

    return fabs(rest) < 1e-9 ? exp(y)
                             : exp(log1p(MAX(y * rest, -1)) / rest);
}

static void zipf_init(Draw *draw)
{
    draw->zipf_from = zipf_integral(draw, 1.5) - 1;
    draw->zipf_to = zipf_integral(draw, draw->places + 0.5);
    draw->zipf_sure = 2 - zipf_inverse(draw, zipf_integral(draw, 2.5) -
                                             zipf_density(draw, 2));
}

/* In [0, 1). */
static double fraction(Draw *draw)
{
    return ldexp(sim_random(draw->chance, UINT64_C(1) << 53), -53);
}

static uint64_t zipf_rank(Draw *draw)
{
    for (;;) {
        double y = draw->zipf_to +
                   fraction(draw) * (draw->zipf_from - draw->zipf_to);
        double x = zipf_inverse(draw, y);
        double rank = floor(CLAMP(x, 1, draw->places) + 0.5);

        rank = MIN(rank, draw->places);
        if (rank - x <= draw->zipf_sure ||
            y >= zipf_integral(draw, rank + 0.5) -
                 zipf_density(draw, rank)) {
            return rank - 1;
        }
    }
}

/* `skew` of the places get 1 - `skew` of the requests, at every scale. */
static uint64_t pareto_rank(Draw *draw)
{
    double power = log(draw->plan.skew) / log(1 - draw->plan.skew);
    uint64_t rank = draw->places * pow(fraction(draw), power);

    return MIN(rank, draw->places - 1);
}

/* The zone, then where in it a request may start. */
static uint64_t zoned_place(Draw *draw)
{
    const DrawPlan *plan = &draw->plan;
    const DrawZone *zone = plan->zone, *last = &zone[plan->zones - 1];
    unsigned left = sim_random(draw->chance, 100);
    uint64_t from = 0, places;

    while (left >= zone->percent && zone < last) {
        left -= zone->percent;
        from += zone->sectors;
        zone++;
    }
    places = zone->sectors / plan->align;
    return from / plan->align + (places ? sim_random(draw->chance, places)
                                        : 0);
}

/* --- a request ------------------------------------------------------------ */

static uint32_t draw_size(Draw *draw, const DrawSizes *size)
{
    const DrawLine *line = size->line;

    if (size->lines > 1) {
        unsigned left = sim_random(draw->chance, 100);

        while (left >= line->percent &&
               line < &size->line[size->lines - 1]) {
            left -= line->percent;
            line++;
        }
    }
    return line->least == line->most ? line->least
        : line->least * (1 + sim_random(draw->chance,
                                        line->most / line->least));
}

/* Fixed blocks, all random: a permutation. */
static uint64_t next_in_order(Draw *draw)
{
    if (draw->drawn == draw->places) {
        draw->drawn = 0;
        draw->pass++;
        permutation_init(&draw->order, draw->places,
                         draw->seed + draw->pass);
    }
    return permutation_at(&draw->order, draw->drawn++);
}

static uint64_t next_in_map(Draw *draw, uint64_t from, uint32_t *count)
{
    uint32_t block = draw->plan.align;
    uint64_t at, taken;

    if (!job_map_free_blocks(draw->map)) {
        job_map_clear(draw->map);
    }
    at = job_map_find(draw->map, from);
    taken = job_map_take(draw->map, at, (*count + block - 1) / block);
    *count = MIN(*count, taken * block);
    return at * block;
}

static uint64_t random_place(Draw *draw, uint32_t count)
{
    const DrawPlan *plan = &draw->plan;
    uint64_t last = (plan->sectors - count) / plan->align, place;

    if (plan->spread == DRAW_UNIFORM) {
        place = sim_random(draw->chance, last + 1);
    } else if (plan->spread == DRAW_ZONED) {
        place = zoned_place(draw);
    } else {
        place = permutation_at(&draw->order, plan->spread == DRAW_ZIPF
                               ? zipf_rank(draw) : pareto_rank(draw));
    }
    return MIN(place, last) * plan->align;
}

void draw_next(Draw *draw, UnitOp *op)
{
    const DrawPlan *plan = &draw->plan;
    bool read = plan->read_percent == 100 ||
        (plan->read_percent &&
         sim_random(draw->chance, 100) < plan->read_percent);
    unsigned side = read ? UNIT_READ : UNIT_WRITE;
    uint32_t count = draw_size(draw, &plan->size[side]);
    bool is_random = plan->random_percent == 100 ||
        (plan->random_percent &&
         sim_random(draw->chance, 100) < plan->random_percent);
    uint64_t at = draw->next[side];

    if (!is_random && at + count > plan->sectors) {
        at = 0;
    }
    if (draw->map) {
        at = next_in_map(draw, is_random
                         ? sim_random(draw->chance, draw->places)
                         : at / plan->align, &count);
    } else if (is_random) {
        at = has_map(plan) ? next_in_order(draw) * plan->align
                           : random_place(draw, count);
    }
    draw->next[side] = at + count;
    op->verb = side;
    op->lba = plan->first + at;
    op->count = count;
}

/* --- life ----------------------------------------------------------------- */

void draw_init(Draw *draw, const DrawPlan *plan, uint64_t seed)
{
    uint64_t bits = draw_bitmap_blocks(plan);

    *draw = (Draw) { .plan = *plan, .seed = seed, .chance = sim_new(seed) };
    g_assert(plan->align && draw_most(plan) &&
             plan->sectors >= draw_most(plan));
    if (has_map(plan)) {
        draw->plan.align = draw_least(plan);
    }
    draw->places = plan->sectors / draw->plan.align;
    if (bits) {
        draw->map = job_map_new(bits);
    }
    permutation_init(&draw->order, draw->places, seed);
    if (plan->spread == DRAW_ZIPF) {
        zipf_init(draw);
    }
}

void draw_clear(Draw *draw)
{
    sim_free(draw->chance);
    job_map_free(draw->map);
    draw->chance = NULL;
    draw->map = NULL;
}
