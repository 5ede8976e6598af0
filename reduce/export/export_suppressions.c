/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was lost, or never freed where that is not known, as lines that
 * suppress it: one for each function that lost something, most bytes first.
 */

#include "export/export.h"

#include "analysis/suppressions.h"
#include "tables/ranking.h"

#include <inttypes.h>
#include <string.h>

/* Returns the file of code that location L is in; "" if it is unknown. */
static const char *
file_of(const struct profile *profile, const struct profile_location *l)
{
  return l->mapping == INDEX_NONE
             ? ""
             : names_text(&profile->names,
                          profile->mappings[l->mapping].file);
}

/* Writes the pattern that suppresses the chain of NODE: the name of the
 * function, or else the file of code, of its innermost node that is not in a
 * library, or else of NODE.  A * stands for what a pattern cannot have. */
static void
write_pattern(const struct profile *profile,
              const struct suppressions *libraries, uint32_t node,
              struct sink *sink)
{
  const struct tree_node *nodes = profile->tree.nodes;
  const struct profile_location *l = &profile->locations[nodes[node].item];
  for (uint32_t n = node; n != TREE_ROOT; n = nodes[n].parent) {
    const struct profile_location *outer = &profile->locations[nodes[n].item];
    if (suppressions_know_library(libraries, file_of(profile, outer)))
      continue;
    l = outer;
    break;
  }
  const uint32_t function = l->line_count == 0
                                ? INDEX_NONE
                                : profile->lines[l->first_line].function;
  const char *name =
      function == INDEX_NONE
          ? ""
          : names_text(&profile->names, profile->functions[function].name);
  const char *text =
      *name == '\0' || *name == '[' ? file_of(profile, l) : name;
  sink_text(sink, "leak:^");
  for (; *text != '\0'; text++)
    sink_repeat(sink, strchr("^$*\t\r\n", *text) != NULL ? '*' : *text, 1);
  sink_text(sink, "$");
}

void
export_suppressions(const struct view *view, struct sink *sink)
{
  const struct profile *profile = view->profile;
  const bool lost = profile_has(profile, MEASURE_LOST_BYTES);
  struct figures *figures =
      pool_zeroed(profile->sample_count + 1, sizeof *figures);
  const struct suppressions libraries = suppressions_of_libraries();
  struct names patterns;
  struct string_sink text;
  struct ranking ranking = {0};
  if (profile->language != LANGUAGE_C || !view_has(view, MEASURE_KEPT_BYTES))
    fail_with(MPROF_BAD_PROFILE, "--format=suppressions: the profile does "
                                 "not record what was never freed");
  names_init(&patterns);
  string_sink_init(&text);
  for (size_t i = 0; i < profile->sample_count; i++) {
    const uint32_t node = profile->samples[i].node;
    const uint64_t bytes =
        lost ? profile_value(profile, i, MEASURE_LOST_BYTES) +
                   profile_value(profile, i, COLUMN_OF_INDIRECT_BYTES)
             : profile_value(profile, i, MEASURE_KEPT_BYTES);
    const uint64_t allocs =
        lost ? profile_value(profile, i, MEASURE_LOST_ALLOCS) +
                   profile_value(profile, i, COLUMN_OF_INDIRECT_ALLOCS)
             : profile_value(profile, i, MEASURE_KEPT_ALLOCS);
    if (node == TREE_ROOT || (bytes == 0 && allocs == 0) ||
        !selection_keeps(&view->selection, i) ||
        (view->suppressed != NULL && view->suppressed[node]))
      continue;
    string_sink_clear(&text);
    write_pattern(profile, &libraries, node, &text.sink);
    struct figures *own =
        &figures[names_intern(&patterns, string_sink_text(&text))];
    own->bytes += bytes;
    own->allocs += allocs;
  }
  for (uint32_t i = 0; i < patterns.count; i++)
    if (figures_any(&figures[i]))
      ranking_add(&ranking, (struct ranking_row){.figures = &figures[i],
                                                 .name = patterns.texts[i]});
  ranking_sort_by(&ranking, MEASURE_BYTES);
  for (size_t i = 0; i < ranking.count; i++)
    sink_format(sink, "# %" PRIu64 " bytes in %" PRIu64 " object%s\n%s\n",
                ranking.rows[i].figures->bytes,
                ranking.rows[i].figures->allocs,
                ranking.rows[i].figures->allocs == 1 ? "" : "s",
                ranking.rows[i].name);
}
