/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page map: a hash table, and a tree of bits in which each word's bit in the
 * level above says that the word is not zero.
 */
#include "raid-model/control/page-map.h"

#include "disk-model/media/media.h"

#define SLAB_PAGES 64u
#define PAGE_BYTES (PAGE_SECTORS * DISK_SECTOR_BYTES)

void page_map_init(PageMap *map, uint64_t pages)
{
    uint64_t words = pages;

    *map = (PageMap) { .page = g_hash_table_new(NULL, NULL) };
    map->slabs = g_ptr_array_new_with_free_func(g_free);
    do {
        words = (words + 63) / 64;
        g_assert(map->levels < PAGE_LEVELS);
        /* One more, for who looks just past the end. */
        map->level[map->levels++] = g_new0(uint64_t, words + 1);
    } while (words > 1);
}

void page_map_clear(PageMap *map)
{
    for (unsigned i = 0; i < map->levels; i++) {
        g_free(map->level[i]);
    }
    g_hash_table_unref(map->page);
    g_ptr_array_unref(map->slabs);
}

static void *key(uint64_t number)
{
    return (void *)(uintptr_t)(number + 1);
}

CachePage *page_map_find(const PageMap *map, uint64_t number)
{
    return g_hash_table_lookup(map->page, key(number));
}

static void add_slab(PageMap *map)
{
    CachePage *pages = g_new0(CachePage, SLAB_PAGES);
    uint8_t *data = g_malloc((size_t)SLAB_PAGES * PAGE_BYTES);

    g_ptr_array_add(map->slabs, pages);
    g_ptr_array_add(map->slabs, data);
    for (unsigned i = 0; i < SLAB_PAGES; i++) {
        pages[i].data = data + (size_t)i * PAGE_BYTES;
        pages[i].next = map->idle;
        map->idle = &pages[i];
    }
}

CachePage *page_map_add(PageMap *map, uint64_t number)
{
    CachePage *page;

    if (!map->idle) {
        add_slab(map);
    }
    page = map->idle;
    map->idle = page->next;
    *page = (CachePage) { .number = number, .data = page->data };
    g_hash_table_insert(map->page, key(number), page);
    return page;
}

void page_map_drop(PageMap *map, CachePage *page)
{
    g_hash_table_remove(map->page, key(page->number));
    page->next = map->idle;
    map->idle = page;
}

unsigned page_map_count(const PageMap *map)
{
    return g_hash_table_size(map->page);
}

void page_map_set_ready(PageMap *map, uint64_t number, bool ready)
{
    for (unsigned i = 0; i < map->levels; i++) {
        uint64_t *word = &map->level[i][number / 64];
        uint64_t before = *word, bit = (uint64_t)1 << number % 64;

        *word = ready ? before | bit : before & ~bit;
        if (!before == !*word) {
            return;
        }
        number /= 64;
    }
}

/* Up until some word has a bit further on, then down to the lowest. */
uint64_t page_map_next_ready(const PageMap *map, uint64_t number)
{
    unsigned i;

    for (i = 0; i < map->levels; i++) {
        uint64_t left = map->level[i][number / 64] &
                        ~(uint64_t)0 << number % 64;

        if (left) {
            number = number / 64 * 64 + (unsigned)__builtin_ctzll(left);
            break;
        }
        number = number / 64 + 1;
    }
    if (i == map->levels) {
        return PAGE_NONE;
    }
    while (i-- > 0) {
        number = number * 64 +
                 (unsigned)__builtin_ctzll(map->level[i][number]);
    }
    return number;
}
