/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * free_lists.c -- see the header for the model.
 *
 * The lists: void *lists[kind][granules], first pointer-free then ordinary
 * objects.  Requests of no bytes have the list of 0 granules, whose objects
 * are of one.  Until about a page's worth of a size has been asked for, its
 * element is a count, below the size of a page, and not a list.
 *
 * The thread's record is an object of the collector's own heap but for that
 * of the first thread, which lies in libgc's data.
 */
#include "balance/free_lists.h"

#include <gc/gc.h>
#include <gc/gc_tiny_fl.h>
#include <link.h>
#include <string.h>

#include "arch/arch.h"

enum {
  KINDS = 2,
  PAGE = 4096,
  LIST_MAX = PAGE / GC_GRANULE_BYTES * 64, /* objects; more is a loop */
  STATIC_TLS_MAX = 1 << 20
};

static int
find_libgc(struct dl_phdr_info *info, size_t size, void *data)
{
  struct free_lists *l = data;
  size_t tls_bytes = 0;
  (void)size;
  if (info->dlpi_name == NULL || strstr(info->dlpi_name, "/libgc.so") == NULL)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_TLS)
      tls_bytes = p->p_memsz;
    if (p->p_type == PT_LOAD && (p->p_flags & PF_W) != 0) {
      l->data_start = info->dlpi_addr + p->p_vaddr;
      l->data_end = l->data_start + p->p_memsz;
    }
  }
  if (tls_bytes == sizeof(void *) && info->dlpi_tls_data != NULL) {
    l->offset = (intptr_t)((uintptr_t)info->dlpi_tls_data -
                           arch_thread_pointer(pthread_self()));
    /* A library that is loaded later has its variables elsewhere. */
    l->found = l->offset > -STATIC_TLS_MAX && l->offset < STATIC_TLS_MAX;
  }
  return 1;
}

void
free_lists_open(struct free_lists *lists)
{
  dl_iterate_phdr(find_libgc, lists);
}

/* The lists of a thread, and the size of its record, 0 for a static one. */
static void **
lists_of(const struct free_lists *l, pthread_t thread, size_t *record_bytes)
{
  const size_t size = KINDS * GC_TINY_FREELISTS * sizeof(void *);
  uintptr_t lists;
  void *record;
  *record_bytes = 0;
  if (!l->found)
    return NULL;
  lists = *(uintptr_t *)(arch_thread_pointer(thread) + (uintptr_t)l->offset);
  if (lists % sizeof(void *) != 0)
    return NULL;
  if (lists >= l->data_start && lists + size <= l->data_end)
    return (void **)lists;
  if (!GC_is_heap_ptr((void *)lists) ||
      (record = GC_base((void *)lists)) == NULL)
    return NULL;
  *record_bytes = GC_size(record);
  if (lists - (uintptr_t)record + size > *record_bytes)
    return NULL;
  return (void **)lists;
}

uint64_t
free_lists_record_bytes(const struct free_lists *lists, pthread_t thread)
{
  size_t bytes;
  return lists_of(lists, thread, &bytes) == NULL ? 0 : bytes;
}

/* Bytes of one list of objects of `size'; -1 when it is none.  Nothing is
 * read that is no object: before a fork, a thread may be taking from it. */
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
free_lists_bytes(const struct free_lists *l, pthread_t thread)
{
  size_t record_bytes;
  void **lists = lists_of(l, thread, &record_bytes);
  int64_t bytes = 0;
  if (lists == NULL)
    return -1;
  for (size_t kind = 0; kind < KINDS; kind++)
    for (size_t g = 0; g < GC_TINY_FREELISTS; g++) {
      int64_t more = list_bytes(lists[kind * GC_TINY_FREELISTS + g],
                                (g == 0 ? 1 : g) * GC_GRANULE_BYTES);
      if (more < 0)
        return -1;
      bytes += more;
    }
  return bytes;
}
