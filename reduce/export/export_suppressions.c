/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was lost, or never freed where that is not known, as blocks that
 * suppress it (analysis/suppression_file.h): one for all chains of the same
 * names, most bytes first.
 */

#include "export/export.h"

#include "tables/ranking.h"

#include <inttypes.h>
#include <string.h>

/* Writes a frame of a block, with ? for what a pattern or a line cannot have.
 */
static void
write_frame(struct sink *sink, const char *kind, const char *text)
{
  sink_format(sink, "   %s:", kind);
  for (; *text != '\0'; text++)
    sink_repeat(sink, strchr("[ \t\r\n", *text) != NULL ? '?' : *text, 1);
  sink_text(sink, "\n");
}

/* Writes the frames of NODE, and of those around it up to the outermost one
 * that shows, as valgrind's begin at main. */
static void
write_chain(const struct reduction *reduction, uint32_t node,
            struct sink *sink)
{
  const struct profile *profile = reduction->profile;
  const struct tree_node *nodes = profile->tree.nodes;
  uint32_t end = TREE_ROOT;
  for (uint32_t n = node; n != TREE_ROOT; n = nodes[n].parent)
    if (selection_shown(&reduction->selection, n, NULL, NULL) > 0)
      end = nodes[n].parent;
  for (; node != end; node = nodes[node].parent) {
    const struct profile_location *l = &profile->locations[nodes[node].item];
    uint32_t i = 0;
    do {
      uint32_t function = l->line_count == 0
                              ? INDEX_NONE
                              : profile->lines[l->first_line + i].function;
      const char *name = "", *file = "*";
      if (function != INDEX_NONE)
        name = names_text(&profile->names,
                          profile->functions[function].system_name);
      if (l->mapping != INDEX_NONE)
        file =
            names_text(&profile->names, profile->mappings[l->mapping].file);
      if (*name != '\0' && *name != '[') /* a place in the file */
        write_frame(sink, "fun", name);
      else
        write_frame(sink, "obj", file);
    } while (++i < l->line_count);
  }
}

void
export_suppressions(const struct reduction *reduction, struct sink *sink)
{
  const struct profile *profile = reduction->profile;
  const bool lost = profile_has(profile, MEASURE_LOST_BYTES);
  struct figures *figures =
      pool_zeroed(profile->sample_count + 1, sizeof *figures);
  struct names chains;
  struct string_sink text;
  struct ranking ranking = {0};
  if (profile->language != LANGUAGE_C ||
      !reduction_has(reduction, MEASURE_KEPT_BYTES))
    fail_with(MPROF_BAD_PROFILE, "--format=suppressions: the profile does "
                                 "not record what was never freed");
  names_init(&chains);
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
    if ((bytes == 0 && allocs == 0) ||
        !selection_keeps(&reduction->selection, i) ||
        (reduction->suppressed != NULL && reduction->suppressed[node]))
      continue;
    string_sink_clear(&text);
    write_chain(reduction, node, &text.sink);
    struct figures *of_chain =
        &figures[names_intern(&chains, string_sink_text(&text))];
    of_chain->bytes += bytes;
    of_chain->allocs += allocs;
  }
  for (uint32_t i = 0; i < chains.count; i++)
    if (figures_any(&figures[i]))
      ranking_add(&ranking, (struct ranking_row){.figures = &figures[i],
                                                 .name = chains.texts[i]});
  ranking_sort_by(&ranking, MEASURE_BYTES);
  for (size_t i = 0; i < ranking.count; i++)
    sink_format(sink,
                "{\n   %" PRIu64 " bytes in %" PRIu64
                " object%s\n   Memcheck:Leak\n   fun:*\n%s}\n",
                ranking.rows[i].figures->bytes,
                ranking.rows[i].figures->allocs,
                ranking.rows[i].figures->allocs == 1 ? "" : "s",
                ranking.rows[i].name);
}
