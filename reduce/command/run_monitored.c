/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof run: runs a program, or attaches to one, and reports the outcome.
 * Its files are those of run_files.h.
 */

#include "command/command.h"

#include "analysis/suppressions.h"
#include "command/control.h"
#include "command/run_files.h"
#include "command/run_program.h"

#include <inttypes.h>
#include <stdio.h>

#define UNSEEN "Lisp objects, which --pid cannot see"
/* Makes OUTCOME say why there is no FILE of the program NAME. */
static void
say_nothing_written(const struct options *options,
                    const struct run_sums *sums, struct outcome *outcome)
{
  const size_t process = options->run.process;
  const char *name = process == 0 ? options->files[0] : NULL;
  const char *only = options->run.only;
  const char *reason = name == NULL ? NULL : unmonitored_reason(name);
  const char *others =
      sums->files == 0
          ? ""
          : pool_format("; %zu of its processes wrote %s", sums->files,
                        sums->files == 1 ? "a file" : "files");
  if (name == NULL)
    mprof_line(outcome->remark,
               "no profile of process %zu was written: it allocated nothing%s"
               " while it was profiled, or it was killed",
               process, sums->ecl ? " but " UNSEEN "," : "");
  else if (only != NULL && *only != '\0')
    mprof_line(outcome->remark,
               "no profile was written: no program named '%s' allocated "
               "anything%s, or a line above says why",
               only, options->run.off ? " while counting was on" : "");
  else /* the monitor itself has said what went wrong, such as a full disk */
    mprof_line(outcome->remark, "no profile of '%s' was written: %s%s", name,
               reason != NULL ? reason
               : options->run.off
                   ? "nothing switched counting on, or it allocated nothing "
                     "while it was on, or a line above says why"
                   : "it allocated nothing, its file was removed or replaced, "
                     "or a line above says why",
               others);
}

/* Returns TEXT as a word for a shell: in quotes where that reads more than a
 * word in it. */
static const char *
shell_word(const char *text)
{
  const char *special = " \t\n!\"#$&'()*;<>?[\\]^`{|}~";
  char *word, *end;
  if (text[0] != '\0' && strpbrk(text, special) == NULL)
    return text;
  word = end = pool_alloc(4 * strlen(text) + 3);
  *end++ = '\'';
  for (; *text != '\0'; text++)
    if (*text == '\'') {
      memcpy(end, "'\\''", 4);
      end += 4;
    } else {
      *end++ = *text;
    }
  memcpy(end, "'", 2);
  return word;
}

/* Returns the files that were written, as a command takes them. */
static const char *
names_of_files(const char *name, const struct run_sums *sums)
{
  const bool others = sums->files > 0;
  name = shell_word(name);
  return pool_format("%s%s%s%s", sums->root ? name : "",
                     sums->root && others ? " " : "", others ? name : "",
                     others ? ".[0-9]*" : "");
}

/* Makes OUTCOME say what was written to the file NAME, if that is there, and
 * others. */
static void
say_written(const char *name, const struct run_options *run,
            const struct run_sums *sums, struct outcome *outcome)
{
  const bool others = sums->files > 0;
  const char *quote = sums->root ? "'" : "";
  const char *files = "", *lost = "";
  if (sums->sought)
    lost = pool_format(", %" PRIu64 " of these lost (%" PRIu64
                       " directly, %" PRIu64 " indirectly)",
                       sums->lost + sums->lost_indirectly, sums->lost,
                       sums->lost_indirectly);
  if (others)
    files = pool_format(
        "%s%zu %sfile%s of its processes", sums->root ? " and " : "",
        sums->files, sums->root ? "more " : "", sums->files == 1 ? "" : "s");
  mprof_line(
      outcome->remark,
      "wrote %s%s%s%s: %" PRIu64 " allocations, %" PRIu64 " bytes, %" PRIu64
      " of them kept%s%s%s; see: mprof report %s",
      quote, sums->root ? name : "", quote, files, sums->allocs, sums->bytes,
      sums->kept, lost,
      sums->uncounted[0] == '\0'
          ? ""
          : pool_format(", without what %s allocated", sums->uncounted),
      !sums->ecl ? ""
      : run->process != 0
          ? ", without " UNSEEN
          : ", without Lisp objects (count these by "
            "(mprof:with-profiling ...) in mprof-ecl or build/bin/ecl)",
      names_of_files(name, sums));
}

/* Makes OUTCOME that of --fail-on-leak, where the program itself succeeded.
 */
static void
check_leaks(const struct options *options, const char *name,
            const struct run_sums *sums, struct outcome *outcome)
{
  const struct growth_limit *limit =
      &options->run.leaks.of[GROWTH_OF_TOTAL][GROWTH_BYTES];
  const struct run_leaks *leaks = &sums->leaks;
  const char *suppressions = options->view.suppressions;
  if (!sums->root && (options->run.only != NULL ||
                      unmonitored_reason(options->files[0]) != NULL)) {
    outcome->status = 2; /* a line has said that there is no profile */
  } else if (leaks->unchecked != NULL) {
    outcome->status = 2;
    mprof_line(outcome->remark, "--fail-on-leak cannot check '%s': %s",
               options->files[0], leaks->unchecked);
  } else if (growth_exceeds(limit, GROWTH_BYTES, 0, leaks->bytes, 0)) {
    outcome->status = 4;
    mprof_line(outcome->remark,
               "%" PRIu64 " bytes in %" PRIu64
               " object%s were lost, directly "
               "or indirectly, for example by %s; see: mprof report "
               "--tables=leaks%s%s %s",
               leaks->bytes, leaks->objects, leaks->objects == 1 ? "" : "s",
               leaks->site, suppressions == NULL ? "" : " --suppressions=",
               suppressions == NULL ? "" : shell_word(suppressions),
               names_of_files(name, sums));
  }
}

struct running {
  const struct options *options;
  struct run_files *files;
  struct sink *sink;
  struct outcome *outcome;
  struct watch *watch;
};

static void
run(void *closure)
{
  struct running *running = closure;
  const struct run_options *options = &running->options->run;
  if (options->serve != NULL)
    running->watch = watch_serve(running->options, running->files);
  if (options->process != 0)
    attach_run(running->options, running->files, running->sink);
  else
    program_run(running->options, running->files, running->outcome);
}

void
run_monitored(const struct options *options, struct sink *sink,
              struct outcome *outcome)
{
  struct run_files files;
  struct running running = {options, &files, sink, outcome, NULL};
  struct mprof_error error, unfinished;
  const char *name = options->output == NULL ? "mprof.data" : options->output;
  const struct run_sums *sums = &files.sums;
  const bool leaks = options->run.leaks.text != NULL;
  suppressions_check(&options->view);
  if (options->run.process != 0)
    attach_check(options);
  else
    program_check(options, outcome);
  run_files_prepare(&files, name, leaks ? &options->view : NULL);
  if (options->run.process != 0)
    attach_prepare(options, &files);
  run_files_begin(&files, options->run.reachable, options->run.timeline);
  const bool good = attempt(pool_in_use(), run, &running, &error);
  if (running.watch != NULL)
    watch_close(running.watch);
  const bool finished = run_files_finish(&files, &unfinished);
  run_files_settle(&files, good);
  run_files_release(&files);
  if (!good)
    fail_again(&error);
  if (!finished)
    mprof_line(outcome->remark, "%s", unfinished.message);
  else if (!sums->root && (options->run.only == NULL || sums->files == 0))
    say_nothing_written(options, sums, outcome);
  else if (!options->run.quiet)
    say_written(name, &options->run, sums, outcome);
  if (leaks && outcome->status == 0 && !finished)
    outcome->status = 1;
  else if (leaks && outcome->status == 0)
    check_leaks(options, name, sums, outcome);
}
