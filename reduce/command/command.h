/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The commands of the program, as a table, and one command line from start to
 * end.  The command mprof and the library entry points of mprof.h are thin
 * clients of this.  A new command is an enum command, a row, its rows in
 * option_table.c and a function here.
 */

#pragma once

#include "base/sink.h"
#include "command/options.h"

#include <sys/types.h>

/* What became of a command line: how it ends, and the one line that is said
 * about it on standard error.  A result that scripts want to know, such as
 * growth beyond a limit or how a program ended, is no error. */
struct outcome {
  enum command command; /* that was recognised, for a hint on usage */
  int status;   /* of the exit: 0, what the command found, or what a failure
                   set; command_run makes 1 or 2 of 0 after a failure */
  bool is_read; /* the program that has opened the profile gets the output */
  int signal;   /* that ended the program that was run, or 0 */
  char remark[MPROF_ERROR_LENGTH]; /* on what was done, or "" */
  struct mprof_error error;        /* why it was not done, or MPROF_OK */
};

/* Returns the line, a part of OUTCOME, or "" if there is nothing to say. */
static inline const char *
outcome_line(const struct outcome *outcome)
{
  return outcome->error.code == MPROF_OK ? outcome->remark
                                         : outcome->error.message;
}

/* Sets OUTCOME to status 1 and a failure to write TARGET, which is a phrase
 * such as "the output"; ERROR_NUMBER is an errno value. */
void outcome_cannot_write(struct outcome *outcome, const char *target,
                          int error_number);

/* Runs a command whose options are known, in an attempt, which a failure ends
 * (base/pool.h).  Text goes to SINK, or to the file that the options name,
 * which then is complete or not touched.  OUTCOME has its command and is zero
 * otherwise.  A failure of SINK itself is left for its owner to find. */
typedef void command_function(const struct options *options,
                              struct sink *sink, struct outcome *outcome);
command_function run_view; /* tables, formats, pictures */
command_function run_merge;
command_function run_diff; /* status 3: more growth than is allowed */
/* status and signal are the program's; 4: it succeeded, but lost memory */
command_function run_monitored;
command_function run_top;

/* Writes VIEW to SINK. */
struct view;
typedef void emitter(const struct view *view, struct sink *sink);

struct command_row {
  enum command command;
  const char *name;
  const char *arguments; /* for the usage line; NULL: never listed */
  const char *help;      /* a few words */
  command_function *run; /* NULL: needs no options and no files */
  const char *endings;   /* of files that it writes, with a blank after each;
                            NULL: the format says */
  const char *writes;    /* what that is, and its endings, for a message */
  emitter *emit; /* of run_view; NULL: the format says, or it is drawn */
};

/* In the order of --help; ends with a row whose name is NULL. */
extern const struct command_row command_rows[];

/* Returns the command called NAME, or COMMAND_NONE. */
enum command command_find(const char *name);

/* Fails with MPROF_USAGE: says WHAT is wrong with NAME, which is no command,
 * and which one may be meant. */
_Noreturn void command_refuse(const char *what, const char *name);

/* Returns the first row of COMMAND, or the last row of all if it has none. */
const struct command_row *command_row(enum command command);

/* The stack of all threads that read debug information, for which libdw takes
 * 170 kB.  It is touched only as far as needed. */
enum { COMMAND_STACK_BYTES = 8 << 20 };

/* Runs COUNT ARGUMENTS (without the program's name), on OPEN unless that is
 * NULL, else on the files that they name; text goes to SINK, unless the
 * options name a file.  Needs no attempt around it.  Sets OUTCOME, and
 * returns its status: 0 to 4 (mprof.h), or that of a program that was run.
 * SINK is flushed unless the command fails; when SINK fails the status is 1,
 * and the error says that TARGET cannot be written. */
int command_run(int count, const char *const *arguments,
                const struct open_profile *open, struct sink *sink,
                const char *target, struct outcome *outcome);

/* Writes the usage line of COMMAND, without "usage: " and newline; that of
 * the program for COMMAND_NONE. */
void help_usage(enum command command, struct sink *sink);

/* ---- other programs at work for this one, without a shell: child.c ---- */

/* Makes a file in memory that holds LENGTH bytes of TEXT, to be read from the
 * beginning; it is closed with the pool in use.  Returns its descriptor, or
 * -1 and errno. */
int child_file(const char *text, size_t length);

/* Starts the program ARGUMENTS, the last of which is NULL, as *CHILD; its
 * standard streams are STREAMS, which stay open here.  A program without a
 * slash is sought in PATH.  One that is APART gets no signals from a
 * terminal, and ignores none.  Returns 0, or an errno value if there is no
 * child. */
int child_start(const char *const *arguments, const int streams[3],
                bool apart, pid_t *child);

/* Waits for the end of CHILD.  Returns whether its exit status was 0; true,
 * too, if something else has waited for it, so that this is not known. */
bool child_end(pid_t child);
