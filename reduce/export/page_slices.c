/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The slices of time of the page. */

#include "export/page.h"

#include <inttypes.h>
#include <stdio.h>

/* A slice, as a comment says it. */
struct slice {
  uint64_t start, in_use, resident;
};

static bool
read_slice(const struct profile *profile, size_t comment, struct slice *slice)
{
  const char *text =
      profile_comment_value(profile, comment, PPROF_COMMENT_SLICE);
  return text != NULL &&
         sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &slice->start,
                &slice->in_use, &slice->resident) == 3;
}

/* In some slices nothing was allocated. */
void
page_find_slices(struct page_slices *slices, const struct profile *profile)
{
  const size_t count = profile->label_rows.row_count;
  struct numbers *starts = &slices->starts;
  struct slice slice;
  for (size_t i = 0; i < count; i++)
    if (profile->labels[i].time >= 0)
      numbers_push(starts, (uint64_t)profile->labels[i].time);
  for (size_t i = 0; i < profile->comment_count; i++)
    if (read_slice(profile, i, &slice))
      numbers_push(starts, slice.start);
  if (starts->count == 0)
    return;
  array_sort(starts->items, starts->count, sizeof *starts->items,
             array_compare_numbers);
  size_t last = 0;
  for (size_t i = 1; i < starts->count; i++)
    if (starts->items[i] != starts->items[last])
      starts->items[++last] = starts->items[i];
  starts->count = last + 1;
  slices->of_labels = pool_zeroed(count, sizeof *slices->of_labels);
  for (size_t i = 0; i < count; i++)
    if (profile->labels[i].time >= 0)
      slices->of_labels[i] = (uint32_t)array_count_until(
          starts->items, starts->count, sizeof *starts->items,
          (uint64_t)profile->labels[i].time);
}

/* What the comments say of the slice that starts at START: bytes in use and
 * resident, summed over processes. */
static void
write_memory(struct page *page, uint64_t start)
{
  const struct profile *profile = page->reduction->profile;
  uint64_t in_use = 0, resident = 0;
  struct slice slice;
  for (size_t i = 0; i < profile->comment_count; i++)
    if (read_slice(profile, i, &slice) && slice.start == start) {
      in_use += slice.in_use;
      resident += slice.resident;
    }
  writer_number(&page->out, "in_use", in_use);
  writer_number(&page->out, "resident", resident);
}

void
page_write_slices(struct page *page)
{
  const struct numbers *starts = &page->slices.starts;
  writer_begin(&page->out, "slices", '[');
  for (size_t i = 0; i < starts->count; i++) {
    writer_begin(&page->out, NULL, '{');
    writer_number(&page->out, "start", starts->items[i]);
    write_memory(page, starts->items[i]);
    writer_end(&page->out, '}');
  }
  writer_end(&page->out, ']');
}
