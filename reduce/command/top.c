/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof top: who allocates now.  The profile of a running program is read
 * again and again, and what each function allocated from one reading to the
 * next is shown, most first.  The program is one that `mprof run' runs, by
 * its number or its file, or a Lisp program that counts in a file.
 *
 * On a terminal the table is written over the one before, and keys choose its
 * order, as in top(1); elsewhere each table follows the last.  Signals that
 * end the command are looked for where keys are, so that the terminal is
 * always given back as it was.
 */

#include "base/clock.h"
#include "base/quote.h"
#include "command/command.h"
#include "command/control.h"
#include "command/run_program.h"
#include "common/pprof_format.h"
#include "mprof.h"
#include "tables/text_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

/* What a function has allocated since the last reading. */
struct top_row {
  const struct graph_node *node; /* of this reading */
  int64_t since[SORT_NAME + 1];  /* by sort key; 0 for the name */
};

/* A reading of the program. */
struct program_reading {
  struct pool pool;        /* of what follows */
  const struct view *view; /* NULL: there was none */
  struct top_row *rows;    /* by node of its graph, then in order */
  double time;             /* in seconds */
};

struct top {
  const struct options *options;
  struct sink *sink;
  bool terminal; /* is read and written */
  enum sort_key key;
  struct control control; /* of the image at `path' */
  char path[PATH_MAX];
  struct program_reading readings[2], *now, *old;
  int signals;           /* a descriptor for those that it waits for */
  struct termios before; /* the terminal as it was */
};

/* ---- a reading ---- */

static double
seconds_now(void)
{
  return (double)clock_nanos(CLOCK_MONOTONIC) / 1e9;
}

static void
take(void *closure)
{
  static const struct graph_node none;
  struct top *top = closure;
  struct program_reading *now = top->now;
  const struct view *old = top->old->view;
  struct profile *profile = pool_zeroed(1, sizeof *profile);
  now->time = seconds_now();
  control_snapshot(profile, &top->control);
  now->view = view_make(profile, &top->options->view);
  const struct call_graph *graph = &now->view->graph;
  now->rows = pool_zeroed(graph->node_count, sizeof *now->rows);
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i], *was = NULL;
    if (old != NULL)
      was = view_node(old, node->name);
    if (was == NULL)
      was = &none;
    now->rows[i] = (struct top_row){
        .node = node,
        .since = {
            [SORT_BYTES] = (int64_t)(node->self.bytes - was->self.bytes),
            [SORT_ALLOCS] = (int64_t)(node->self.allocs - was->self.allocs),
            [SORT_INCLUSIVE] =
                (int64_t)(node->inclusive.bytes - was->inclusive.bytes)}};
  }
}

/* ---- the table ---- */

static int
compare_rows(const void *left, const void *right, void *top)
{
  const struct top_row *a = left, *b = right;
  const enum sort_key key = ((const struct top *)top)->key;
  const int64_t x = a->since[key], y = b->since[key];
  return x != y ? (x < y) - (x > y) : strcmp(a->node->name, b->node->name);
}

/* N in SECONDS, a second. */
static uint64_t
rate(int64_t n, double seconds)
{
  return n <= 0 ? 0 : (uint64_t)((double)n / seconds + 0.5);
}

static size_t
rows_that_fit(const struct top *top)
{
  enum { ABOVE = 5, ELSEWHERE = 20 };
  struct winsize size = {.ws_row = 0};
  if (top->options->view.limit != SIZE_MAX)
    return top->options->view.limit;
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return !top->terminal        ? ELSEWHERE
         : size.ws_row > ABOVE ? size.ws_row - ABOVE
                               : 1;
}

static void
write_table(const struct top *top, double seconds)
{
  static const struct text_column columns[] = {
      {NULL, 0, "bytes/s", 0, false},      {NULL, 0, "%", 1, false},
      {NULL, 0, "allocs/s", 2, false},     {NULL, 0, "+desc/s", 2, false},
      {NULL, 0, "bytes in all", 2, false}, {NULL, 0, "name", 2, true}};
  const struct view *view = top->now->view;
  const struct figures *total = &view->selection.total;
  const struct figures *old = &top->old->view->selection.total;
  const char *program = profile_comment(view->profile, PPROF_COMMENT_PROGRAM);
  struct text_table table;
  const uint64_t new_bytes = total->bytes - old->bytes;
  const size_t most = rows_that_fit(top);
  size_t shown = 0;
  text_table_init(&table, columns, sizeof columns / sizeof *columns);
  table.human = true;
  for (size_t i = 0; i < view->graph.node_count && shown < most; i++) {
    const struct top_row *row = &top->now->rows[i];
    const int64_t bytes = row->since[SORT_BYTES];
    const int64_t allocs = row->since[SORT_ALLOCS];
    const int64_t inclusive = row->since[SORT_INCLUSIVE];
    if (bytes <= 0 && allocs <= 0 && inclusive <= 0)
      continue;
    shown++;
    text_table_number(&table, rate(bytes, seconds));
    text_table_share(&table, bytes < 0 ? 0 : (uint64_t)bytes, new_bytes);
    text_table_number(&table, rate(allocs, seconds));
    text_table_number(&table, rate(inclusive, seconds));
    text_table_number(&table, row->node->self.bytes);
    text_table_name(&table, row->node->name);
  }
  if (top->terminal)
    sink_text(top->sink, "\033[H\033[J");
  escape_name(top->sink, program == NULL ? top->options->files[0] : program,
              "");
  sink_format(top->sink,
              ": %" PRIu64 " bytes/s, %" PRIu64 " allocs/s; in all %" PRIu64
              " bytes, %" PRIu64 " allocs\n%s\n",
              rate((int64_t)new_bytes, seconds),
              rate((int64_t)(total->allocs - old->allocs), seconds),
              total->bytes, total->allocs,
              top->terminal ? "sort by b, a, i, n; q: quit" : "");
  text_table_print(&table, top->sink);
  sink_text(top->sink, top->terminal ? "" : "\n");
  sink_flush(top->sink);
}

static void
show(struct top *top)
{
  const struct program_reading *now = top->now;
  const double seconds = now->time - top->old->time;
  qsort_r(now->rows, now->view->graph.node_count, sizeof *now->rows,
          compare_rows, top);
  write_table(top, seconds > 0 ? seconds : 1e-9);
}

/* ---- the terminal ---- */

static void
restore_terminal(void *top)
{
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &((struct top *)top)->before);
}

/* Lets each key be read at once, and not be shown. */
static void
take_keys(const struct top *top)
{
  struct termios raw = top->before;
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
}

/* Opens a descriptor for the signals that end or stop this command; on a
 * TERMINAL also those that say that it has to be drawn anew.  What the
 * command was started to ignore, as by nohup, stays ignored. */
static int
open_signals(bool terminal)
{
  static const int drawn[] = {SIGTSTP, SIGCONT, SIGWINCH};
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  struct sigaction action;
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (sigaction(ends[i], NULL, &action) == 0 &&
        action.sa_handler != SIG_IGN)
      sigaddset(&set, ends[i]);
  for (size_t i = 0; terminal && i < sizeof drawn / sizeof *drawn; i++)
    sigaddset(&set, drawn[i]);
  sigprocmask(SIG_BLOCK, &set, NULL);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void
take_terminal(struct top *top)
{
  top->terminal = isatty(STDOUT_FILENO) != 0 &&
                  tcgetattr(STDIN_FILENO, &top->before) == 0;
  top->signals = open_signals(top->terminal);
  if (!top->terminal)
    return;
  pool_on_release(restore_terminal, top);
  take_keys(top);
}

/* Reads a signal and obeys it.  Returns q if it ends this, and 0 otherwise.
 */
static int
obey_signal(struct top *top)
{
  struct signalfd_siginfo signal;
  if (read(top->signals, &signal, sizeof signal) != sizeof signal)
    return 0;
  switch (signal.ssi_signo) {
  case SIGTSTP:
    restore_terminal(top);
    run_signals_stop(SIGTSTP);
    /* fall through */
  case SIGCONT: /* the shell has had the terminal meanwhile */
    take_keys(top);
    /* fall through */
  case SIGWINCH:
    top->sink->line_width = (size_t)mprof_terminal_width(STDOUT_FILENO);
    if (top->old->time > 0)
      show(top);
    return 0;
  default:
    return 'q';
  }
}

/* Waits for SECONDS, or for a key.  Returns the key, 0 without one, and q for
 * a signal that ends this. */
static int
wait_for_key(struct top *top, double seconds)
{
  struct pollfd polled[] = {{top->terminal ? STDIN_FILENO : -1, POLLIN, 0},
                            {top->signals, POLLIN, 0}};
  char key;
  if (poll(polled, 2, (int)(seconds * 1000) + 1) <= 0)
    return 0;
  if (polled[1].revents != 0)
    return obey_signal(top);
  if (read(STDIN_FILENO, &key, 1) != 1)
    return 'q';
  return tolower((unsigned char)key);
}

static bool
rest(struct top *top)
{
  static const char keys[] = "iban"; /* from SORT_INCLUSIVE on */
  const size_t every = top->options->run.every;
  const double end = seconds_now() + (every == 0 ? 1 : (double)every);
  for (double left; (left = end - seconds_now()) > 0;) {
    const int key = wait_for_key(top, left);
    const char *sort = key == 0 ? NULL : strchr(keys, key);
    if (key == 'q')
      return false;
    if (sort != NULL) {
      top->key = (enum sort_key)(SORT_INCLUSIVE + (sort - keys));
      if (top->old->time > 0)
        show(top);
    } else if (key == ' ') {
      break;
    }
  }
  return top->sink->error_number == 0;
}

/* ---- the command ---- */

static void
release_readings(void *closure)
{
  struct top *top = closure;
  for (int i = 0; i < 2; i++)
    pool_release(&top->readings[i].pool);
  close(top->signals);
  control_close(&top->control);
}

void
run_top(const struct options *options, struct sink *sink,
        struct outcome *outcome)
{
  struct top *top = pool_zeroed(1, sizeof *top);
  struct mprof_error error;
  top->options = options;
  top->sink = sink;
  top->key =
      options->view.sort == SORT_DEFAULT ? SORT_BYTES : options->view.sort;
  control_find_image(options->files[0], top->path);
  control_open(&top->control, top->path, NULL);
  pool_on_release(release_readings, top);
  take_terminal(top);
  for (int i = 0;; i++) {
    top->now = &top->readings[i % 2];
    top->old = &top->readings[1 - i % 2];
    pool_release(&top->now->pool);
    *top->now = (struct program_reading){.rows = NULL};
    if (!attempt(&top->now->pool, take, top, &error)) {
      if (i == 0)
        fail_again(&error);
      mprof_line(outcome->remark, "the program has ended");
      return;
    }
    if (i > 0)
      show(top);
    if (!rest(top))
      return;
  }
}
