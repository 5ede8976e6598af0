/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Groups are new functions at the end of the table's; frames that are not
 * hidden show as them.  The calls of a group are known when those of all its
 * functions are.
 */

#include "analysis/grouping.h"

#include "base/array.h"

#include <string.h>

struct grouping {
  struct frame_table *frames;
  const struct selection *selection;
  enum granularity by;
  uint32_t *of_function;    /* by function: its group */
  struct index_map of_name; /* name id -> group */
};

/* The name id of the group of FUNCTION, in which FRAME is. */
static uint32_t
name_group(struct grouping *grouping, const struct function *function,
           const struct frame *frame)
{
  struct names *names = &grouping->frames->names;
  struct string_sink group;
  struct group_source source = {
      .name = names_text(names, function->name),
      .file = names_text(names, function->file),
      .line = frame->line > 0 ? frame->line : function->start_line,
      .runtime = function->runtime,
  };
  string_sink_init(&group);
  group_name_write(grouping->by, grouping->frames->profile->language, &source,
                   &group.sink);
  const char *text = string_sink_text(&group);
  uint32_t name = text == NULL ? NAMES_NONE : names_intern(names, text);
  string_sink_release(&group);
  return name;
}

/* The group of FRAME, made when it is the first of it. */
static uint32_t
find_group(struct grouping *grouping, const struct frame *frame)
{
  struct function function = grouping->frames->functions[frame->function];
  uint32_t name = name_group(grouping, &function, frame);
  if (name == NAMES_NONE)
    return INDEX_NONE;
  uint32_t group = index_map_find(&grouping->of_name, name);
  if (group != INDEX_NONE)
    return group;
  bool itself = name == function.name;
  bool has_file = itself || grouping->by <= BY_FILE;
  bool has_line = itself || grouping->by == BY_LINE;
  group = frame_table_add(grouping->frames,
                          (struct function){
                              .name = name,
                              .file = has_file ? function.file : 0,
                              .start_line = !has_line ? 0
                                            : frame->line > 0
                                                ? frame->line
                                                : function.start_line,
                              .calls_known = true,
                          });
  return group != INDEX_NONE && index_map_add(&grouping->of_name, name, group)
             ? group
             : INDEX_NONE;
}

/* Turns each frame that shows to its group. */
static bool
group_frames(struct grouping *grouping)
{
  struct frame_table *frames = grouping->frames;
  for (size_t i = 0; i < frames->frame_count; i++) {
    struct frame *frame = &frames->frames[i];
    uint32_t *known = &grouping->of_function[frame->function];
    if (grouping->selection->hidden[frame->function])
      continue;
    if (*known == INDEX_NONE || grouping->by == BY_LINE)
      *known = find_group(grouping, frame);
    if (*known == INDEX_NONE)
      return false;
    if (!frames->functions[frame->function].calls_known)
      frames->functions[*known].calls_known = false;
    frame->shown = *known;
  }
  return true;
}

/* Whether the profile knows the lines of calls.  Then the line that a
 * function was called at is none that anything was called from, and calls of
 * lines make no sense. */
static bool
has_call_lines(const struct frame_table *frames)
{
  for (size_t i = 0; i < frames->frame_count; i++) {
    const struct frame *frame = &frames->frames[i];
    if (frame->line > 0 &&
        frame->line != frames->functions[frame->function].start_line)
      return true;
  }
  return false;
}

bool
grouping_apply(struct frame_table *frames, struct selection *selection,
               enum granularity by, struct mprof_error *error)
{
  if (by == BY_FUNCTION)
    return true;
  if (by == BY_LINE && has_call_lines(frames))
    selection->counts_calls = false;
  struct grouping grouping = {
      .frames = frames,
      .selection = selection,
      .by = by,
      .of_function = array_zeroed(frames->function_count, sizeof(uint32_t)),
  };
  bool good = grouping.of_function != NULL;
  for (size_t i = 0; good && i < frames->function_count; i++)
    grouping.of_function[i] = INDEX_NONE;
  good = good && group_frames(&grouping);
  free(grouping.of_function);
  index_map_release(&grouping.of_name);
  return good || mprof_error_memory(error);
}

const char *
granularity_noun(enum granularity by, bool many)
{
  static const char *const nouns[][2] = {
      [BY_FUNCTION] = {"function", "functions"},
      [BY_LINE] = {"line", "lines"},
      [BY_FILE] = {"file", "files"},
      [BY_PACKAGE] = {"package", "packages"},
      [BY_CLASS] = {"class or function", "classes and functions"},
  };
  return nouns[by][many];
}
