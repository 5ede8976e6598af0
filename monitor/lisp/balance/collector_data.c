/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector_data.c -- see the header for the model.
 *
 * Where the lists are.  libgc has one thread-local variable: the pointer to
 * void *lists[kind][granules], first pointer-free then ordinary objects.
 * libgc is loaded when the program starts, so that variable is at the same
 * distance from the thread pointer in every thread, and any thread can read
 * it.  Requests of no bytes have the list of 0 granules, whose objects are of
 * one.  Until about a page's worth of a size has been asked for, its element
 * is a count, below the size of a page, and not a list.
 *
 * Where the tables are.  libgc keeps what it knows of the three of them side
 * by side in its data.  That is looked for, since libgc has no name for it,
 * and checked each time. */
#include "lisp/balance/collector_data.h"

#include <gc/gc.h>
#include <gc/gc_tiny_fl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "arch/arch.h"
#include "tree/context_tree.h"

enum {
  LISTS = 2 * GC_TINY_FREELISTS,
  PAGE = 4096,
  LIST_MAX = PAGE / GC_GRANULE_BYTES * 64, /* objects; more is a loop */
  STATIC_TLS_MAX = 1 << 20,
  TABLE_MAX_BITS = 32
};

static struct {
  bool has_lists;
  intptr_t lists;       /* libgc's variable, from the thread pointer on */
  uintptr_t start, end; /* its data */
  const struct table *tables; /* there; NULL: they are not known yet */
} libgc;

static int
find_libgc(struct dl_phdr_info *info, size_t size, void *data)
{
  size_t tls_bytes = 0;
  (void)size;
  (void)data;
  if (info->dlpi_name == NULL || strstr(info->dlpi_name, "/libgc.so") == NULL)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_TLS)
      tls_bytes = p->p_memsz;
    if (p->p_type == PT_LOAD && (p->p_flags & PF_W) != 0) {
      libgc.start = info->dlpi_addr + p->p_vaddr;
      libgc.end = libgc.start + p->p_memsz;
    }
  }
  if (tls_bytes == sizeof(void *) && info->dlpi_tls_data != NULL) {
    libgc.lists = (intptr_t)((uintptr_t)info->dlpi_tls_data -
                             arch_thread_pointer(pthread_self()));
    /* A library that is loaded later has its variables elsewhere. */
    libgc.has_lists =
        libgc.lists > -STATIC_TLS_MAX && libgc.lists < STATIC_TLS_MAX;
  }
  return 1;
}

void
collector_data_open(void)
{
  dl_iterate_phdr(find_libgc, NULL);
}

uint64_t
collector_rounded_bytes(size_t bytes)
{
  const size_t granules =
      bytes == 0 ? 1 : (bytes + GC_GRANULE_BYTES - 1) / GC_GRANULE_BYTES;
  const size_t size_class =
      bytes > LEAF_MAX_SIZE ? 0 : GC_get_size_map_at((int)bytes);
  return size_class == 0 || size_class == (size_t)-1
             ? granules * GC_GRANULE_BYTES
             : size_class;
}

/* ---- free lists ---- */

/* Returns the lists of a thread, and sets *record_bytes to the bytes of the
 * record that they are part of; NULL when there are none. */
static void **
lists_of(pthread_t thread, uint64_t *record_bytes)
{
  void **const lists =
      libgc.has_lists
          ? *(void ***)(arch_thread_pointer(thread) + (uintptr_t)libgc.lists)
          : NULL;
  const uintptr_t at = (uintptr_t)lists;
  const size_t bytes = LISTS * sizeof *lists;
  void *record;
  *record_bytes = 0;
  if (at == 0 || at % sizeof(void *) != 0)
    return NULL;
  if (at >= libgc.start && at + bytes <= libgc.end)
    return lists;
  if (!GC_is_heap_ptr(lists) || (record = GC_base(lists)) == NULL ||
      at - (uintptr_t)record + bytes > GC_size(record))
    return NULL;
  *record_bytes = GC_size(record);
  return lists;
}

uint64_t
collector_record_bytes(pthread_t thread)
{
  uint64_t bytes;
  lists_of(thread, &bytes);
  return bytes;
}

/* Returns the bytes of a list of objects of `size'; -1 if it is not such a
 * list.  Only objects are read: before a fork, a thread may be taking from
 * the list. */
static int64_t
list_bytes(void *object, size_t size)
{
  int64_t bytes = 0;
  size_t steps = 0;
  if ((uintptr_t)object < PAGE)
    return 0;
  for (; object != NULL; object = *(void **)object) {
    if (GC_base(object) != object || GC_size(object) != size ||
        ++steps > LIST_MAX)
      return -1;
    bytes += (int64_t)size;
  }
  return bytes;
}

int64_t
collector_list_bytes(pthread_t thread)
{
  int64_t bytes = 0;
  uint64_t record_bytes;
  void **const lists = lists_of(thread, &record_bytes);
  if (lists == NULL)
    return -1;
  for (size_t i = 0; i < LISTS; i++) {
    const size_t granules = i % GC_TINY_FREELISTS;
    const int64_t more = list_bytes(
        lists[i], (granules == 0 ? 1 : granules) * GC_GRANULE_BYTES);
    if (more < 0)
      return -1;
    bytes += more;
  }
  return bytes;
}

/* ---- tables ---- */

/* As libgc has them: of long and of short weak links, and of finalizers. */
enum { FINALIZERS = 2, TABLES };

struct table {
  void *places;   /* NULL: there are none yet */
  uintptr_t used; /* how many, or finalizers that are to be run */
  unsigned bits;  /* of the number of places */
};

static size_t
table_bytes(unsigned bits)
{
  return sizeof(void *) << bits;
}

/* Returns whether it can be a table, which grows when there is one entry more
 * than places. */
static bool
is_table(const struct table *t, bool finalizers)
{
  if (t->places == NULL)
    return !finalizers && t->used == 0 && t->bits == 0;
  return t->bits >= 1 && t->bits <= TABLE_MAX_BITS &&
         GC_is_heap_ptr(t->places) && GC_base(t->places) == t->places &&
         GC_size(t->places) >= table_bytes(t->bits) &&
         GC_size(t->places) < table_bytes(t->bits + 1) &&
         (finalizers
              ? t->used == 0 || GC_is_heap_ptr((const void *)t->used)
              : t->used <= ((uintptr_t)1 << t->bits) + 1);
}

static bool
are_tables(const struct table *t)
{
  return is_table(&t[FINALIZERS], true) && is_table(&t[0], false) &&
         is_table(&t[1], false);
}

static const struct table *
find_tables(void)
{
  if (libgc.tables != NULL)
    return are_tables(libgc.tables) ? libgc.tables : NULL;
  for (uintptr_t at = libgc.start;
       at + TABLES * sizeof(struct table) <= libgc.end; at += sizeof(void *))
    if (are_tables((const struct table *)at))
      return libgc.tables = (const struct table *)at;
  return NULL;
}

/* Adds up the tables of all sizes so far; the first one has two places. */
int64_t
collector_table_bytes(void)
{
  const struct table *const tables = find_tables();
  uint64_t sum = 0;
  if (tables == NULL)
    return -1;
  for (size_t i = 0; i < TABLES; i++)
    for (unsigned bits = tables[i].bits; bits > 0; bits--)
      sum += collector_rounded_bytes(table_bytes(bits));
  return (int64_t)sum;
}
