/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames that show only to mprof.
 *
 * Of a chain of a Lisp program, what is hidden by default is in a field of
 * its own, PPROF_SAMPLE_HIDDEN, with its places in the chain: functions of
 * the runtime, and what is between the root and a profiled body.  So a file
 * looks in other programs as it looks here.  To part a chain and to put it
 * together are inverse.
 *
 * A run of hidden locations is its distance from the one before, its length,
 * and their ids. */

#include "profile/profile.h"

#include "common/pprof_format.h"

/* What a location is to those who look at the profile. */
enum part { PART_SHOWS, PART_HIDDEN, PART_ROOT };

unsigned char *
hidden_find(const struct profile *profile)
{
  uint32_t runtime = names_find(&profile->names, PPROF_RUNTIME_FILE);
  bool *roots =
      pool_zeroed(profile->names.count, sizeof *roots); /* by name */
  unsigned char *parts = pool_zeroed(profile->location_count, 1);
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *root = profile_comment_value(profile, i, PPROF_COMMENT_ROOT);
    uint32_t name =
        root == NULL ? NAMES_NONE : names_find(&profile->names, root);
    if (name != NAMES_NONE)
      roots[name] = true;
  }
  for (size_t i = 0; i < profile->location_count; i++) {
    const struct profile_location *l = &profile->locations[i];
    uint32_t function = l->line_count == 0
                            ? INDEX_NONE
                            : profile->lines[l->first_line].function;
    if (function == INDEX_NONE)
      continue;
    const struct profile_function *f = &profile->functions[function];
    parts[i] = f->file == runtime ? PART_HIDDEN
               : roots[f->name]   ? PART_ROOT
                                  : PART_SHOWS;
  }
  pool_free(roots);
  return parts;
}

void
hidden_part(const unsigned char *parts, struct numbers *chain,
            struct numbers *hidden)
{
  uint64_t *ids = chain->items;
  size_t count = chain->count;
  size_t end = count; /* of what can show */
  size_t shown = 0;
  size_t before = 0;       /* how many showed at the run in hand */
  uint64_t *length = NULL; /* of that run; NULL: none is in hand */
  hidden->count = 0;
  numbers_reserve(hidden, 3 * count);
  uint64_t *to = hidden->items;
  for (size_t i = 0; i < count; i++)
    if (parts[ids[i] - 1] == PART_ROOT)
      end = i; /* the last one is the rootmost */
  for (size_t i = 0; i < count; i++) {
    if (i < end && parts[ids[i] - 1] == PART_SHOWS) {
      ids[shown++] = ids[i];
      length = NULL;
      continue;
    }
    if (length == NULL) {
      *to++ = shown - before;
      length = to++;
      *length = 0;
      before = shown;
    }
    *to++ = ids[i];
    ++*length;
  }
  if (shown == 0)
    return; /* nothing has been moved */
  chain->count = shown;
  hidden->count = (size_t)(to - hidden->items);
}

/* Appends COUNT numbers, for which there is room. */
static void
append(struct numbers *to, const uint64_t *from, size_t count)
{
  if (count > 0)
    memcpy(to->items + to->count, from, count * sizeof *from);
  to->count += count;
}

bool
hidden_insert(const struct numbers *shown, const struct numbers *hidden,
              struct numbers *whole)
{
  size_t taken = 0;
  for (size_t i = 0; i < hidden->count;) {
    uint64_t before = hidden->items[i++];
    uint64_t length = i < hidden->count ? hidden->items[i++] : UINT64_MAX;
    if (before > shown->count - taken || length > hidden->count - i)
      return false;
    append(whole, shown->items + taken, before);
    append(whole, hidden->items + i, length);
    taken += before;
    i += length;
  }
  append(whole, shown->items + taken, shown->count - taken);
  return true;
}
