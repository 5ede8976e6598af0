/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names from comments, sorted by size; of a size few are looked for, and by
 * going through all.
 */

#include "tables/size_types.h"

#include "base/array.h"
#include "common/pprof_format.h"

#include <stdlib.h>
#include <string.h>

static int
compare_types(const void *left, const void *right)
{
  const struct named_type *a = left;
  const struct named_type *b = right;
  bool rest[] = {strcmp(a->name, "...") == 0, strcmp(b->name, "...") == 0};
  if (a->size != b->size)
    return a->size < b->size ? -1 : 1;
  return rest[0] != rest[1] ? rest[0] - rest[1] : strcmp(a->name, b->name);
}

bool
size_types_init(struct size_types *types, const struct profile *profile)
{
  size_t count = 0;
  types->items = array_zeroed(profile->comment_count, sizeof *types->items);
  types->count = 0;
  if (types->items == NULL)
    return false;
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *text = profile_comment_value(profile, i, PPROF_COMMENT_TYPE);
    char *end;
    if (text == NULL)
      continue;
    uint64_t size = strtoull(text, &end, 10);
    if (*end == ' ')
      types->items[count++] = (struct named_type){size, end + 1};
  }
  array_sort(types->items, count, sizeof *types->items, compare_types);
  for (size_t i = 0; i < count; i++)
    if (types->count == 0 ||
        compare_types(&types->items[types->count - 1], &types->items[i]) != 0)
      types->items[types->count++] = types->items[i];
  return true;
}

void
size_types_write(const struct size_types *types, uint64_t size, size_t most,
                 struct sink *sink)
{
  size_t shown = 0;
  size_t left = 0;
  for (size_t i = 0; i < types->count; i++) {
    const struct named_type *type = &types->items[i];
    if (type->size != size)
      continue;
    if (shown < most || strcmp(type->name, "...") == 0)
      sink_format(sink, "%s%s", shown++ > 0 ? ", " : "", type->name);
    else
      left++;
  }
  if (left > 0)
    sink_format(sink, ", and %zu more", left);
}

void
size_types_release(struct size_types *types)
{
  free(types->items);
}
