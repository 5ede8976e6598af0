/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * region_table.c -- see region_table.h.
 */
#include "tree/region_table.h"

#include <stdio.h>
#include <string.h>

#include "image/image.h"

enum { NONE = UINT32_MAX };

uint64_t
nanoseconds(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Writes `path;name' to `to', cut to its size, on one line. */
static void
join(char *to, const char *path, const char *name)
{
  size_t n = (size_t)snprintf(to, REGION_PATH_BYTES, "%s%s", path,
                              *path == '\0' ? "" : ";");
  for (n = n < REGION_PATH_BYTES ? n : REGION_PATH_BYTES - 1;
       *name != '\0' && n < REGION_PATH_BYTES - 2; name++) {
    if (*name == ';' || *name == '\\')
      to[n++] = '\\';
    to[n++] = *name == '\n' ? ' ' : *name;
  }
  to[n] = '\0';
}

/* Makes room for the region NUMBER.  Returns false without memory. */
static bool
reach(struct region_table *table, uint32_t number)
{
  table->arena.most = (REGIONS + (size_t)1) * sizeof *table->regions;
  return arena_record(&table->arena, number, sizeof *table->regions) != NULL;
}

/* Reserves a place for an empty table, too: later the file may be
 * unreachable. */
void
region_table_map(struct region_table *table)
{
  if (reach(table, 0))
    image_map(&table->arena, table->arena.reserved_bytes, IMAGE_REGIONS,
              image_owner(), sizeof *table->regions);
}

/* Returns true if `name' is a label that becomes KEY=[other]: the last
 * quarter of the table is for regions that are not labels, and for those. */
static bool
is_label_beyond(const struct region_table *table, const char *name)
{
  const char *value = strchr(name, '=');
  return table->count > REGIONS - REGIONS / 4 && value != NULL &&
         strcmp(value, "=[other]") != 0;
}

/* The key of a region in `names'; its path is used up to its end. */
struct region_name {
  uint32_t parent;
  char path[REGION_PATH_BYTES];
  size_t bytes; /* of the members above that are used */
};

static struct region_name
name_in(const struct region_table *table, uint32_t parent, const char *name)
{
  struct region_name key = {.parent = parent};
  join(key.path, table->regions[parent].path, name);
  key.bytes = offsetof(struct region_name, path) + strlen(key.path) + 1;
  return key;
}

/* Returns the number of the region `name' in `parent', a new one if it is
 * new; NONE if the table is full, or the path is as long as it may be. */
static uint32_t
find(struct region_table *table, uint32_t parent, const char *name)
{
  if (table->regions == NULL) {
    if (!reach(table, 0))
      return NONE;
    /* threads that count look whether there are any, without a lock */
    __atomic_store_n(&table->regions, table->arena.base, __ATOMIC_RELEASE);
    table->count = 1;
  }
  struct region_name key = name_in(table, parent, name);
  if (strcmp(key.path, table->regions[parent].path) == 0)
    return NONE;
  uint32_t number = intern_find(&table->names, &key, key.bytes);
  if (number == 0 && is_label_beyond(table, name)) {
    char other[REGION_PATH_BYTES + sizeof "=[other]"];
    snprintf(other, sizeof other, "%.*s=[other]", (int)strcspn(name, "="),
             name);
    key = name_in(table, parent, other);
    number = intern_find(&table->names, &key, key.bytes);
  }
  if (number != 0)
    return number;
  if (table->count > REGIONS || !reach(table, table->count) ||
      intern_bytes(&table->names, &key, key.bytes) == 0)
    return NONE;
  table->regions[table->count].parent = parent;
  strcpy(table->regions[table->count].path, key.path);
  return table->count++;
}

void
region_enter(struct region_table *table, struct region_stack *stack,
             const char *name)
{
  if (stack->depth++ >= REGION_DEPTH)
    return;
  struct open_region *const open = &stack->open[stack->depth - 1];
  const uint32_t number = find(table, stack->region, name);
  open->outer = stack->region;
  open->counted = number != NONE;
  if (open->counted) {
    struct region *r = &table->regions[number];
    stack->region = number;
    r->entered++;
    if (r->first == 0)
      r->first = nanoseconds(CLOCK_REALTIME);
  }
  open->since = nanoseconds(CLOCK_MONOTONIC);
}

uint32_t
region_within(struct region_table *table, uint32_t number, const char *name)
{
  const uint32_t found = find(table, number, name);
  return found == NONE ? number : found;
}

void
region_resume(const struct region_table *table, struct region_stack *stack,
              uint32_t number)
{
  if (stack->depth++ >= REGION_DEPTH)
    return;
  stack->open[stack->depth - 1] =
      (struct open_region){.outer = stack->region};
  if (number < table->count)
    stack->region = number;
}

void
region_leave(struct region_table *table, struct region_stack *stack,
             bool frees)
{
  const uint64_t now = nanoseconds(CLOCK_MONOTONIC);
  if (stack->depth == 0 || --stack->depth >= REGION_DEPTH)
    return;
  const struct open_region *const open = &stack->open[stack->depth];
  if (open->counted) {
    struct region *r = &table->regions[stack->region];
    r->nanoseconds +=
        now - (open->since < table->since ? table->since : open->since);
    r->last = nanoseconds(CLOCK_REALTIME);
    if (frees) {
      const int64_t live = __atomic_load_n(&r->live_bytes, __ATOMIC_RELAXED);
      r->held_bytes = live < 0 ? 0 : (uint64_t)live;
    }
  }
  stack->region = open->outer;
}

void
region_table_clear(struct region_table *table)
{
  table->since = nanoseconds(CLOCK_MONOTONIC);
  for (uint32_t i = 1; i < table->count; i++) {
    struct region *r = &table->regions[i];
    r->entered = r->nanoseconds = r->first = r->last = r->held_bytes = 0;
    r->live_bytes = 0;
  }
}
