/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads the map and the memory of another process.  A block has one place
 * where it can be kept, by its number.
 *
 * For its objects all memory is read word by word.  An object is where its
 * mark is right, or where the table of objects has it. */

#include "leak_search/stopped_program.h"

#include "base/array.h"
#include "base/input_file.h"
#include "c/count/object_table.h"
#include "c/interpose/object_mark.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
  LEAST_PAGE = 4096,
  BLOCK_PAGES = 64, /* of these, at most */
  BLOCK = LEAST_PAGE * BLOCK_PAGES,
#ifdef MPROF_TINY
  BLOCKS = 4
#else
  BLOCKS = 1 << 12 /* that are kept */
#endif
};

/* Of the kernel's 64 bits for a page. */
#define PAGE_IS_THERE (UINT64_C(3) << 62) /* in memory, or swapped out */

/* ---- the map ----------------------------------------------------------- */

static void
add_mapping(struct remote_memory *m, uint64_t start, uint64_t end)
{
  if (m->count > 0 && m->mappings[m->count - 1].end == start)
    m->mappings[m->count - 1].end = end;
  else
    ARRAY_PUSH(m->mappings, m->count, m->capacity,
               (struct mapping){.start = start, .end = end});
}

/* Reads a line: START-END FLAGS OFFSET DEVICE INODE NAME, where FLAGS are
 * such as "rw-p".  Returns whether the file INODE is there. */
static bool
read_line(struct remote_memory *m, const char *line, ino_t inode)
{
  uint64_t start, end, offset, number;
  char flags[5];
  int name = 0;
  if (sscanf(line,
             "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 "%n",
             &start, &end, flags, &offset, &number, &name) != 5)
    return false;
  if (strstr(line + name, "[stack]") != NULL)
    m->stack = end - sizeof(uint64_t);
  if (number != 0 && offset == 0)
    ARRAY_PUSH(m->files, m->file_count, m->file_capacity, start);
  if (flags[0] == 'r' && flags[1] == 'w' && flags[3] == 'p')
    add_mapping(m, start, end);
  return number == inode;
}

static _Noreturn void
fail_to_read(void)
{
  fail_with(MPROF_CANNOT_READ, "its memory cannot be read");
}

void
remote_memory_open(struct remote_memory *m, pid_t thread, ino_t inode)
{
  char *text = text_file_read(pool_format("/proc/%d/maps", (int)thread));
  bool found = false;
  *m = (struct remote_memory){
      .thread = thread,
      .pages =
          pool_open(pool_format("/proc/%d/pagemap", (int)thread), O_RDONLY),
      .blocks = pool_zeroed(BLOCKS, sizeof *m->blocks)};
  if (text == NULL || m->pages < 0)
    fail_to_read();
  for (char *line; (line = strsep(&text, "\n")) != NULL;)
    found |= read_line(m, line, inode);
  if (!found)
    fail_with(MPROF_CANNOT_READ, "its process is not found");
}

/* Counts those that begin at ADDRESS or before it. */
static size_t
mappings_until(const struct remote_memory *m, uint64_t address)
{
  return array_count_until(m->mappings, m->count, sizeof *m->mappings,
                           address);
}

struct mapping *
remote_memory_find(const struct remote_memory *m, uint64_t address)
{
  const size_t count = mappings_until(m, address);
  return count > 0 && address < m->mappings[count - 1].end
             ? &m->mappings[count - 1]
             : NULL;
}

uint64_t
remote_memory_file(const struct remote_memory *m, uint64_t address)
{
  const size_t count =
      array_count_until(m->files, m->file_count, sizeof *m->files, address);
  return count > 0 ? m->files[count - 1] : 0;
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

void
remote_memory_load(const struct remote_memory *m, uint64_t address, void *to,
                   size_t size)
{
  if (!remote_memory_copy(m, address, to, size))
    fail_to_read();
}

/* Fills BYTES, if the block at ADDRESS has any pages.  A page of which the
 * kernel tells nothing is assumed to be present.  Adjacent pages are read at
 * once, or one by one if that fails, as behind the end of a file. */
static bool
fill_block(const struct remote_memory *m, uint64_t address, char *bytes)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = BLOCK / page;
  uint64_t there[BLOCK_PAGES];
  bool any = false;
  if (pread(m->pages, there, pages * sizeof *there,
            (off_t)(address / page * sizeof *there)) !=
      (ssize_t)(pages * sizeof *there))
    memset(there, 0xFF, sizeof there);
  for (size_t i = 0; i < pages; i++)
    any = any || (there[i] & PAGE_IS_THERE) != 0;
  if (any)
    memset(bytes, 0, BLOCK);
  for (size_t i = 0, n; any && i < pages; i += n) {
    for (n = 0; i + n < pages && (there[i + n] & PAGE_IS_THERE) != 0;)
      n++;
    if (n > 0 && !remote_memory_copy(m, address + i * page, bytes + i * page,
                                     n * page))
      for (size_t k = i; k < i + n; k++)
        remote_memory_copy(m, address + k * page, bytes + k * page, page);
    n += n == 0;
  }
  return any;
}

/* Returns where the byte at ADDRESS is, or NULL. */
static const char *
byte_at(struct remote_memory *m, uint64_t address)
{
  const uint64_t number = address / BLOCK + 1;
  struct memory_block *block = &m->blocks[number % BLOCKS];
  if (block->number == number)
    return block->bytes + address % BLOCK;
  if (block->bytes == NULL)
    block->bytes = pool_alloc(BLOCK);
  if (!fill_block(m, address - address % BLOCK, block->bytes))
    return NULL;
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

void
memory_visit(struct stopped_program *p, uint64_t start, uint64_t end,
             memory_visit_fn *visit)
{
  struct remote_memory *m = &p->memory;
  const size_t first = mappings_until(m, start);
  for (size_t i = first > 0 ? first - 1 : 0;
       i < m->count && m->mappings[i].start < end; i++) {
    const struct mapping *part = &m->mappings[i];
    const uint64_t last = part->end < end ? part->end : end;
    uint64_t next;
    for (uint64_t at = part->start < start ? start : part->start; at < last;
         at = next) {
      next = at - at % BLOCK + BLOCK;
      next = next < last ? next : last;
      const char *bytes = byte_at(m, at);
      if (bytes != NULL)
        visit(p, at, bytes, next - at);
    }
  }
}

/* ---- objects ----------------------------------------------------------- */

/* Adds what seems to be an object at ADDRESS, with OBJECT_OF_POOL if it is
 * one, unless its size or its leaf is impossible: other memory looks like a
 * mark by chance. */
static void
add_object(struct stopped_program *p, uint64_t address, uint64_t bytes,
           struct counted counted)
{
  const bool pooled = (address & OBJECT_OF_POOL) != 0;
  address &= ~OBJECT_OF_POOL;
  struct heap_objects *heap = &p->heap;
  const struct stripes *counters = &p->counters.stripes;
  const uint32_t leaf = owned_leaf_number(counted.leaf);
  const struct mapping *m = remote_memory_find(&p->memory, address);
  if (m == NULL || bytes > m->end - address || leaf >= counters->leaves)
    return;
  const struct heap_object object = {
      .address = address,
      .bytes = bytes,
      .outer = pooled ? UINT32_MAX : 0, /* to be found */
      .leaf = counted.epoch == counters->epoch ? leaf : 0};
  if (heap->count == UINT32_MAX - 1)
    fail_memory();
  ARRAY_PUSH(heap->objects, heap->count, heap->capacity, object);
}

/* Returns false if the mark at PLACE is not at the end of the object's block,
 * where the size of that is known. */
static bool
is_block_end(struct stopped_program *p, uint64_t address, uint64_t place)
{
  return !p->search->has_chunks ||
         object_mark_chunk_end(remote_memory_word(
             &p->memory, address - sizeof(uint64_t))) ==
             place + MARK_BYTES - address;
}

/* Returns false if all objects of the leaf have another size.  In a large heap
 * some words that are no marks have a right check and a possible leaf. */
static bool
may_have_size(const struct context_tree *tree, owned_leaf leaf, size_t bytes)
{
  const uint32_t number = owned_leaf_number(leaf);
  if (number >= tree->leaf_count ||
      tree->leaves[number].kind >= tree->kind_count)
    return true; /* add_object decides */
  const uint16_t size = context_tree_kind(tree, &tree->leaves[number])->size;
  return size == 0 || size > LEAF_MAX_SIZE || size == bytes;
}

static void
add_marked(struct stopped_program *p, uint64_t start, const char *bytes,
           size_t length)
{
  for (size_t at = -start % MARK_BYTES; at + MARK_BYTES <= length;
       at += MARK_BYTES) {
    uint64_t mark;
    memcpy(&mark, bytes + at, sizeof mark);
    const uint64_t last = start + at - object_mark_size(mark);
    const uint64_t address =
        last - last % MARK_BYTES - object_mark_slack(mark) * MARK_BYTES;
    const uint32_t now = p->counters.stripes.epoch;
    const struct counted counted = {object_mark_leaf(mark, address),
                                    object_mark_epoch(mark, address)};
    if (address != start + at &&
        object_mark_is_of(mark, start + at, address, now) &&
        is_block_end(p, address, start + at) &&
        (counted.epoch != now ||
         may_have_size(p->counters.tree, counted.leaf,
                       object_mark_size(mark))))
      add_object(p, address, object_mark_size(mark), counted);
  }
}

/* Adds those in the table. */
static void
add_listed(struct stopped_program *p)
{
  struct object_table head;
  remote_memory_load(&p->memory, p->search->objects, &head,
                     offsetof(struct object_table, first));
  if (head.objects == NULL || head.bits >= 32)
    return;
  const size_t count = (size_t)1 << head.bits;
  struct object_record *records = pool_zeroed(count, sizeof *records);
  remote_memory_load(&p->memory, (uintptr_t)head.objects, records,
                     count * sizeof *records);
  for (size_t i = 0; i < count; i++)
    if (records[i].address != 0)
      add_object(p, records[i].address, records[i].bytes, records[i].counted);
  pool_free(records);
}

/* Orders objects by address, those of pools last. */
static int
compare_objects(const void *left, const void *right)
{
  const struct heap_object *a = left, *b = right;
  return a->address != b->address ? array_order(a->address, b->address)
                                  : array_order(a->outer, b->outer);
}

static bool
object_has(const struct heap_object *o, uint64_t address)
{
  return address - o->address < (o->bytes == 0 ? 1 : o->bytes);
}

/* Returns the innermost of the first COUNT objects that has ADDRESS, or NULL.
 */
static struct heap_object *
find_innermost(const struct heap_objects *heap, size_t count,
               uint64_t address)
{
  struct heap_object *o = count == 0 ? NULL : &heap->objects[count - 1];
  while (o != NULL && !object_has(o, address))
    o = heap_objects_outer(heap, o);
  return o;
}

void
heap_objects_list(struct stopped_program *p)
{
  struct heap_objects *heap = &p->heap;
  memory_visit(p, 0, UINT64_MAX, add_marked);
  add_listed(p);
  array_sort(heap->objects, heap->count, sizeof *heap->objects,
             compare_objects);
  for (size_t i = 0; i < heap->count; i++) {
    struct heap_object *const o = &heap->objects[i];
    if (o->outer != 0) {
      const struct heap_object *in = find_innermost(heap, i, o->address);
      o->outer = in == NULL ? 0 : (uint32_t)(in - heap->objects) + 1;
    }
  }
}

struct heap_object *
heap_objects_find(const struct heap_objects *heap, uint64_t address)
{
  return find_innermost(heap,
                        array_count_until(heap->objects, heap->count,
                                          sizeof *heap->objects, address),
                        address);
}
