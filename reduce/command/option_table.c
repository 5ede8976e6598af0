/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which options there are.  An option that two commands share means the same
 * in both.
 */

#include "command/options.h"

#include "common/image_format.h"
#include "common/phase.h"
#include "diff/diff.h"
#include "mprof.h"
#include "tables/output.h"

enum {
  IN_REPORT = 1 << COMMAND_REPORT,
  IN_ADVISE = 1 << COMMAND_ADVISE,
  IN_EXPORT = 1 << COMMAND_EXPORT,
  IN_DIFF = 1 << COMMAND_DIFF,
  IN_GRAPH = 1 << COMMAND_GRAPH,
  IN_FLAMEGRAPH = 1 << COMMAND_FLAMEGRAPH,
  IN_MERGE = 1 << COMMAND_MERGE,
  IN_RUN = 1 << COMMAND_RUN,
  IN_TOP = 1 << COMMAND_TOP,
  IN_TABLES = IN_REPORT | IN_DIFF,
  IN_SHOWN = IN_TABLES | IN_EXPORT | IN_FLAMEGRAPH | IN_GRAPH,
  IN_VIEW = IN_SHOWN | IN_TOP,
  IN_TEXTS = IN_TABLES | IN_ADVISE,
  IN_CHOICES = IN_VIEW | IN_ADVISE,
  IN_FILES = IN_SHOWN | IN_ADVISE | IN_MERGE | IN_RUN,
  IN_ALL = IN_FILES | IN_TOP
};

/* The offset of FIELD, which the compiler is to find to be of TYPE. */
#define FIELD(type, field)                                                   \
  (offsetof(struct options, field) +                                         \
   0 * sizeof((type *)NULL == &((struct options *)NULL)->field))

/* The rest of a row, by the kind of value. */
#define STORE(kind, type, field, number)                                     \
  store_##kind, FIELD(type, field), number, NULL, 0
#define FLAG(field) STORE(flag, bool, field, true)
#define NO_FLAG(field) STORE(flag, bool, field, false)
#define DETAIL(share) STORE(choice, uint32_t, detail, share)
#define CHOICE(type, field, value) STORE(choice, enum type, field, value)
#define NUMBER(field) STORE(number, size_t, field, SIZE_MAX)
#define POSITIVE(field) POSITIVE_UP_TO(field, SIZE_MAX - 1)
#define POSITIVE_UP_TO(field, most) STORE(number, size_t, field, most)
#define TIME(field, least) STORE(time, uint64_t, field, least)
#define PERCENT(field) STORE(percent, uint32_t, field, 0)
#define TEXT(field) STORE(text, const char *, field, 0)
#define REGEX(place) TEXT(view.select.expressions[EXPRESSION_##place])

/* And with words: each row of LIST has one, as its MEMBER if it is a struct.
 */
#define WORDS(kind, type, field, number, list, member)                       \
  store_##kind, FIELD(type, field), number, &(list)[0] member, sizeof(list)[0]
#define WORD(type, field, first, list)                                       \
  WORDS(word, enum type, field, first, list, )
#define ROW(field, list)                                                     \
  WORDS(row, const struct output *, field, 0, list, .name)
#define TABLES(rows) WORDS(list, uint64_t, view.tables, true, rows, .name)
#define SORTS(first, list) WORD(sort_key, view.sort, SORT_##first, list)

/* Lines of suppressions have the linker's names of the chains as they are,
 * and figures of what was never freed lack times. */
#define BUT_LEAKS .formats = "not suppressions"

/* In the order of their enumerations. */
static const char *const report_sorts[] = {
    "inclusive", "bytes",     "allocs", "name", "kept", "live",
    "peak",      "temporary", "calls",  "self", NULL};
static const char *const diff_sorts[] = {
    "bytes", "allocs", "name", "kept", "live", "peak", "temporary", NULL};
static const char *const top_sorts[] = {"inclusive", "bytes", "allocs",
                                        "name", NULL};
static const char *const color_words[] = {"auto", "always", "never", NULL};
static const char *const children_words[] = {"yes", "no", NULL};
static const char *const system_words[] = {"hide", "root", "show", NULL};
static const char *const frame_words[] = {"types", "phases", "threads", NULL};
static const char *const by_words[] = {"function",  "line",    "site",
                                       "file",      "package", "class",
                                       "label:KEY", NULL};

const struct option_row option_rows[] = {
    {IN_EXPORT, "format", "FORMAT",
     "output format, see below (default: by the ending of OUT)",
     ROW(format, export_formats)},
    {IN_EXPORT, "tables", "TABLE",
     "table to write, see below; for csv and lisp",
     ROW(view.table, csv_tables), .formats = "csv and lisp"},
    {IN_EXPORT, "frames", "LIST",
     "add to each chain, as frames; for folded: ",
     WORDS(list, uint64_t, view.added_frames, false, frame_words, ),
     .formats = "folded"},
    {IN_DIFF, "limit-growth", "LIMITS",
     "exit 3 if anything grew by more: 5%,1MiB,1000allocs of the total, "
     "function:1MiB of a function, kept:0 of memory never freed or live",
     STORE(growth, struct growth_limits, diff.limits, 0)},
    {IN_DIFF, "normalize", NULL,
     "scale the old figures so that the totals are equal",
     FLAG(diff.normalize)},
    {IN_TEXTS, "verbose", NULL, "show every row", DETAIL(0)},
    {IN_TEXTS, "min-percent", "P",
     "leave out rows below P %, such as 0.5 (default: 1)",
     PERCENT(view.min_share)},
    {IN_TEXTS, "limit", "N", "show at most N rows a table",
     POSITIVE(view.limit)},
    {IN_EXPORT | IN_GRAPH, "min-percent", "P",
     "leave out functions and arcs below P % (1) of the graph; for dot",
     PERCENT(view.min_share), .formats = "dot"},
    {IN_EXPORT | IN_GRAPH, "limit", "N", "draw at most N functions; for dot",
     POSITIVE(view.limit), .formats = "dot"},
    {IN_TOP, "limit", "N", "show at most N functions (what fits, or 20)",
     POSITIVE(view.limit)},
    {IN_TOP, "sort", "KEY", "sort by ", SORTS(INCLUSIVE, top_sorts)},
    {IN_TOP, "every", "N", "look every N seconds (1)", POSITIVE(run.every)},
    {IN_REPORT, "sort", "KEY", "sort by ", SORTS(INCLUSIVE, report_sorts)},
    {IN_DIFF, "sort", "KEY", "sort by the change of ",
     SORTS(BYTES, diff_sorts)},
    {IN_REPORT, "tables", "LIST",
     "print these tables, separated by commas; see below",
     TABLES(report_tables)},
    {IN_DIFF, "tables", "LIST",
     "print these tables, separated by commas; see below",
     TABLES(diff_tables)},
    {IN_REPORT, "callers", "N", "show up to N callers in the leak table (5)",
     POSITIVE(view.callers)},
    {IN_REPORT | IN_FLAMEGRAPH | IN_EXPORT | IN_RUN, "suppressions", "FILE",
     "file of leak:PATTERN lines: leaks not to report; none: report all",
     TEXT(view.suppressions), .formats = "html and suppressions"},
    {IN_REPORT | IN_ADVISE | IN_FLAMEGRAPH | IN_EXPORT, "rules", "FILE",
     "try the rules of advice in FILE before those of mprof", TEXT(rules),
     .formats = "html, json, lisp and csv"},
    {IN_TEXTS, "no-legend", NULL,
     "leave out the explanations below the tables", NO_FLAG(view.legend)},
    {IN_TABLES, "width", "N",
     "fit tables into lines of N characters, with separators in numbers and "
     "averages from 100 on (0: any)",
     NUMBER(view.width)},
    {IN_TEXTS, "color", "WHEN",
     "use color: auto (on a terminal, the default), always or never",
     WORD(color_choice, color, COLOR_AUTOMATIC, color_words)},
    {IN_FLAMEGRAPH | IN_EXPORT, "base", "OLD",
     "compare with the profile OLD; for html and heap", TEXT(base)},
    {IN_FLAMEGRAPH | IN_EXPORT, "no-source", NULL,
     "leave out source lines; for html", FLAG(view.no_source),
     .formats = "html"},
    {IN_SHOWN, "value", "VALUE", "count ",
     WORDS(word, enum measure, view.value, MEASURE_BYTES, measure_rows,
           .word),
     BUT_LEAKS},
    {IN_CHOICES, "focus", "REGEX",
     "only allocations below functions whose name or file matches",
     REGEX(FOCUS)},
    {IN_CHOICES, "ignore", "REGEX",
     "no allocations below functions whose name or file matches",
     REGEX(IGNORE)},
    {IN_VIEW, "hide", "REGEX",
     "charge functions whose name or file matches to their callers",
     REGEX(HIDE), BUT_LEAKS},
    {IN_VIEW, "show", "REGEX",
     "charge functions that do not match to their callers", REGEX(SHOW),
     BUT_LEAKS},
    {IN_VIEW, "show-from", "REGEX",
     "start chains at the first function whose name or file matches",
     REGEX(SHOW_FROM)},
    {IN_VIEW, "system", "WHAT",
     "hide: charge ECL's own functions to their callers; root: show the "
     "profiler and its callers too; show: also the C functions of the "
     "runtime, and the C++ library",
     WORD(system_choice, view.select.system, SYSTEM_HIDDEN, system_words),
     BUT_LEAKS},
    {IN_VIEW, "by", "WHAT", "group by ",
     WORDS(granularity, struct view_options, view, 0, by_words, ), BUT_LEAKS},
    {IN_CHOICES, "phase", "LIST", "only allocations in these phases: ",
     WORDS(list, uint64_t, view.select.phases, false, phase_texts, .word)},
    {IN_SHOWN | IN_ADVISE, "from", "TIME",
     "only allocations in slices of a timeline from TIME on, such as 10s",
     TIME(view.select.from, 0), BUT_LEAKS},
    {IN_SHOWN | IN_ADVISE, "to", "TIME",
     "only those in slices that start before TIME", TIME(view.select.to, 1),
     BUT_LEAKS},
    {IN_SHOWN, "at", "TIME",
     "only what was in use at the end of the slice with TIME (C)",
     TIME(view.select.at, 1), BUT_LEAKS},
    {IN_CHOICES, "thread", "REGEX",
     "only allocations by threads whose name matches",
     TEXT(view.select.expressions[EXPRESSION_THREAD])},
    {IN_CHOICES, "region", "REGEX",
     "only allocations in regions whose path matches, and in nested ones",
     TEXT(view.select.expressions[EXPRESSION_REGION])},
    {IN_CHOICES, "label", "KEY=REGEX",
     "only allocations with the label KEY and a matching value",
     TEXT(view.select.expressions[EXPRESSION_LABEL])},
    {IN_CHOICES, "type", "REGEX", "only objects whose type or class matches",
     TEXT(view.select.expressions[EXPRESSION_TYPE])},
    {IN_CHOICES, "category", "LIST",
     "only objects in: cons, float, struct, other; C: small, medium, large, "
     "extra",
     TEXT(view.select.categories)},
    {IN_RUN, "pid", "PID", "profile a running process, with gdb",
     POSITIVE(run.process)},
    {IN_RUN, "seconds", "N",
     "with --pid, stop after N seconds (default: at Ctrl-C)",
     POSITIVE(run.seconds)},
    {IN_RUN, "off", NULL,
     "do not count until the program or a signal starts it", FLAG(run.off)},
    {IN_RUN, "signal", "SIGNAL",
     "signal that starts and stops counting, such as USR2",
     STORE(signal, const char *, run.signal, 0)},
    {IN_RUN, "only", "NAMES",
     "profile only programs with these names: gcc,cc1*,*/bin/ld",
     TEXT(run.only)},
    {IN_RUN, "trace-children", "YES", "profile child processes too: ",
     WORD(children_choice, run.children, CHILDREN_TRACED, children_words)},
    {IN_RUN, "temporary", "N",
     "objects freed before the N-th next allocation are temporary (1)",
     POSITIVE_UP_TO(run.temporary, IMAGE_MOST_TEMPORARY)},
    {IN_RUN, "budget", "N", "keep at most N call chains and object sizes",
     POSITIVE_UP_TO(run.budget, IMAGE_MOST_BUDGET)},
    {IN_RUN, "unfolded", NULL, "keep all depths of a recursion apart",
     FLAG(run.unfolded)},
    {IN_RUN, "reachable", NULL,
     "at the end, distinguish lost memory from still reachable memory",
     FLAG(run.reachable)},
    {IN_RUN, "timeline", "[=TIME]",
     "count for each interval of TIME (1s), for --from, --to and --at",
     TIME(run.timeline, 1000000)},
    {IN_RUN, "fail-on-leak", "[=BYTES]",
     "exit 4 if the program succeeds and has lost more than BYTES (0)",
     STORE(leaks, struct growth_limits, run.leaks, 0)},
    {IN_RUN, "serve", "PORT",
     "serve the profile over HTTP at PORT or ADDRESS:PORT", TEXT(run.serve)},
    {IN_RUN, "q", NULL, "print no summary", FLAG(run.quiet)},
    {IN_FILES, "o", "OUT", "write to the file OUT, completely or not at all",
     STORE(text, const char *, output, 1)},
    {IN_ALL, "help", NULL, "print this help", FLAG(help)},

    /* the options of mprof 3.0 */
    {IN_TEXTS, "normal", NULL, NULL, DETAIL(SHARE_WHOLE / 100)},
    {IN_TEXTS, "terse", NULL, NULL, DETAIL(SHARE_WHOLE / 20)},
    {IN_REPORT, "leaktable", NULL, NULL,
     CHOICE(leak_choice, view.leaks, LEAKS_ON)},
    {IN_REPORT, "noleaktable", NULL, NULL,
     CHOICE(leak_choice, view.leaks, LEAKS_OFF)},
    {IN_REPORT, "offsets", NULL, NULL, FLAG(view.offsets)},
    {.name = NULL},
};

int
mprof_option_kind(const char *name)
{
  int kind = 0;
  for (const struct option_row *row = option_rows; row->name != NULL; row++)
    if (strcmp(row->name, name) == 0) /* some have a row for each command */
      kind = kind == 2 || ((row->commands & IN_SHOWN) == IN_SHOWN &&
                           row->field >= offsetof(struct options, view))
                 ? 2
                 : 1;
  return kind;
}
