/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A block has one place where it can be kept, by its number. */

#include "reach/remote_memory.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
  PAGE = 4096,
  BLOCK_PAGES = 16,
  BLOCK = PAGE * BLOCK_PAGES,
#ifdef MPROF_TINY
  BLOCKS = 4,
#else
  BLOCKS = 1 << 14, /* that are kept */
#endif
  ENTRIES = 512
};

/* Of the kernel's 64 bits for a page. */
#define PAGE_IS_THERE (UINT64_C(3) << 62) /* in memory, or swapped out */

/* ---- the map ----------------------------------------------------------- */

static bool
add_mapping(struct remote_memory *m, uint64_t start, uint64_t end)
{
  if (m->count > 0 && m->mappings[m->count - 1].end == start) {
    m->mappings[m->count - 1].end = end;
    return true;
  }
  return ARRAY_PUSH(m->mappings, m->count, m->capacity,
                    (struct mapping){.start = start, .end = end});
}

/* A line: START-END FLAGS OFFSET DEVICE INODE NAME, where FLAGS are such as
 * "rw-p".  Sets *FOUND if the file INODE is there. */
static bool
read_line(struct remote_memory *m, const char *line, ino_t inode, bool *found)
{
  uint64_t start, end, offset, number;
  char flags[5];
  int name = 0;
  if (sscanf(line,
             "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 "%n",
             &start, &end, flags, &offset, &number, &name) != 5)
    return true;
  *found = *found || number == inode;
  if (strstr(line + name, "[stack]") != NULL)
    m->stack = end - sizeof(uint64_t);
  if (number != 0 && offset == 0 &&
      !ARRAY_PUSH(m->files, m->file_count, m->file_capacity, start))
    return false;
  return flags[0] != 'r' || flags[1] != 'w' || flags[3] != 'p' ||
         add_mapping(m, start, end);
}

static bool
read_map(struct remote_memory *m, ino_t inode)
{
  char name[64];
  char *line = NULL;
  size_t size = 0;
  bool found = false, good = true;
  snprintf(name, sizeof name, "/proc/%d/maps", (int)m->thread);
  FILE *file = fopen(name, "re");
  while (good && file != NULL && getline(&line, &size, file) > 0)
    good = read_line(m, line, inode, &found);
  if (file != NULL)
    fclose(file);
  free(line);
  if (file != NULL && good && !found)
    errno = ESRCH;
  return file != NULL && good && found;
}

bool
remote_memory_open(struct remote_memory *m, pid_t thread, ino_t inode)
{
  char name[64];
  *m = (struct remote_memory){.thread = thread, .pages = -1};
  if (!read_map(m, inode))
    return false;
  snprintf(name, sizeof name, "/proc/%d/pagemap", (int)thread);
  m->pages = open(name, O_RDONLY | O_CLOEXEC);
  m->blocks = array_zeroed(BLOCKS, sizeof *m->blocks);
  return m->pages >= 0 && m->blocks != NULL;
}

void
remote_memory_release(struct remote_memory *m)
{
  if (m->pages >= 0)
    close(m->pages);
  for (size_t i = 0; m->blocks != NULL && i < BLOCKS; i++)
    free(m->blocks[i].bytes);
  free(m->blocks);
  free(m->mappings);
  free(m->files);
}

/* The number of the first that ends behind ADDRESS. */
static size_t
first_behind(const struct remote_memory *m, uint64_t address)
{
  size_t low = 0, high = m->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (m->mappings[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct mapping *
remote_memory_find(const struct remote_memory *m, uint64_t address)
{
  const size_t i = first_behind(m, address);
  return i < m->count && m->mappings[i].start <= address ? &m->mappings[i]
                                                         : NULL;
}

uint64_t
remote_memory_file(const struct remote_memory *m, uint64_t address)
{
  size_t i = m->file_count;
  while (i > 0 && m->files[i - 1] > address)
    i--;
  return i > 0 ? m->files[i - 1] : 0;
}

/* ---- bytes ------------------------------------------------------------- */

bool
remote_memory_copy(const struct remote_memory *m, uint64_t address, void *to,
                   size_t size)
{
  const struct iovec here = {to, size};
  const struct iovec there = {(void *)(uintptr_t)address, size};
  return process_vm_readv(m->thread, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* What the kernel says of COUNT pages; what it does not say of is taken to be
 * there. */
static void
read_entries(const struct remote_memory *m, uint64_t first, size_t count,
             uint64_t *entries)
{
  const size_t size = count * sizeof *entries;
  if (pread(m->pages, entries, size, (off_t)(first * sizeof *entries)) !=
      (ssize_t)size)
    memset(entries, 0xFF, size);
}

/* Pages that are there, one after the other, are read at once, and one after
 * the other where that fails: behind the end of a file there is none. */
static void
fill_block(const struct remote_memory *m, uint64_t address, char *bytes)
{
  uint64_t there[BLOCK_PAGES];
  memset(bytes, 0, BLOCK);
  read_entries(m, address / PAGE, BLOCK_PAGES, there);
  for (size_t i = 0, n; i < BLOCK_PAGES; i += n) {
    for (n = 0; i + n < BLOCK_PAGES && (there[i + n] & PAGE_IS_THERE) != 0;)
      n++;
    if (n > 0 && !remote_memory_copy(m, address + i * PAGE, bytes + i * PAGE,
                                     n * PAGE))
      for (size_t k = i; k < i + n; k++)
        remote_memory_copy(m, address + k * PAGE, bytes + k * PAGE, PAGE);
    n += n == 0;
  }
}

/* The byte at ADDRESS; NULL: there is no memory here. */
static const char *
byte_at(struct remote_memory *m, uint64_t address)
{
  const uint64_t number = address / BLOCK + 1;
  struct memory_block *block = &m->blocks[number % BLOCKS];
  if (block->bytes == NULL)
    block->bytes = malloc(BLOCK);
  if (block->bytes == NULL) {
    m->failed = true;
    return NULL;
  }
  if (block->number != number)
    fill_block(m, address - address % BLOCK, block->bytes);
  block->number = number;
  return block->bytes + address % BLOCK;
}

uint64_t
remote_memory_word(struct remote_memory *m, uint64_t address)
{
  uint64_t word = 0;
  const char *bytes =
      address % sizeof word == 0 && remote_memory_find(m, address) != NULL
          ? byte_at(m, address)
          : NULL;
  if (bytes != NULL)
    memcpy(&word, bytes, sizeof word);
  return word;
}

/* ---- visits ------------------------------------------------------------ */

static uint64_t
least(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static void
visit_blocks(struct remote_memory *m, uint64_t start, uint64_t end,
             remote_visit_fn *visit, void *closure)
{
  while (start < end) {
    const uint64_t next = least(end, start - start % BLOCK + BLOCK);
    const char *bytes = byte_at(m, start);
    if (bytes != NULL)
      visit(closure, start, bytes, next - start);
    start = next;
  }
}

/* Those that are there; a small part is, for sure. */
static void
visit_pages(struct remote_memory *m, uint64_t start, uint64_t end,
            remote_visit_fn *visit, void *closure)
{
  uint64_t entries[ENTRIES];
  uint64_t from = start; /* of a part */
  uint64_t at = start;
  while (at < end && end - start > BLOCK) {
    const uint64_t first = at / PAGE;
    const uint64_t last = least((end - 1) / PAGE, first + ENTRIES - 1);
    read_entries(m, first, last - first + 1, entries);
    for (uint64_t page = first; page <= last; page++) {
      const uint64_t next = least((page + 1) * PAGE, end);
      if ((entries[page - first] & PAGE_IS_THERE) == 0) {
        visit_blocks(m, from, at, visit, closure);
        from = next;
      }
      at = next;
    }
  }
  visit_blocks(m, from, end, visit, closure);
}

void
remote_memory_visit(struct remote_memory *m, uint64_t start, uint64_t end,
                    remote_visit_fn *visit, void *closure)
{
  for (size_t i = first_behind(m, start);
       i < m->count && m->mappings[i].start < end; i++) {
    const struct mapping *part = &m->mappings[i];
    visit_pages(m, part->start < start ? start : part->start,
                least(part->end, end), visit, closure);
  }
}
