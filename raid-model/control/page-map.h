/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page map - the pages a cache holds, by number, and which of them are
 * ready to leave, in order.
 *
 * A page is eight sectors; what each holds is in masks.  Pages are used
 * again, so a cache that was full once allocates nothing.
 */
#ifndef RAID_CONTROL_PAGE_MAP_H
#define RAID_CONTROL_PAGE_MAP_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define PAGE_SECTORS 8u
#define PAGE_NONE UINT64_MAX

typedef struct CachePage CachePage;
struct CachePage {
    uint64_t number;
    uint64_t born;
    uint8_t valid;              /* sectors that hold something newer */
    uint8_t dirty;              /* not yet on its way */
    uint8_t leaving;            /* on its way to the unit */
    unsigned pins;              /* reads that began when it was here */
    uint8_t *data;
    CachePage *next;            /* idle */
};

#define PAGE_LEVELS 6           /* 64^6 pages */

typedef struct PageMap {
    GHashTable *page;
    uint64_t *level[PAGE_LEVELS];       /* bits: ready; above: any below */
    unsigned levels;
    CachePage *idle;
    GPtrArray *slabs;
} PageMap;

void page_map_init(PageMap *map, uint64_t pages);
void page_map_clear(PageMap *map);

CachePage *page_map_find(const PageMap *map, uint64_t number);  /* or NULL */
/* All its masks are 0. */
CachePage *page_map_add(PageMap *map, uint64_t number);
void page_map_drop(PageMap *map, CachePage *page);
unsigned page_map_count(const PageMap *map);

void page_map_set_ready(PageMap *map, uint64_t number, bool ready);
/* The first that is ready at or after; PAGE_NONE. */
uint64_t page_map_next_ready(const PageMap *map, uint64_t number);

#endif
