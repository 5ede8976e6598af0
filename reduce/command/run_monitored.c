/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof run: runs a program, or attaches to one, and says what became of it.
 * Its files are those of run_files.h.
 */

#include "command/command.h"

#include "command/attach.h"
#include "command/run_files.h"
#include "command/run_program.h"
#include "command/watch.h"

#include <inttypes.h>
#include <stdio.h>

#define UNSEEN "Lisp objects, which --pid cannot see"
/* Makes OUTCOME say why there is no FILE of the program NAME. */
static void
say_nothing_written(const struct options *options,
                    const struct run_sums *sums, struct outcome *outcome)
{
  const size_t process = options->run.process;
  const char *name = process == SIZE_MAX ? options->files[0] : NULL;
  const char *only = options->run.only;
  const char *reason = name == NULL ? NULL : unmonitored_reason(name);
  char others[64] = "";
  if (sums->files > 0)
    snprintf(others, sizeof others, "; %zu of its processes wrote %s",
             sums->files, sums->files == 1 ? "a file" : "files");
  if (name == NULL)
    mprof_line(outcome->remark,
               "no profile of process %zu was written: it allocated nothing%s"
               " while it was profiled, or it was killed",
               process, sums->ecl ? " but " UNSEEN "," : "");
  else if (only != NULL && *only != '\0')
    mprof_line(outcome->remark,
               "no profile was written: no program named '%s' allocated "
               "anything, or a line above says why",
               only);
  else /* the monitor itself has said what went wrong, such as a full disk */
    mprof_line(outcome->remark, "no profile of '%s' was written: %s%s", name,
               reason != NULL
                   ? reason
                   : "it allocated nothing, or a line above says why",
               others);
}

/* Makes OUTCOME say what was written to the file NAME, if that is there, and
 * others. */
static void
say_written(const char *name, bool root, const struct run_options *run,
            const struct run_sums *sums, struct outcome *outcome)
{
  const bool others = sums->files > 0;
  const char *quote = root ? "'" : "";
  char files[64] = "";
  char lost[64] = "";
  if (sums->sought)
    snprintf(lost, sizeof lost, ", %" PRIu64 " of these lost", sums->lost);
  if (others)
    snprintf(files, sizeof files, "%s%zu %sfile%s of its processes",
             root ? " and " : "", sums->files, root ? "more " : "",
             sums->files == 1 ? "" : "s");
  mprof_line(
      outcome->remark,
      "wrote %s%s%s%s: %" PRIu64 " allocations, %" PRIu64 " bytes, %" PRIu64
      " of them kept%s%s; see: mprof report %s%s%s%s",
      quote, root ? name : "", quote, files, sums->allocs, sums->bytes,
      sums->kept, lost,
      !sums->ecl                 ? ""
      : run->process != SIZE_MAX ? ", without " UNSEEN
                                 : ", without Lisp objects (profile these in "
                                   "Lisp, with (require :mprof))",
      root ? name : "", root && others ? " " : "", others ? name : "",
      others ? ".[0-9]*" : "");
}

struct running {
  const struct options *options;
  const struct run_files *files;
  struct sink *sink;
  struct outcome *outcome;
};

static void
run(void *closure)
{
  const struct running *running = closure;
  watch_run(running->options, running->files->path, running->sink,
            running->outcome);
}

void
run_monitored(const struct options *options, struct sink *sink,
              struct outcome *outcome)
{
  struct run_files files;
  struct running running = {options, &files, sink, outcome};
  struct mprof_error error, unfinished;
  const char *name = options->output == NULL ? "mprof.data" : options->output;
  const struct run_sums *sums = &files.sums;
  bool root;
  if (options->run.process != SIZE_MAX)
    attach_check(options);
  else
    program_check(options, outcome);
  run_files_prepare(&files, name);
  files.sums.ecl = attach_sees_ecl(options);
  run_files_begin(&files, options->run.reachable, options->run.timeline);
  const bool good = attempt(pool_in_use(), run, &running, &error);
  const bool finished = run_files_finish(&files, &root, &unfinished);
  run_files_release(&files);
  if (!good)
    fail_again(&error);
  if (!finished)
    mprof_line(outcome->remark, "%s", unfinished.message);
  else if (!root && (options->run.only == NULL || sums->files == 0))
    say_nothing_written(options, sums, outcome);
  else if (!options->run.quiet)
    say_written(name, root, &options->run, sums, outcome);
}
