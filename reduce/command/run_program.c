/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Between fork and exec only the number of the process is filled in; a pipe
 * that closes on exec tells whether that succeeded.  Signals are waited for,
 * and not handled: nothing here is global.
 */

#include "command/run_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  SHELL_CANNOT_RUN = 126,
  SHELL_NOT_FOUND = 127,
  SHELL_SIGNAL = 128,
  NUMBER_ROOM = 24
};

/* ---- the environment --------------------------------------------------- */

enum { PROCESS_VARIABLE, OWN_VARIABLES = 9 };
static const char process_variable[] = "MPROF_ROOT_PID=";
static const char process_number[] = "0000000000";

struct environment {
  char **variables; /* owned: those of this process, and: */
  char *own[OWN_VARIABLES]; /* owned; NULL: not there */
};

/* A variable for the monitor; its name ends in "=". */
struct variable {
  const char *name;
  const char *value; /* NULL: not set */
};

static void
release_environment(struct environment *environment)
{
  for (size_t i = 0; i < OWN_VARIABLES; i++)
    free(environment->own[i]);
  free(environment->variables);
}

static bool
is_among(const char *text, const struct variable *own)
{
  for (size_t i = 0; i < OWN_VARIABLES; i++)
    if (strncmp(text, own[i].name, strlen(own[i].name)) == 0)
      return true;
  return false;
}

/* Fills ENVIRONMENT with that of this process, with OWN in the place of what
 * it has by these names. */
static bool
merge_environment(struct environment *environment, const struct variable *own)
{
  size_t count = 0;
  size_t kept = 0;
  while (environ[count] != NULL)
    count++;
  environment->variables =
      calloc(count + OWN_VARIABLES + 1, sizeof *environment->variables);
  if (environment->variables == NULL)
    return false;
  for (size_t i = 0; i < count; i++)
    if (!is_among(environ[i], own))
      environment->variables[kept++] = environ[i];
  for (size_t i = 0; i < OWN_VARIABLES; i++) {
    if (own[i].value == NULL)
      continue;
    if (asprintf(&environment->own[i], "%s%s", own[i].name, own[i].value) < 0)
      return environment->own[i] = NULL, false;
    environment->variables[kept++] = environment->own[i];
  }
  return true;
}

/* NUMBER, written to TEXT; NULL when it is not given. */
static const char *
number_text(char text[NUMBER_ROOM], size_t number)
{
  snprintf(text, NUMBER_ROOM, "%zu", number);
  return number == SIZE_MAX ? NULL : text;
}

/* The environment of a program with what RUN asks for. */
static bool
make_environment(struct environment *environment,
                 const struct run_options *run, const char *preload,
                 const char *file)
{
  char autosave[NUMBER_ROOM], budget[NUMBER_ROOM], temporary[NUMBER_ROOM];
  const struct variable own[OWN_VARIABLES] = {
      /* as long for all processes, see profile_file.c */
      [PROCESS_VARIABLE] = {process_variable, process_number},
      {"LD_PRELOAD=", preload},
      {"MPROF_OUT=", file},
      {"MPROF_COUNT=", run->off ? "off" : NULL},
      {"MPROF_UNFOLDED=", run->unfolded ? "1" : NULL},
      {"MPROF_SIGNAL=", run->signal},
      {"MPROF_AUTOSAVE=", number_text(autosave, run->autosave)},
      {"MPROF_BUDGET=", number_text(budget, run->budget)},
      {"MPROF_TEMPORARY=", number_text(temporary, run->temporary)},
  };
  return merge_environment(environment, own);
}

/* ---- the library ------------------------------------------------------- */

/* Sets PATH, of PATH_MAX bytes, to the library: in the folder that MPROF_LIB
 * names, else in lib beside the folder of this command. */
static bool
find_library(char *path, struct mprof_error *error)
{
  static const char library[] = "libmprof-malloc.so";
  char folder[PATH_MAX] = "";
  char wanted[PATH_MAX + sizeof library + 1];
  const char *given = getenv("MPROF_LIB");
  if (given != NULL && *given != '\0') {
    snprintf(folder, sizeof folder, "%s", given);
  } else {
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 8);
    folder[length < 0 ? 0 : length] = '\0';
    for (int i = 0; i < 2 && strrchr(folder, '/') != NULL; i++)
      *strrchr(folder, '/') = '\0';
    strcat(folder, "/lib");
  }
  snprintf(wanted, sizeof wanted, "%s/%s", folder, library);
  if (realpath(wanted, path) == NULL)
    return mprof_error_set(error, MPROF_CANNOT_READ, MPROF_NO_OFFSET,
                           "cannot find the monitor '%s': %s (MPROF_LIB may "
                           "name its folder)",
                           wanted, strerror(errno));
  if (strpbrk(path, " :") != NULL)
    return mprof_error_set(error, MPROF_CANNOT_READ, MPROF_NO_OFFSET,
                           "cannot preload '%s': its name has a blank or a "
                           "colon",
                           path);
  return true;
}

/* PATH, and after it what is preloaded already; the caller frees it. */
static char *
make_preload(const char *path)
{
  const char *others = getenv("LD_PRELOAD");
  bool any = others != NULL && *others != '\0';
  char *text;
  return asprintf(&text, "%s%s%s", path, any ? ":" : "", any ? others : "") < 0
             ? NULL
             : text;
}

/* ---- the process ------------------------------------------------------- */

/* Signals that are passed on, besides those of real time. */
static const int passed[] = {SIGTERM, SIGHUP,  SIGINT,  SIGQUIT,
                             SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM,
                             SIGTSTP, SIGCONT, SIGWINCH};

static void
fill_signals(sigset_t *set)
{
  sigemptyset(set);
  sigaddset(set, SIGCHLD);
  for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
    sigaddset(set, passed[i]);
  for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
    sigaddset(set, i);
}

/* What a terminal sends goes to the program as well. */
static bool
is_of_terminal(const siginfo_t *info)
{
  return info->si_code == SI_KERNEL && info->si_signo != SIGALRM &&
         info->si_signo != SIGVTALRM;
}

/* Stops this process as the program was stopped, until SIGCONT. */
static void
stop_by(int number)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  raise(number); /* one more than the terminal's is none, while blocked */
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Waits for the end of CHILD, passing on signals of SET.  When job control
 * stops the program, this process stops too, as that is the job for whoever
 * started it; and when it goes on, so does the program.  A program that is
 * stopped by SIGSTOP is no matter of job control. */
static int
wait_for(pid_t child, const sigset_t *set)
{
  int status;
  bool is_stopped = false;
  bool was_stopped = false; /* this process, and SIGCONT is not seen yet */
  for (;;) {
    siginfo_t info;
    pid_t changed =
        waitpid(child, &status, WNOHANG | WUNTRACED | WCONTINUED);
    if (changed < 0 && errno != EINTR)
      return 0;
    if (changed == child) {
      if (!WIFSTOPPED(status) && !WIFCONTINUED(status))
        return status;
      is_stopped = WIFSTOPPED(status);
      if (is_stopped && WSTOPSIG(status) != SIGSTOP) {
        was_stopped = true;
        stop_by(WSTOPSIG(status));
      }
      continue;
    }
    int number = sigwaitinfo(set, &info);
    if (number == SIGCONT && was_stopped) {
      was_stopped = false; /* the whole job goes on, or only this */
      if (is_stopped)
        kill(child, SIGCONT);
    } else if (number > 0 && number != SIGCHLD && !is_of_terminal(&info)) {
      kill(child, number);
    }
  }
}

/* What the child does; its failure goes to the pipe REPORT. */
static void
become_program(const struct options *options,
               const struct environment *environment, const sigset_t *signals,
               int report)
{
  snprintf(environment->own[PROCESS_VARIABLE] + sizeof process_variable - 1,
           sizeof process_number, "%010u", (unsigned)getpid());
  sigprocmask(SIG_SETMASK, signals, NULL);
  execvpe(options->files[0], (char *const *)(uintptr_t)options->files,
          environment->variables);
  int failure = errno;
  while (write(report, &failure, sizeof failure) < 0 && errno == EINTR)
    continue;
  _exit(SHELL_CANNOT_RUN);
}

/* Sets OUTCOME to what FAILURE, an errno value of exec, means. */
static bool
cannot_run(const struct options *options, int failure,
           struct outcome *outcome)
{
  outcome->status = failure == ENOENT ? SHELL_NOT_FOUND : SHELL_CANNOT_RUN;
  return mprof_error_set(&outcome->error, MPROF_CANNOT_RUN, MPROF_NO_OFFSET,
                         "cannot run '%s': %s", options->files[0],
                         failure == ENOENT &&
                                 strchr(options->files[0], '/') == NULL
                             ? "command not found"
                             : strerror(failure));
}

bool
program_find(const char *name, char *path)
{
  const char *folders = getenv("PATH");
  if (strchr(name, '/') != NULL || folders == NULL) {
    snprintf(path, PATH_MAX, "%s", name);
    return access(path, X_OK) == 0;
  }
  while (*folders != '\0') {
    size_t length = strcspn(folders, ":");
    snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, folders,
             length == 0 ? "" : "/", name);
    if (access(path, X_OK) == 0)
      return true;
    folders += length;
    folders += *folders == ':';
  }
  errno = ENOENT;
  return false;
}

bool
program_exists(const struct options *options, struct outcome *outcome)
{
  char path[PATH_MAX];
  return program_find(options->files[0], path) ||
         cannot_run(options, errno, outcome);
}

static bool
start_and_wait(const struct options *options,
               const struct environment *environment, int report[2],
               struct outcome *outcome)
{
  sigset_t set;
  sigset_t before;
  struct sigaction action = {.sa_handler = SIG_DFL};
  struct sigaction action_before; /* an ignored end could not be waited for */
  int failure = 0;
  fill_signals(&set);
  sigprocmask(SIG_BLOCK, &set, &before);
  sigaction(SIGCHLD, &action, &action_before);
  pid_t child = fork();
  if (child == 0) {
    sigaction(SIGCHLD, &action_before, NULL);
    become_program(options, environment, &before, report[1]);
  }
  if (child < 0)
    failure = errno;
  close(report[1]);
  report[1] = -1;
  while (failure == 0 && read(report[0], &failure, sizeof failure) < 0 &&
         errno == EINTR)
    continue;
  int status = child < 0 ? 0 : wait_for(child, &set);
  sigaction(SIGCHLD, &action_before, NULL);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (failure != 0)
    return cannot_run(options, failure, outcome);
  outcome->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome->status = outcome->signal != 0 ? SHELL_SIGNAL + outcome->signal
                                         : WEXITSTATUS(status);
  return true;
}

bool
program_run(const struct options *options, const char *file,
            struct outcome *outcome)
{
  struct mprof_error *error = &outcome->error;
  char path[PATH_MAX];
  struct environment environment = {0};
  int report[2] = {-1, -1};
  if (!find_library(path, error))
    return false;
  char *preload = make_preload(path);
  bool good = preload != NULL &&
              make_environment(&environment, &options->run, preload, file);
  if (!good)
    mprof_error_memory(error);
  else if (pipe2(report, O_CLOEXEC) != 0)
    good = mprof_error_set(error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                           "cannot make a pipe: %s", strerror(errno));
  else
    good = start_and_wait(options, &environment, report, outcome);
  if (report[0] >= 0)
    close(report[0]);
  if (report[1] >= 0)
    close(report[1]);
  release_environment(&environment);
  free(preload);
  return good;
}
