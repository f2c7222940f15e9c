/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job: from words to a plan, one complaint at most.
 */
#include <inttypes.h>
#include <string.h>

#include "disk-model/drive/key-source.h"
#include "raid-model/sim/job.h"
#include "raid-model/sim/number.h"

#define COUNT_MAX (UINT64_C(1) << 53)   /* far beyond any run */
#define CLONES_MAX 256

typedef struct Reader {
    const Job *job;
    const JobDefaults *defaults;
    JobPlan *plan;
    uint64_t bytes;             /* of the unit */
    GString *notes;
    GError **error;
} Reader;

static const char *text_of(const Reader *in, JobKey key)
{
    return in->job->word[key].text;
}

char *job_where(const Job *job, JobKey key)
{
    const JobWord *word = &job->word[key];
    const char *name = word->key ? word->key : job_key[key].name;

    return word->file ? g_strdup_printf("%s:%u: %s", word->file, word->line,
                                        name)
                      : g_strdup_printf("--%s", name);
}

/* "WHERE=TEXT: RIGHT".  Always false. */
static bool wrong(const Reader *in, JobKey key, const char *right)
{
    g_autofree char *where = job_where(in->job, key);

    return text_of(in, key)
        ? number_error(in->error, "%s=%s: %s", where, text_of(in, key), right)
        : number_error(in->error, "%s is not given: %s", where, right);
}

static bool take_whole(const Reader *in, JobKey key, uint64_t least,
                       uint64_t most, uint64_t *value)
{
    g_autofree char *right = NULL;

    if (!text_of(in, key)) {
        return true;
    }
    if (key_word_to_whole(text_of(in, key), value) && *value >= least &&
        *value <= most) {
        return true;
    }
    right = most == COUNT_MAX
        ? g_strdup_printf("%" PRIu64 " or more would be right", least)
        : g_strdup_printf("%" PRIu64 " to %" PRIu64 " would be right",
                          least, most);
    return wrong(in, key, right);
}

/* fio's way: a flag alone, or 0 or 1. */
static bool take_flag(const Reader *in, JobKey key, bool *flag)
{
    uint64_t value = *flag;
    bool ok = take_whole(in, key, 0, 1, &value);

    *flag = value;
    return ok;
}

static bool take_time(const Reader *in, JobKey key, SimTime *time)
{
    g_autofree char *where = job_where(in->job, key);

    return !text_of(in, key) ||
           number_time(where, text_of(in, key), time, in->error);
}

/* Bytes, or N% of the unit. */
static bool take_bytes(const Reader *in, JobKey key, uint64_t *bytes)
{
    g_autofree char *where = job_where(in->job, key);
    const char *text = text_of(in, key);
    g_autofree char *number = NULL;
    double percent;

    if (!text || !g_str_has_suffix(text, "%")) {
        return !text || number_bytes(where, text, bytes, in->error);
    }
    number = g_strndup(text, strlen(text) - 1);
    if (!key_word_to_real(number, &percent) || percent < 0 ||
        percent > 100) {
        return wrong(in, key, "0% to 100% would be right");
    }
    *bytes = in->bytes * percent / 100;
    *bytes -= *bytes % DISK_SECTOR_BYTES;
    return true;
}

/* --- sizes ---------------------------------------------------------------- */

static bool take_sectors(const Reader *in, JobKey key, const char *text,
                         uint32_t *sectors)
{
    g_autofree char *where = job_where(in->job, key);
    uint64_t bytes;

    if (!number_bytes(where, text, &bytes, in->error)) {
        return false;
    }
    if (!bytes || bytes % DISK_SECTOR_BYTES || bytes > DRAW_BLOCK_BYTES_MAX) {
        return number_error(in->error, "%s=%s: a multiple of 512 from 512 to "
                            "%u would be right", where, text,
                            DRAW_BLOCK_BYTES_MAX);
    }
    *sectors = bytes / DISK_SECTOR_BYTES;
    return true;
}

static bool take_one(const Reader *in, char *text, DrawSizes *size)
{
    uint32_t sectors;

    if (!take_sectors(in, JOB_BS, text, &sectors)) {
        return false;
    }
    *size = (DrawSizes) { 1, { { sectors, sectors, 100 } } };
    return true;
}

static bool take_range(const Reader *in, char *text, DrawSizes *size)
{
    char *dash = strchr(text, '-');
    DrawLine line = { .percent = 100 };

    if (!dash) {
        return wrong(in, JOB_BS_RANGE, "two sizes, as 4k-64k, would be "
                     "right");
    }
    *dash = 0;
    if (!take_sectors(in, JOB_BS_RANGE, text, &line.least) ||
        !take_sectors(in, JOB_BS_RANGE, dash + 1, &line.most)) {
        return false;
    }
    if (line.least > line.most) {
        return wrong(in, JOB_BS_RANGE, "the smaller size first would be "
                     "right");
    }
    line.most -= line.most % line.least;
    *size = (DrawSizes) { 1, { line } };
    return true;
}

/* "SIZE/PERCENT"; without a percent the line shares what is left over. */
static bool take_line(const Reader *in, char *text, DrawLine *line,
                      bool *open)
{
    char *slash = strchr(text, '/');
    uint64_t percent = 0;

    *open = !slash || !slash[1];
    if (slash) {
        *slash = 0;
    }
    if (!*open && (!key_word_to_whole(slash + 1, &percent) ||
                   percent > 100)) {
        return wrong(in, JOB_BS_SPLIT, "SIZE/PERCENT:..., as "
                     "4k/60:64k/40, would be right");
    }
    if (!take_sectors(in, JOB_BS_SPLIT, text, &line->least)) {
        return false;
    }
    line->most = line->least;
    line->percent = percent;
    return true;
}

static bool take_split(const Reader *in, char *text, DrawSizes *size)
{
    g_auto(GStrv) word = g_strsplit(text, ":", -1);
    unsigned lines = g_strv_length(word), sum = 0, opens = 0;
    bool open[DRAW_LINES_MAX];

    *size = (DrawSizes) { .lines = lines };
    if (!lines || lines > DRAW_LINES_MAX) {
        return wrong(in, JOB_BS_SPLIT, "1 to 64 sizes would be right");
    }
    for (unsigned i = 0; i < lines; i++) {
        if (!take_line(in, word[i], &size->line[i], &open[i])) {
            return false;
        }
        sum += size->line[i].percent;
        opens += open[i];
    }
    if (sum > 100) {
        return wrong(in, JOB_BS_SPLIT, "the percentages add up to more "
                     "than 100");
    }
    for (unsigned i = 0; i < lines; i++) {
        if (open[i]) {
            size->line[i].percent = (100 - sum) / opens;
        }
    }
    return true;
}

typedef bool TakeSizes(const Reader *in, char *text, DrawSizes *size);

/* READS,WRITES,TRIMS: what is empty stays; one word is for all. */
static bool take_parts(const Reader *in, JobKey key, TakeSizes *take)
{
    g_auto(GStrv) part = NULL;
    unsigned parts;

    if (!text_of(in, key)) {
        return true;
    }
    part = g_strsplit(text_of(in, key), ",", -1);
    parts = g_strv_length(part);
    if (parts < 1 || parts > 3) {
        return wrong(in, key, "SIZE or READS,WRITES would be right");
    }
    if ((*part[0] || parts == 1) &&
        !take(in, part[0], &in->plan->draw.size[UNIT_READ])) {
        return false;
    }
    if (parts == 1) {
        in->plan->draw.size[UNIT_WRITE] = in->plan->draw.size[UNIT_READ];
    }
    return parts < 2 || !*part[1] ||
           take(in, part[1], &in->plan->draw.size[UNIT_WRITE]);
}

static bool plan_sizes(Reader *in)
{
    DrawPlan *draw = &in->plan->draw;
    char *fallback = g_strdup(in->defaults->bs);
    const char *text = text_of(in, JOB_BS_SPLIT);

    take_one(in, fallback, &draw->size[UNIT_READ]);
    g_free(fallback);
    draw->size[UNIT_WRITE] = draw->size[UNIT_READ];
    text = text ? text : text_of(in, JOB_BS_RANGE);
    text = text ? text : text_of(in, JOB_BS);
    in->plan->sizes = text ? text : in->defaults->bs;
    if (!take_parts(in, JOB_BS, take_one) ||
        !take_parts(in, JOB_BS_RANGE, take_range) ||
        !take_parts(in, JOB_BS_SPLIT, take_split)) {
        return false;
    }
    draw->align = draw_least(draw);
    return !text_of(in, JOB_ALIGN) ||
           take_sectors(in, JOB_ALIGN, text_of(in, JOB_ALIGN), &draw->align);
}

/* --- which requests ------------------------------------------------------- */

static bool plan_pattern(Reader *in)
{
    static const struct {
        const char *rw;
        unsigned reads, randoms;
    } pattern[] = {
        { "read", 100, 0 }, { "write", 0, 0 }, { "rw", 50, 0 },
        { "readwrite", 50, 0 }, { "randread", 100, 100 },
        { "randwrite", 0, 100 }, { "randrw", 50, 100 },
    };
    const char *rw = text_of(in, JOB_RW);
    DrawPlan *draw = &in->plan->draw;

    rw = rw ? rw : in->defaults->rw;
    for (unsigned i = 0; i < G_N_ELEMENTS(pattern); i++) {
        if (!strcmp(rw, pattern[i].rw)) {
            in->plan->rw = pattern[i].rw;
            draw->read_percent = pattern[i].reads;
            draw->random_percent = pattern[i].randoms;
            return true;
        }
    }
    if (strstr(rw, "trim")) {
        return wrong(in, JOB_RW, "trim is not modelled; right would be read, "
                     "write, rw, randread, randwrite, randrw");
    }
    return wrong(in, JOB_RW, strchr(rw, ':')
                 ? "no number behind the load is modelled; right would be "
                   "read, write, rw, randread, randwrite, randrw"
                 : "no such load; right would be read, write, rw, randread, "
                   "randwrite, randrw");
}

static bool plan_mix(Reader *in)
{
    DrawPlan *draw = &in->plan->draw;
    bool mixed = draw->read_percent == 50;
    uint64_t reads = 50, writes = 50;
    JobKey key = text_of(in, JOB_MIX_READ) ? JOB_MIX_READ : JOB_MIX_WRITE;

    if (!take_whole(in, JOB_MIX_WRITE, 0, 100, &writes)) {
        return false;
    }
    reads = 100 - writes;
    if (!take_whole(in, JOB_MIX_READ, 0, 100, &reads)) {
        return false;
    }
    if (mixed) {
        draw->read_percent = reads;
    } else if (text_of(in, key) && !in->job->word[key].file) {
        /* Job files have it as a default for some of their jobs. */
        return wrong(in, key, "needs --rw=rw or randrw");
    }
    return true;
}

static bool plan_spread(Reader *in)
{
    DrawPlan *draw = &in->plan->draw;
    const char *text = text_of(in, JOB_SPREAD);
    const char *colon = text ? strchr(text, ':') : NULL;
    bool zipf = text && g_str_has_prefix(text, "zipf:");

    if (!text || !strcmp(text, "random")) {
        return true;
    }
    if (g_str_has_prefix(text, "zoned:") ||
        g_str_has_prefix(text, "zoned_abs:")) {
        draw->spread = DRAW_ZONED;      /* see plan_zones() */
        return true;
    }
    if (!zipf && !g_str_has_prefix(text, "pareto:")) {
        return wrong(in, JOB_SPREAD, "not modelled; right would be random, "
                     "zipf:THETA, pareto:SHARE or zoned:N/N:...");
    }
    if (!key_word_to_real(colon + 1, &draw->skew) || draw->skew <= 0 ||
        draw->skew > (zipf ? 10 : 0.999)) {
        return wrong(in, JOB_SPREAD, zipf
                     ? "more than 0, up to 10, as in zipf:1.1, would be right"
                     : "more than 0, less than 1, as in pareto:0.2, would be "
                       "right");
    }
    draw->spread = zipf ? DRAW_ZIPF : DRAW_PARETO;
    return true;
}

static bool plan_order(Reader *in)
{
    DrawPlan *draw = &in->plan->draw;
    uint64_t randoms = 100, seed = in->defaults->seed;
    bool no_map = text_of(in, JOB_ALIGN) != NULL, sync = false;
    const char *how = text_of(in, JOB_SYNC);

    if (!take_whole(in, JOB_RANDOM_PERCENT, 0, 100, &randoms) ||
        !take_flag(in, JOB_NO_MAP, &no_map) ||
        !take_whole(in, JOB_SEED, 0, G_MAXINT64, &seed)) {
        return false;
    }
    if (how && (!strcmp(how, "sync") || !strcmp(how, "dsync"))) {
        sync = true;
    } else if (how && strcmp(how, "none") &&
               !take_flag(in, JOB_SYNC, &sync)) {
        return false;
    }
    draw->random_percent = draw->random_percent ? randoms : 0;
    draw->map = !no_map;
    in->plan->seed = seed ^ 0x776f726b;         /* not the spindles' numbers */
    in->plan->op_flags = sync ? UNIT_FUA : 0;
    return true;
}

static bool plan_depth(Reader *in)
{
    static const char *const sync_engine[] = {
        "sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", NULL
    };
    const char *engine = text_of(in, JOB_ENGINE);
    uint64_t depth = 1, clones = 1;

    if (!take_whole(in, JOB_DEPTH, 1, JOB_DEPTH_MAX, &depth) ||
        !take_whole(in, JOB_CLONES, 1, CLONES_MAX, &clones) ||
        !take_flag(in, JOB_STONEWALL, &in->plan->stonewall) ||
        !take_flag(in, JOB_GROUP, &in->plan->grouped)) {
        return false;
    }
    if (depth > 1 && engine && g_strv_contains(sync_engine, engine)) {
        g_string_append_printf(in->notes, "[%s] ioengine=%s keeps one "
                               "request going, whatever iodepth says\n",
                               in->job->name, engine);
        depth = 1;
    }
    in->plan->depth = depth;
    in->plan->clones = clones;
    return true;
}

/* --- where and how long --------------------------------------------------- */

static bool plan_region(Reader *in)
{
    DrawPlan *draw = &in->plan->draw;
    uint64_t offset = 0, size, step = 0, room;
    g_autofree char *right = NULL;

    if (!take_bytes(in, JOB_OFFSET, &offset) ||
        !take_bytes(in, JOB_OFFSET_STEP, &step)) {
        return false;
    }
    if (offset >= in->bytes || offset % DISK_SECTOR_BYTES) {
        right = g_strdup_printf("a multiple of 512 within the unit's %"
                                PRIu64 " bytes would be right", in->bytes);
        return wrong(in, JOB_OFFSET, right);
    }
    room = in->bytes - offset;
    if (step % DISK_SECTOR_BYTES || step >= room ||
        step * (in->plan->clones - 1) >= room) {
        return wrong(in, JOB_OFFSET_STEP, "a multiple of 512 that leaves "
                     "the last job within the unit would be right");
    }
    room -= step * (in->plan->clones - 1);
    size = room;
    if (!take_bytes(in, JOB_SIZE, &size)) {
        return false;
    }
    /* size=100% with an offset is what is left. */
    if (text_of(in, JOB_SIZE) && strchr(text_of(in, JOB_SIZE), '%')) {
        size = MIN(size, room);
    }
    if (size > room || size / DISK_SECTOR_BYTES < draw_most(draw)) {
        right = g_strdup_printf("from one request to the unit's %" PRIu64
                                " bytes would be right", room);
        return wrong(in, JOB_SIZE, right);
    }
    draw->first = offset / DISK_SECTOR_BYTES;
    draw->sectors = size / DISK_SECTOR_BYTES;
    in->plan->offset_step = step / DISK_SECTOR_BYTES;
    if (draw_bitmap_blocks(draw) > DRAW_MAP_BLOCKS_MAX) {
        return wrong(in, JOB_SIZE, "too many blocks to keep a map of those "
                     "that are used; norandommap or a smaller size would be "
                     "right");
    }
    return true;
}

/* "REQUESTS/REGION": percent, or bytes of the region; without the second it
 * shares what is left over. */
static bool take_zone(const Reader *in, char *text, bool bytes,
                      DrawZone *zone)
{
    static const char right[] = "REQUESTS%/REGION%:..., as zoned:50/5:30/15:"
        "20/80, or zoned_abs:50/10g:50/90g, would be right";
    char *slash = strchr(text, '/');
    uint64_t requests, region;

    if (!slash || !(*slash = 0, key_word_to_whole(text, &requests)) ||
        requests > 100) {
        return wrong(in, JOB_SPREAD, right);
    }
    zone->percent = requests;
    if (!slash[1]) {
        return true;
    }
    if (bytes) {
        g_autofree char *where = job_where(in->job, JOB_SPREAD);

        if (!number_bytes(where, slash + 1, &region, in->error)) {
            return false;
        }
        zone->sectors = region / DISK_SECTOR_BYTES;
    } else if (key_word_to_whole(slash + 1, &region) && region <= 100) {
        zone->sectors = in->plan->draw.sectors * region / 100;
    } else {
        return wrong(in, JOB_SPREAD, right);
    }
    return zone->sectors || wrong(in, JOB_SPREAD, "a zone is empty");
}

/* Needs the region. */
static bool plan_zones(Reader *in)
{
    DrawPlan *draw = &in->plan->draw;
    const char *text = text_of(in, JOB_SPREAD);
    g_auto(GStrv) word = NULL;
    uint64_t sectors = 0;
    unsigned percent = 0, open = 0;

    if (draw->spread != DRAW_ZONED) {
        return true;
    }
    word = g_strsplit(strchr(text, ':') + 1, ":", -1);
    draw->zones = g_strv_length(word);
    if (!draw->zones || draw->zones > DRAW_ZONES_MAX || strchr(text, ',')) {
        return wrong(in, JOB_SPREAD, "1 to 64 zones, for reads and writes "
                     "alike, would be right");
    }
    for (unsigned i = 0; i < draw->zones; i++) {
        if (!take_zone(in, word[i], text[5] == '_', &draw->zone[i])) {
            return false;
        }
        percent += draw->zone[i].percent;
        sectors += draw->zone[i].sectors;
        open += !draw->zone[i].sectors;
    }
    if (percent > 100 || sectors > draw->sectors) {
        return wrong(in, JOB_SPREAD, "the zones are more than there is");
    }
    for (unsigned i = 0; i < draw->zones; i++) {
        if (!draw->zone[i].sectors) {
            draw->zone[i].sectors = (draw->sectors - sectors) / open;
        }
    }
    return true;
}

static bool positive(const Reader *in, JobKey key, uint64_t value)
{
    g_autofree char *where = job_where(in->job, key);

    return !text_of(in, key) || value ||
           number_error(in->error, "%s is 0: more would be right", where);
}

static bool plan_limits(Reader *in)
{
    JobPlan *plan = in->plan;
    uint64_t loops = 1, bytes = 0;
    bool time_based = false;

    if (text_of(in, JOB_SIZE)) {
        bytes = plan->draw.sectors * DISK_SECTOR_BYTES;
    }
    if (!take_whole(in, JOB_NUMBER, 1, COUNT_MAX, &plan->requests_max) ||
        !take_whole(in, JOB_LOOPS, 1, 1000000, &loops) ||
        !take_bytes(in, JOB_IO_SIZE, &bytes) ||
        !positive(in, JOB_IO_SIZE, bytes) ||
        !take_time(in, JOB_RUNTIME, &plan->time_max) ||
        !positive(in, JOB_RUNTIME, plan->time_max) ||
        !take_flag(in, JOB_TIME_BASED, &time_based) ||
        !take_time(in, JOB_RAMP, &plan->ramp) ||
        !take_time(in, JOB_DELAY, &plan->delay)) {
        return false;
    }
    if (time_based && !plan->time_max) {
        return wrong(in, JOB_TIME_BASED, "needs a runtime");
    }
    if (!text_of(in, JOB_IO_SIZE)) {
        bytes = MIN(bytes, COUNT_MAX / loops) * loops;
    }
    plan->bytes_max = time_based ? 0 : bytes;
    if (!plan->requests_max && !plan->bytes_max && !plan->time_max) {
        plan->requests_max = JOB_REQUESTS_DEFAULT;
    }
    return true;
}

bool job_plan(const Job *job, const JobDefaults *defaults, uint64_t bytes,
              JobPlan *plan, GString *notes, GError **error)
{
    Reader in = {
        .job = job, .defaults = defaults, .plan = plan, .bytes = bytes,
        .notes = notes, .error = error,
    };

    *plan = (JobPlan) { .job = job };
    return plan_pattern(&in) && plan_mix(&in) && plan_sizes(&in) &&
           plan_spread(&in) && plan_order(&in) && plan_depth(&in) &&
           plan_region(&in) && plan_zones(&in) && plan_limits(&in);
}
