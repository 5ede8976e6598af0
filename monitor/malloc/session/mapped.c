/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * mapped.c -- see mapped.h.  The counts so far are moved; from then on each
 * new number is noted when it is given.
 */
#include "malloc/session/mapped.h"

#include <limits.h>
#include <string.h>

#include "code/code_objects.h"
#include "malloc/count/malloc_monitor.h"
#include "malloc/count/malloc_thread.h"
#include "malloc/environment.h"
#include "malloc/session/profile_file.h"
#include "tree/image.h"

static bool
note_code(uint32_t number, uintptr_t code)
{
  (void)number;
  code_objects_note(code);
  return true;
}

static void
note_site(uint64_t site)
{
  if ((site & (SITE_OBJECT | SITE_RETIRED | SITE_SPECIAL)) == 0)
    code_objects_note(site - 1);
}

static void
note_sites(const struct context_tree *tree)
{
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++)
    note_site(tree->contexts[i].site);
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++)
    note_site(tree->leaves[i].site);
}

static int
map(struct malloc_monitor *m, const char *name)
{
  const int error = image_open(name, IMAGE_C);
  if (error != 0)
    return error;
  context_tree_map(&m->tree);
  stripes_map();
  malloc_threads_note();
  region_table_map(&m->regions);
  code_objects_note_anew();
  note_sites(&m->tree);
  if (m->functions.given == NULL) /* else it does that, too */
    m->functions.given = note_code;
  return 0;
}

void
mapped_open(void)
{
  struct malloc_monitor *const m = &malloc_monitor;
  char name[PATH_MAX];
  int error;
  if (environment_value("MPROF_MAPPED") == NULL || !malloc_monitor_open(m))
    return;
  profile_file_image(name);
  malloc_monitor_lock(m);
  error = map(m, name);
  malloc_monitor_unlock(m);
  if (error != 0)
    profile_file_say_why("cannot map the counters beside",
                         strerrordesc_np(error));
}
