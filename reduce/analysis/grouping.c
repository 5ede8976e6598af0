/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Groups are new functions at the end of the table's; frames that are not
 * hidden show as them.  The calls of a group are known when those of all its
 * functions are.
 */

#include "analysis/frames.h"

#include "common/region_path.h"

#include <inttypes.h>

/* Returns the name id of the group of FRAME; TEXT is for writing it. */
static uint32_t
group_name(struct frame_table *frames, const struct frame *frame,
           enum granularity by, struct string_sink *text)
{
  const struct function *function = &frames->functions[frame->function];
  struct group_source source = {
      .name = names_text(&frames->names, function->name),
      .file = names_text(&frames->names, frame_file(frames, frame)),
      .line = frame->line > 0 ? frame->line : function->start_line,
      .runtime = function->runtime,
  };
  string_sink_clear(text);
  group_name_write(by, frames->profile->language, &source, &text->sink);
  if (by == BY_SITE && frame->address != 0)
    sink_format(&text->sink, "+%" PRIu64,
                frame->address - function->low_address);
  return names_intern(&frames->names, string_sink_text(text));
}

/* Turns each frame that shows to its group, made when it is the first of it.
 */
static void
group_frames(struct frame_table *frames, enum granularity by,
             const struct function_choice *choices)
{
  struct index_map of_name = {0};
  const size_t first = frames->function_count;
  struct string_sink text;
  string_sink_init(&text);
  for (size_t i = 0; i < frames->frame_count; i++) {
    struct frame *frame = &frames->frames[i];
    if (choices[frame->function].hidden)
      continue;
    const struct function function = frames->functions[frame->function];
    const uint32_t name = group_name(frames, frame, by, &text);
    const bool has_line =
        name == function.name || by == BY_LINE || by == BY_SITE;
    frame->shown = (uint32_t)first + index_map_number(&of_name, name);
    if (frame->shown == frames->function_count)
      frame_table_add(frames, (struct function){
                                  .name = name,
                                  .file = has_line || by == BY_FILE
                                              ? frame_file(frames, frame)
                                              : 0,
                                  .start_line = !has_line ? 0
                                                : frame->line > 0
                                                    ? frame->line
                                                    : function.start_line,
                                  .calls_known = true,
                              });
    frames->functions[frame->shown].calls_known &= function.calls_known;
  }
}

/* ---- labels ---- */

/* Gives each region the name of its group: KEY=VALUE. */
static void
group_regions(struct frame_table *frames, const char *key)
{
  const struct profile *profile = frames->profile;
  const char *none = pool_format("[no %s]", key);
  bool any = false;
  frames->region_groups =
      pool_zeroed(profile->region_count, sizeof *frames->region_groups);
  for (size_t i = 0; i < profile->region_count; i++) {
    const char *label;
    size_t length;
    const char *path = names_text(&profile->names, profile->regions[i]);
    const bool has = region_path_label(path, key, &label, &length);
    frames->region_groups[i] = names_intern(
        &frames->names, has ? pool_text_part(label, length) : none);
    any |= has;
  }
  if (!any)
    fail_with(MPROF_NOTHING, "--by=label:%s: nothing has the label %s", key,
              key);
}

/* ---- the whole ---- */

bool
frames_have_lines(const struct frame_table *frames)
{
  for (size_t i = 0; i < frames->frame_count; i++) {
    const struct frame *frame = &frames->frames[i];
    if (frame->line > 0 && /* in Lisp, its first line stands for all */
        (frames->profile->language == LANGUAGE_C ||
         frame->line != frames->functions[frame->function].start_line))
      return true;
  }
  return false;
}

bool
groups_have_calls(const struct frame_table *frames, enum granularity by)
{
  /* the line that a function was called at is none that anything was called
   * from: calls of lines make no sense */
  return by != BY_SITE && by != BY_LABEL &&
         !(by == BY_LINE && frames_have_lines(frames));
}

void
frame_table_group(struct frame_table *frames, enum granularity by,
                  const char *key, const struct function_choice *choices)
{
  if (by == BY_LABEL)
    group_regions(frames, key);
  else if (by != BY_FUNCTION)
    group_frames(frames, by, choices);
}

const char *
granularity_noun(enum granularity by, bool many)
{
  static const char *const nouns[][2] = {
      [BY_FUNCTION] = {"function", "functions"},
      [BY_LINE] = {"line", "lines"},
      [BY_SITE] = {"call site", "call sites"},
      [BY_FILE] = {"file", "files"},
      [BY_PACKAGE] = {"package", "packages"},
      [BY_CLASS] = {"class or function", "classes and functions"},
      [BY_LABEL] = {"label", "labels"},
  };
  return nouns[by][many];
}
