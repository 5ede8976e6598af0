/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The layout of images in mprof-formats(5) is that of the structs: each of
 * their members has its line there, with its offset and its bytes, and no
 * line is of anything else.  The line of the version names it. */

#include "testing.h"

#include "c/count/stripes.h"
#include "common/image_format.h"
#include "tree/context_tree.h"
#include "tree/region_table.h"

struct line {
  const char *name;
  size_t offset, bytes; /* of a struct, which has no offset: 0 */
  int is_struct;
};

#define STRUCT(type) {#type, 0, sizeof(struct type), 1}
#define MEMBER(type, member)                                                 \
  {#member, offsetof(struct type, member),                                   \
   sizeof(((struct type *)0)->member), 0}

static const struct line lines[] = {
    STRUCT(image_head), MEMBER(image_head, magic),
    MEMBER(image_head, version), MEMBER(image_head, language),
    MEMBER(image_head, flags), MEMBER(image_head, process),
    MEMBER(image_head, mprof), MEMBER(image_head, parts),
    MEMBER(image_head, zero), STRUCT(image_part), MEMBER(image_part, kind),
    MEMBER(image_part, owner),
    MEMBER(image_part, room), MEMBER(image_part, ready),
    MEMBER(image_part, offset), MEMBER(image_part, record_bytes),
    MEMBER(image_part, zero), STRUCT(context), MEMBER(context, site),
    MEMBER(context, activations), MEMBER(context, parent),
    MEMBER(context, target), MEMBER(context, function),
    MEMBER(context, marks), MEMBER(context, first),
    MEMBER(context, first_leaf), STRUCT(leaf), MEMBER(leaf, site),
    MEMBER(leaf, count), MEMBER(leaf, bytes), MEMBER(leaf, activations),
    MEMBER(leaf, up), MEMBER(leaf, target), MEMBER(leaf, kind),
    MEMBER(leaf, function), STRUCT(kind), MEMBER(kind, clas),
    MEMBER(kind, what), MEMBER(kind, size), MEMBER(kind, region),
    STRUCT(leaf_counters), MEMBER(leaf_counters, allocated),
    MEMBER(leaf_counters, freed), MEMBER(leaf_counters, at_peak),
    MEMBER(leaf_counters, peak), MEMBER(leaf_counters, temporary_count),
    STRUCT(stripes), MEMBER(stripes, used), MEMBER(stripes, epoch),
    MEMBER(stripes, peak_bytes), MEMBER(stripes, peak),
    MEMBER(stripes, live_elsewhere), MEMBER(stripes, generation),
    MEMBER(stripes, leaves), MEMBER(stripes, recent_count),
    MEMBER(stripes, rebalance_again), MEMBER(stripes, counting),
    MEMBER(stripes, missed), MEMBER(stripes, figures_since),
    MEMBER(stripes, watched), MEMBER(stripes, search),
    MEMBER(stripes, stripe), STRUCT(stripe), MEMBER(stripe, lock),
    MEMBER(stripe, live), MEMBER(stripe, limit), MEMBER(stripe, count),
    MEMBER(stripe, freed_count), MEMBER(stripe, counters),
    MEMBER(stripe, current_leaf), MEMBER(stripe, open),
    MEMBER(stripe, limited), STRUCT(region), MEMBER(region, path),
    MEMBER(region, parent), MEMBER(region, entered),
    MEMBER(region, nanoseconds), MEMBER(region, first), MEMBER(region, last),
    MEMBER(region, held_bytes), MEMBER(region, live_bytes),
    STRUCT(image_note), MEMBER(image_note, kind),
    MEMBER(image_note, text_bytes), MEMBER(image_note, key),
    MEMBER(image_note, value), MEMBER(image_note, more), STRUCT(image_live),
    MEMBER(image_live, count), MEMBER(image_live, bytes),
    MEMBER(image_live, peak_count), MEMBER(image_live, peak_bytes),
    STRUCT(image_object), MEMBER(image_object, bytes),
    MEMBER(image_object, references), MEMBER(image_object, owner),
    MEMBER(image_object, leaf), MEMBER(image_object, flags),
    STRUCT(image_body), MEMBER(image_body, object),
    MEMBER(image_body, body), STRUCT(image_root), MEMBER(image_root, object),
    MEMBER(image_root, level), MEMBER(image_root, holder)};

enum { LINES = sizeof lines / sizeof lines[0] };

/* Reads a line of the manual; returns false if it is none of the layout. */
static int
read_line(const char *text, char name[32], struct line *line)
{
  *line = (struct line){.name = name};
  if (strncmp(text, "    ", 4) == 0)
    return sscanf(text, "%31s %zu %zu", name, &line->offset, &line->bytes) ==
           3;
  line->is_struct = 1;
  return strncmp(text, "  ", 2) == 0 &&
         sscanf(text, "%31s %zu", name, &line->bytes) == 2;
}

TEST(manual_has_all_members)
{
  FILE *page = fopen("reduce/mprof-formats.5", "re");
  char text[200], name[32];
  size_t found = 0;
  int within = 0;
  assert_non_null(page);
  while (fgets(text, sizeof text, page) != NULL) {
    struct line line;
    if (strncmp(text, ".S", 2) == 0)
      within = strstr(text, "Layout of an image") != NULL;
    if (!within || !read_line(text, name, &line))
      continue;
    assert_true(found < LINES);
    assert_string_equal(lines[found].name, name);
    assert_int_equal(lines[found].is_struct, line.is_struct);
    assert_int_equal(lines[found].offset, line.offset);
    /* the manual gives x86-64's page */
    assert_int_equal(lines[found].bytes,
                     line.bytes == 4096 ? IMAGE_PAGE : line.bytes);
    if (strcmp(name, "version") == 0)
      assert_int_equal(atoi(strchr(text, ':') + 1), IMAGE_VERSION);
    found++;
  }
  fclose(page);
  assert_int_equal(found, LINES);
}

RUN_TESTS(NULL, NULL)
