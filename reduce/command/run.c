/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The commands that turn profiles into text, pictures, or one profile. */

#include "command/command.h"

#include "advice/rules.h"
#include "base/pool.h"
#include "base/sink.h"
#include "command/load.h"
#include "diff/diff.h"
#include "export/export.h"
#include "profile/writer.h"
#include "tables/output.h"
#include "tables/report.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns what OPTIONS want written to, SINK or a file, and tells it what
 * they say of its looks; for the rest it knows best. */
static struct sink *
open_output(const struct options *options, struct sink *sink)
{
  progress_tell("writing", 0, 0);
  if (options->output != NULL)
    sink = output_file_open(options->output);
  sink->line_width = options->view.width;
  if (options->color != COLOR_AUTOMATIC)
    sink->color = options->color == COLOR_ALWAYS;
  return sink;
}

enum { INPUT, PICTURE, MESSAGES, FILES }; /* descriptors of dot */

/* Lets Graphviz draw VIEW as the kind of picture that the file PATH is.  What
 * its program dot reads and writes are files in memory, so that nothing waits
 * for anything but its end. */
static void
draw(const struct view *view, const char *path, struct sink *sink)
{
  const char *ending = path == NULL ? NULL : strrchr(path, '.');
  const bool other = ending != NULL && (strcmp(ending, ".png") == 0 ||
                                        strcmp(ending, ".pdf") == 0);
  const char *const arguments[] = {
      "dot", pool_format("-T%s", other ? ending + 1 : "svg"), NULL};
  struct string_sink dot;
  int files[FILES];
  char line[512], bytes[SINK_BUFFER_BYTES];
  ssize_t length;
  pid_t child;
  int failure = 0;
  string_sink_init(&dot);
  export_dot(view, &dot.sink);
  const char *text = string_sink_text(&dot);
  for (int i = 0; failure == 0 && i < FILES; i++) {
    files[i] = child_file(text, i == INPUT ? dot.length : 0);
    failure = files[i] < 0 ? errno : 0;
  }
  if (failure == 0)
    failure = child_start(arguments, files, false, &child);
  if (failure == ENOENT)
    fail_with(MPROF_CANNOT_RUN,
              "drawing requires Graphviz; install the package graphviz, "
              "which has the program dot");
  if (failure != 0)
    fail_with(MPROF_CANNOT_RUN, "cannot run 'dot': %s", strerror(failure));
  if (!child_end(child)) {
    length = pread(files[MESSAGES], line, sizeof line - 1, 0);
    line[length < 0 ? 0 : length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fail_with(MPROF_CANNOT_RUN, "dot: %s",
              *line == '\0' ? "it failed without a message" : line);
  }
  for (off_t at = 0;
       (length = pread(files[PICTURE], bytes, sizeof bytes, at)) > 0;
       at += length)
    sink_bytes(sink, bytes, (size_t)length);
}

/* Fails where a page, a picture or compressed data would be written to a
 * terminal. */
static void
check_terminal(emitter *emit, const char *output, const struct sink *sink)
{
  if (sink->is_terminal && (output == NULL || strcmp(output, "-") == 0) &&
      (emit == NULL || emit == export_html || emit == export_pprof ||
       emit == export_heap))
    fail_with(MPROF_USAGE, "a terminal cannot show this; add -o OUT");
}

/* Gives OPTIONS the views beside that of PROFILE which EMIT reads: the same
 * by line in the page, and of holders in a report. */
static void
add_views(struct view_options *options, const struct profile *profile,
          emitter *emit)
{
  struct view_options *other = pool_alloc(sizeof *other);
  const size_t held =
      (size_t)(output_find(report_tables, "held", 4) - report_tables);
  *other = *options;
  if (emit == export_html && options->by == BY_FUNCTION &&
      !measure_is_held(options->value)) {
    other->by = BY_LINE;
    other->tree_alone = true;
    const struct view *lines = view_make(profile, other);
    options->lines = frames_have_lines(&lines->frames) ? lines : NULL;
  } else if (emit == report_write &&
             measure_known(profile, MEASURE_HELD_BYTES) &&
             !selection_is_of_time(&options->select) &&
             (options->tables == 0 ? !measure_is_held(options->value)
                                   : options->tables >> held & 1)) {
    other->value = MEASURE_HELD_BYTES;
    options->held = view_make(profile, other);
  }
}

/* Makes PROFILE that of OPERAND: of the file or folder of that name if there
 * is one, else of several with commas between them. */
static void
load_joined(struct profile *profile, const char *operand)
{
  char *rest = pool_text(operand);
  const char **files = pool_zeroed(strlen(operand) + 1, sizeof *files);
  size_t count = 0;
  if (access(operand, F_OK) == 0)
    files[count++] = operand;
  else
    while (rest != NULL)
      files[count++] = strsep(&rest, ",");
  profile_load(profile, files, count);
}

/* Returns the view that GIVEN compares PROFILE with, or NULL. */
static const struct view *
make_base(const struct options *given, const struct profile *profile,
          emitter *emit)
{
  const struct profile *base = given->open == NULL ? NULL : given->open->base;
  struct view_options *options = pool_alloc(sizeof *options);
  if (base == NULL && given->base == NULL)
    return NULL;
  if (base == NULL) {
    struct profile *read = pool_zeroed(1, sizeof *read);
    load_joined(read, given->base);
    base = read;
  }
  diff_check_languages(base, profile);
  *options = given->view;
  options->files = pool_alloc(sizeof *options->files);
  options->files[0] = given->base;
  options->file_count = 1;
  options->select.samples = NULL; /* they are of the other profile */
  options->select.sample_count = 0;
  add_views(options, base, emit);
  return view_make(base, options);
}

/* Fails unless VIEW, or what it is compared with, is of something that
 * the options choose.  A program that reads an export takes one of nothing.
 */
static void
check_choice(const struct view *view, const struct options *options,
             const struct outcome *outcome)
{
  const struct selection *selection = &view->selection;
  if (!(outcome->is_read && options->command == COMMAND_EXPORT) &&
      selection_is_empty(selection) &&
      (view->options->base == NULL ||
       selection_is_empty(&view->options->base->selection)))
    selection_fail_empty(selection);
}

void
run_view(const struct options *options, struct sink *sink,
         struct outcome *outcome)
{
  struct profile read = {0};
  struct view_options shown = options->view;
  struct rule_list rules;
  emitter *emit = options->format != NULL
                      ? options->format->emit
                      : command_row(options->command)->emit;
  check_terminal(emit, options->output, sink);
  if (options->open == NULL)
    profile_load(&read, options->files, options->file_count);
  const struct profile *profile =
      options->open == NULL ? &read : options->open->profile;
  if (options->rules != NULL || profile->language == LANGUAGE_LISP) {
    rule_list_init(&rules, options->rules);
    shown.rules = &rules;
  }
  shown.base = make_base(options, profile, emit);
  add_views(&shown, profile, emit);
  const struct view *view = view_make(profile, &shown);
  check_choice(view, options, outcome);
  sink = open_output(options, sink);
  if (emit != NULL)
    emit(view, sink);
  else
    draw(view, options->output, sink);
  if (options->output != NULL)
    output_file_close(sink, true);
}

/* Writes what more holders retain, where it is asked what is alive and both
 * files say it. */
static void
compare_holders(const struct profile *profiles, const struct options *options,
                struct sink *sink)
{
  struct view_options view = options->view;
  struct diff diff = {0};
  view.value = MEASURE_HELD_BYTES;
  if ((options->view.value != MEASURE_KEPT_BYTES &&
       options->view.value != MEASURE_KEPT_ALLOCS) ||
      !measure_known(&profiles[DIFF_OLD], view.value) ||
      !measure_known(&profiles[DIFF_NEW], view.value))
    return;
  diff_init(&diff, profiles, &view, &options->diff);
  diff_write_table(&diff, DIFF_INCLUSIVE, sink);
}

/* Writes the tables, also when growth is beyond the limits; then OUTCOME says
 * so. */
void
run_diff(const struct options *options, struct sink *sink,
         struct outcome *outcome)
{
  struct profile profiles[DIFF_SIDES] = {0};
  struct diff diff = {0};
  for (int side = 0; side < DIFF_SIDES; side++)
    load_joined(&profiles[side], options->files[side]);
  diff_init(&diff, profiles, &options->view, &options->diff);
  if (selection_is_empty(&diff.sides[DIFF_OLD]->selection) &&
      selection_is_empty(&diff.sides[DIFF_NEW]->selection))
    selection_fail_empty(&diff.sides[DIFF_NEW]->selection);
  diff_check_growth(&diff, outcome->remark);
  sink = open_output(options, sink);
  diff_write(&diff, sink);
  compare_holders(profiles, options, sink);
  if (options->output != NULL)
    output_file_close(sink, true);
  if (outcome->remark[0] != '\0')
    outcome->status = 3;
}

/* ---- merge ------------------------------------------------------------ */

/* Fails where OUTPUT is a file of a folder of LIST: each run would count the
 * last one's sums again.  It may be one that is named, as in "merge -o
 * all.data all.data new.data". */
static void
check_output(const struct input_list *list, const char *output)
{
  struct stat written;
  struct stat read;
  if (stat(output, &written) != 0)
    return;
  for (size_t i = 0; i < list->count; i++)
    if (list->files[i].folder != NULL &&
        stat(list->files[i].path, &read) == 0 &&
        read.st_dev == written.st_dev && read.st_ino == written.st_ino)
      fail_file(MPROF_CANNOT_WRITE, MPROF_NO_OFFSET, output,
                "cannot write '%s': it is one of the files to merge, in the "
                "folder '%s'",
                output, list->files[i].folder);
}

/* Writes PROFILE to the file OUTPUT, or to SINK where that is "-". */
static void
save(const struct profile *profile, const char *output, struct sink *sink)
{
  if (strcmp(output, "-") == 0)
    profile_write(profile, false, sink);
  else
    profile_save(profile, output, true);
}

/* Reads all files, then writes one. */
void
run_merge(const struct options *options, struct sink *sink,
          struct outcome *outcome)
{
  struct input_list list = {0};
  struct profile profile = {0};
  (void)outcome;
  check_terminal(export_pprof, options->output, sink);
  if (options->open != NULL) {
    save(options->open->profile, options->output, sink);
    return;
  }
  input_list_fill(&list, options->files, options->file_count);
  check_output(&list, options->output);
  profile_load_list(&profile, &list, true, NULL);
  progress_tell("writing", 0, 0);
  save(&profile, options->output, sink);
}
