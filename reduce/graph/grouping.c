/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Groups are new functions at the end of the profile's; frames that show are
 * turned to them.  One more, hidden, stands in the place of the frames that
 * another one of their group represents.  The calls of a group are known when
 * those of all its functions are.
 */

#include "graph/grouping.h"

#include "graph/group_names.h"
#include "profile/array.h"

#include <string.h>

struct grouping {
  struct profile *profile;
  struct selection *selection;
  enum granularity by;
  uint32_t *of_function;    /* by old function: its group */
  struct index_map of_name; /* name id -> group */
  size_t hidden_capacity;
  uint32_t merged_frame; /* stands for what another frame represents */
};

/* Appends GROUP to the functions, hidden or not. */
static uint32_t
add_group(struct grouping *grouping, struct profile_function group,
          bool hidden)
{
  struct profile *profile = grouping->profile;
  size_t count = profile->function_count + 1;
  bool *flags =
      array_reserve(grouping->selection->hidden, &grouping->hidden_capacity,
                    count, sizeof *flags);
  if (flags == NULL)
    return INDEX_NONE;
  grouping->selection->hidden = flags;
  struct profile_function *functions =
      array_reserve(profile->functions, &profile->function_capacity, count,
                    sizeof *functions);
  if (functions == NULL || count >= INDEX_NONE)
    return INDEX_NONE;
  profile->functions = functions;
  functions[count - 1] = group;
  flags[count - 1] = hidden;
  profile->function_count = count;
  return (uint32_t)count - 1;
}

/* The name id of the group of FUNCTION, in which FRAME is. */
static uint32_t
name_group(struct grouping *grouping, const struct profile_function *function,
           const struct profile_frame *frame)
{
  struct profile *profile = grouping->profile;
  struct sink_string text = {0};
  struct sink sink;
  struct group_source source = {
      .name = names_text(&profile->names, function->name),
      .file = names_text(&profile->names, function->file),
      .line = frame->line > 0 ? frame->line : function->start_line,
      .runtime = function->runtime,
  };
  sink_init(&sink, sink_write_string, &text);
  group_name_write(grouping->by, profile->language, &source, &sink);
  uint32_t name =
      sink_flush(&sink)
          ? names_intern(&profile->names, text.text == NULL ? "" : text.text)
          : NAMES_NONE;
  free(text.text);
  return name;
}

/* The group of FRAME, made when it is the first of it. */
static uint32_t
find_group(struct grouping *grouping, const struct profile_frame *frame)
{
  struct profile_function function =
      grouping->profile->functions[frame->function];
  uint32_t name = name_group(grouping, &function, frame);
  if (name == NAMES_NONE)
    return INDEX_NONE;
  uint32_t group = index_map_find(&grouping->of_name, name);
  if (group != INDEX_NONE)
    return group;
  bool itself = name == function.name;
  bool has_file = itself || grouping->by <= BY_FILE;
  bool has_line = itself || grouping->by == BY_LINE;
  group = add_group(grouping,
                    (struct profile_function){
                        .name = name,
                        .file = has_file ? function.file : 0,
                        .start_line = !has_line         ? 0
                                      : frame->line > 0 ? frame->line
                                                        : function.start_line,
                    },
                    false);
  return group != INDEX_NONE && index_map_add(&grouping->of_name, name, group)
             ? group
             : INDEX_NONE;
}

/* Turns each frame that shows to its group. */
static bool
group_frames(struct grouping *grouping)
{
  struct profile *profile = grouping->profile;
  for (size_t i = 0; i < profile->frame_count; i++) {
    struct profile_frame *frame = &profile->frames[i];
    uint32_t *known = &grouping->of_function[frame->function];
    uint32_t group = *known;
    if (grouping->selection->hidden[frame->function])
      continue;
    if (group == INDEX_NONE || grouping->by == BY_LINE) {
      group = *known = find_group(grouping, frame);
      if (group == INDEX_NONE ||
          (!profile_calls_known(profile, frame->function) &&
           !profile_add_unknown_calls(profile,
                                      profile->functions[group].name)))
        return false;
    }
    frame->function = group;
  }
  uint32_t merged =
      add_group(grouping, (struct profile_function){.name = 0}, true);
  grouping->merged_frame = (uint32_t)profile->frame_count;
  return merged != INDEX_NONE && profile->frame_count < INDEX_NONE &&
         profile_add_frame(profile, (struct profile_frame){merged, 0, 0});
}

/* Leaves one frame of each run in the chain of SAMPLE.  Samples that share a
 * chain come here more than once, which changes nothing any more. */
static void
merge_runs(struct grouping *grouping, const struct profile_sample *sample)
{
  struct profile *profile = grouping->profile;
  uint32_t *chain = profile->chains + sample->first_frame;
  uint32_t last = INDEX_NONE;
  size_t length = grouping->selection->lengths[sample - profile->samples];
  while (length-- > 0) {
    uint32_t function = profile->frames[chain[length]].function;
    if (grouping->selection->hidden[function])
      continue;
    if (function == last)
      chain[length] = grouping->merged_frame;
    last = function;
  }
}

/* Whether the profile knows the lines of calls.  Then the line that a
 * function was called at is none that anything was called from, and calls of
 * lines make no sense. */
static bool
has_call_lines(const struct profile *profile)
{
  for (size_t i = 0; i < profile->frame_count; i++) {
    const struct profile_frame *frame = &profile->frames[i];
    if (frame->line > 0 &&
        frame->line != profile->functions[frame->function].start_line)
      return true;
  }
  return false;
}

static void
forget_calls(struct profile *profile)
{
  profile->has_activations = false;
  for (size_t i = 0; i < profile->sample_count; i++)
    profile->samples[i].activations = 0;
}

bool
grouping_apply(struct profile *profile, struct selection *selection,
               enum granularity by, struct mprof_error *error)
{
  if (by == BY_FUNCTION)
    return true;
  if (by == BY_LINE && has_call_lines(profile))
    forget_calls(profile);
  struct grouping grouping = {
      .profile = profile,
      .selection = selection,
      .by = by,
      .of_function = array_zeroed(profile->function_count, sizeof(uint32_t)),
      .hidden_capacity = profile->function_count,
  };
  bool good = grouping.of_function != NULL;
  for (size_t i = 0; good && i < profile->function_count; i++)
    grouping.of_function[i] = INDEX_NONE;
  good = good && group_frames(&grouping);
  for (size_t i = 0; good && i < profile->sample_count; i++)
    merge_runs(&grouping, &profile->samples[i]);
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
