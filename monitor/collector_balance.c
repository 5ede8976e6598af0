/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector_balance.c -- see the header for the model.
 *
 * Where the lists are.  libgc has one thread-local variable, the pointer to
 * this thread's lists: void *lists[kind][granules], first pointer-free then
 * ordinary objects.  Until about a page's worth of a size has been asked for
 * its element is a count, below the size of a page, and not a list.
 */
#include "collector_balance.h"

#include <gc/gc.h>
#include <gc/gc_tiny_fl.h>
#include <link.h>
#include <string.h>

enum {
  KINDS = 2,
  PAGE = 4096
};

/* Bytes that this process took from the collector only to look at it. */
static uint64_t own_bytes;

static int
find_libgc(struct dl_phdr_info *info, size_t size, void *data)
{
  void ***lists = data;
  size_t tls_bytes = 0;
  (void)size;
  if (info->dlpi_name == NULL || strstr(info->dlpi_name, "/libgc.so") == NULL)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_TLS)
      tls_bytes = info->dlpi_phdr[i].p_memsz;
  if (tls_bytes == sizeof(void *) && info->dlpi_tls_data != NULL)
    *lists = *(void ***)info->dlpi_tls_data;
  return 1;
}

/* Bytes on this thread's free lists; -1 when these are not what we know. */
static int64_t
listed_bytes(void)
{
  void **lists = NULL;
  int64_t bytes = 0;
  dl_iterate_phdr(find_libgc, &lists);
  if (lists == NULL)
    return -1;
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t g = 1; g < GC_TINY_FREELISTS; g++) {
      void *object = lists[(size_t)kind * GC_TINY_FREELISTS + g];
      size_t steps = 0;
      if ((uintptr_t)object < PAGE)
        continue;
      for (; object != NULL; object = *(void **)object) {
        if (!GC_is_heap_ptr(object) ||
            GC_size(object) != g * GC_GRANULE_BYTES ||
            ++steps > (1 << 20))
          return -1;
        bytes += (int64_t)(g * GC_GRANULE_BYTES);
      }
    }
  return bytes;
}

/* Take one list of objects from the collector; its bytes. */
static uint64_t
take_list(size_t granules)
{
  size_t size = granules * GC_GRANULE_BYTES;
  uint64_t bytes = 0;
  void *next;
  for (void *o = GC_malloc_many(size); o != NULL; o = next) {
    next = GC_NEXT(o);
    GC_NEXT(o) = NULL;
    bytes += size;
  }
  return bytes;
}

/* Take lists until the collector sweeps a page for one.  That list is not in
 * its counter yet, but what was late before is now; any other list is counted
 * at once.  *late gets the bytes of the swept list; false when no page was
 * left to sweep. */
static bool
settle_page(uint64_t *late)
{
  uint64_t total = GC_get_total_bytes();
  for (size_t g = GC_TINY_FREELISTS - 1; g > 0; g--) {
    uint64_t before = total, took = take_list(g);
    own_bytes += took;
    total = GC_get_total_bytes();
    if (took > 0 && total - before != took) {
      *late = took;
      return true;
    }
  }
  return false;
}

struct collector_balance
collector_balance(void)
{
  struct collector_balance b = { .page_settled = GC_get_gc_no() == 0 };
  uint64_t late = 0;
  int64_t listed;

  if (!b.page_settled && !(b.page_settled = settle_page(&late))) {
    /* every page is swept: a collection makes new ones to sweep */
    GC_gcollect();
    b.page_settled = settle_page(&late);
  }
  listed = listed_bytes();
  b.lists_read = listed >= 0;
  b.bytes = GC_get_total_bytes() + late - own_bytes - (b.lists_read ? (uint64_t)listed : 0);
  return b;
}
