/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Regions are found by their paths; what the samples of one have goes up into
 * all around it.  At the end they are sorted.
 */

#include "analysis/tally.h"

#include "base/array.h"
#include "common/pprof_format.h"
#include "common/region_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The region with PATH, added when new; NULL when memory runs out.  Until all
 * are there, row i stands for the path with the id i + 1. */
static struct region_row *
region_of(struct region_figures *regions, const char *path)
{
  uint32_t name = names_intern(&regions->paths, path);
  if (name == NAMES_NONE || name == 0)
    return NULL;
  return name - 1 < regions->count ||
                 ARRAY_PUSH(regions->rows, regions->count, regions->capacity,
                            (struct region_row){0})
             ? &regions->rows[name - 1]
             : NULL;
}

/* Adds what TEXT, the comment of a region, says; one that cannot be read says
 * nothing. */
static bool
add_comment(struct region_figures *regions, const char *text)
{
  uint64_t entered, spent, first, last, held = 0;
  char held_text[24];
  int length = -1;
  if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %23s %n",
             &entered, &spent, &first, &last, held_text, &length) != 5 ||
      length < 0 || text[length] == '\0')
    return true;
  bool knows_held = strcmp(held_text, "-") != 0;
  if (knows_held && sscanf(held_text, "%" SCNu64, &held) != 1)
    return true;
  struct region_row *region = region_of(regions, text + length);
  if (region == NULL)
    return false;
  region->entered += entered;
  region->spent += spent;
  region->held += held;
  region->knows_held = region->knows_held || knows_held;
  if (region->first == 0 || (first != 0 && first < region->first))
    region->first = first;
  if (last > region->last)
    region->last = last;
  return true;
}

/* Adds FIGURES to the region with PATH and to all around it. */
static bool
add_figures(struct region_figures *regions, const char *path,
            const struct figures *figures)
{
  for (size_t length = strlen(path); length > 0;
       length = region_path_outer(path, length)) {
    char *outer = strndup(path, length);
    struct region_row *region =
        outer == NULL ? NULL : region_of(regions, outer);
    free(outer);
    if (region == NULL)
      return false;
    figures_add(&region->figures, figures);
  }
  return true;
}

/* A name before a longer one, and ";" before all else, so that a region comes
 * before those in it. */
static int
compare_paths(const void *left, const void *right)
{
  const char *a = ((const struct region_row *)left)->path;
  const char *b = ((const struct region_row *)right)->path;
  for (; *a != '\0' && *a == *b; a++)
    b++;
  unsigned char first = *a == ';' ? 1 : (unsigned char)*a;
  unsigned char second = *b == ';' ? 1 : (unsigned char)*b;
  return first < second ? -1 : first > second;
}

bool
region_figures_init(struct region_figures *regions,
                    const struct profile *profile,
                    const struct figures *by_region)
{
  memset(regions, 0, sizeof *regions);
  if (!names_init(&regions->paths))
    return false;
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *text =
        profile_comment_value(profile, i, PPROF_COMMENT_REGION);
    if (text != NULL && !add_comment(regions, text))
      return false;
  }
  for (size_t i = 0; i < profile->region_count; i++)
    if (!add_figures(regions,
                     names_text(&profile->names, profile->regions[i]),
                     &by_region[i]))
      return false;
  for (size_t i = 0; i < regions->count; i++)
    regions->rows[i].path = names_text(&regions->paths, (uint32_t)i + 1);
  array_sort(regions->rows, regions->count, sizeof *regions->rows,
             compare_paths);
  return true;
}

void
region_figures_release(struct region_figures *regions)
{
  names_release(&regions->paths);
  free(regions->rows);
  memset(regions, 0, sizeof *regions);
}
