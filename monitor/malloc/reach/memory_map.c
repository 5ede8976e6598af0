/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * memory_map.c -- see memory_map.h.
 */
#include "malloc/reach/memory_map.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, LINE_BYTES = 8192, ENTRIES = 512 };

/* Of the kernel's 64 bits for a page. */
#define PAGE_IS_THERE (UINT64_C(3) << 62) /* in memory, or swapped out */

static bool
add_mapping(struct memory_map *map, uintptr_t start, uintptr_t end)
{
  if (map->count > 0 && map->mappings[map->count - 1].end == start) {
    map->mappings[map->count - 1].end = end;
    return true;
  }
  if (arena_grow(&map->arena, (map->count + 1) * sizeof *map->mappings) != 0)
    return false;
  map->mappings = map->arena.base;
  map->mappings[map->count++] = (struct mapping){.start = start, .end = end};
  return true;
}

/* A line: START-END FLAGS and more, where FLAGS are such as "rw-p". */
static bool
read_line(struct memory_map *map, const char *line)
{
  char *at;
  const uintptr_t start = strtoul(line, &at, 16);
  const uintptr_t end = strtoul(at + 1, &at, 16);
  return at[1] != 'r' || at[2] != 'w' || at[4] != 'p' ||
         add_mapping(map, start, end);
}

static bool
read_lines(struct memory_map *map, int file)
{
  char text[LINE_BYTES + 1];
  size_t length = 0;
  for (;;) {
    const ssize_t got = read(file, text + length, LINE_BYTES - length);
    char *line = text, *newline;
    if (got <= 0)
      return got == 0 && length == 0;
    length += (size_t)got;
    text[length] = '\0';
    for (; (newline = strchr(line, '\n')) != NULL; line = newline + 1)
      if (!read_line(map, line))
        return false;
    length -= (size_t)(line - text);
    memmove(text, line, length);
  }
}

/* Those of this thread: the first one, which /proc/self is, may have ended. */
bool
memory_map_read(struct memory_map *map)
{
  const int file = open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
  bool read;
  *map = (struct memory_map){.pages = -1};
  if (file < 0)
    return false;
  read = read_lines(map, file);
  close(file);
  if (read)
    map->pages = open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC);
  return map->pages >= 0;
}

void
memory_map_release(struct memory_map *map)
{
  if (map->pages >= 0)
    close(map->pages);
  arena_release(&map->arena);
  *map = (struct memory_map){.pages = -1};
}

/* The number of the first that ends behind the address. */
static size_t
first_behind(const struct memory_map *map, uintptr_t address)
{
  size_t low = 0, high = map->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (map->mappings[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct mapping *
memory_map_find(const struct memory_map *map, uintptr_t address)
{
  const size_t i = first_behind(map, address);
  return i < map->count && map->mappings[i].start <= address
             ? &map->mappings[i]
             : NULL;
}

static uintptr_t
least(uintptr_t a, uintptr_t b)
{
  return a < b ? a : b;
}

/* Pages that are there, one after the other, are one part.  What the kernel
 * does not say of is taken to be there. */
static void
visit_pages(const struct memory_map *map, uintptr_t start, uintptr_t end,
            memory_visit_fn *visit, void *closure)
{
  uint64_t entries[ENTRIES];
  uintptr_t from = start; /* of a part */
  uintptr_t at = start;
  while (at < end) {
    const uintptr_t first = at / PAGE;
    const uintptr_t last = least((end - 1) / PAGE, first + ENTRIES - 1);
    const size_t size = (last - first + 1) * sizeof *entries;
    if (pread(map->pages, entries, size, (off_t)(first * sizeof *entries)) !=
        (ssize_t)size)
      memset(entries, 0xFF, size);
    for (uintptr_t page = first; page <= last; page++) {
      const uintptr_t next = least((page + 1) * PAGE, end);
      if ((entries[page - first] & PAGE_IS_THERE) == 0) {
        if (from < at)
          visit(closure, from, at);
        from = next;
      }
      at = next;
    }
  }
  if (from < end)
    visit(closure, from, end);
}

void
memory_map_visit(const struct memory_map *map, uintptr_t start, uintptr_t end,
                 memory_visit_fn *visit, void *closure)
{
  for (size_t i = first_behind(map, start);
       i < map->count && map->mappings[i].start < end; i++) {
    const struct mapping *m = &map->mappings[i];
    visit_pages(map, m->start < start ? start : m->start, least(m->end, end),
                visit, closure);
  }
}
