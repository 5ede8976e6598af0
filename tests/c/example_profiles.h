/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The profiles that several tests use, each small enough for its figures to
 * be worked out by hand.
 */

#ifndef EXAMPLE_PROFILES_H
#define EXAMPLE_PROFILES_H

#include "profile_builder.h"

/* The producer and consumer of the paper, in Lisp: 10,000 widgets, half of
 * them red, each an instance of 48 bytes with its slots. */
static inline struct builder *
example_widgets(void)
{
  static const struct allocation widgets = {
      5000, 240000, 48, "struct", "INSTANCE", "CL-USER::WIDGET", 0, 0};
  struct builder *b = builder_new("lisp");
  builder_comment(b, "mprof.program=widgets.lisp");
  builder_comment(b, "mprof.allocations=10000");
  builder_comment(b, "mprof.bytes=480000");
  builder_comment(b, "mprof.rounded_bytes=640000");
  builder_comment(b, "mprof.collector_bytes=640000");
  builder_comment(b, "mprof.residual_bytes=0");
  builder_comment(b, "mprof.contexts=5");
  builder_comment(b, "mprof.threads=1");
  builder_allocate(
      b, "CL-USER::RUN/CL-USER::MAKE-RED-WIDGET/CL-USER::MAKE-WIDGET",
      widgets);
  builder_allocate(
      b, "CL-USER::RUN/CL-USER::MAKE-BLUE-WIDGET/CL-USER::MAKE-WIDGET",
      widgets);
  builder_activate(b, "CL-USER::RUN", 1);
  builder_activate(b, "CL-USER::RUN/CL-USER::MAKE-RED-WIDGET", 5000);
  builder_activate(b, "CL-USER::RUN/CL-USER::MAKE-BLUE-WIDGET", 5000);
  builder_activate(
      b, "CL-USER::RUN/CL-USER::MAKE-RED-WIDGET/CL-USER::MAKE-WIDGET", 5000);
  builder_activate(
      b, "CL-USER::RUN/CL-USER::MAKE-BLUE-WIDGET/CL-USER::MAKE-WIDGET", 5000);
  return b;
}

/* The paper's program itself: 10,000 widgets of 204 bytes by malloc, of which
 * the 5,019 red ones are never freed. */
static inline struct builder *
example_widgets_c(void)
{
  struct builder *b = builder_new("c");
  builder_comment(b, "mprof.program=example");
  builder_allocate(b, "main/make_red_widget/make_widget",
                   (struct allocation){5019, 1023876, 204, NULL,
                                       "struct widget", NULL, 5019, 1023876});
  builder_allocate(b, "main/make_blue_widget/make_widget",
                   (struct allocation){4981, 1016124, 204, NULL,
                                       "struct widget", NULL, 0, 0});
  builder_activate(b, "main", 1);
  builder_activate(b, "main/make_red_widget", 5019);
  builder_activate(b, "main/make_blue_widget", 4981);
  builder_activate(b, "main/make_red_widget/make_widget", 5019);
  builder_activate(b, "main/make_blue_widget/make_widget", 4981);
  return b;
}

/* The paper's example of recursion: main calls F calls G calls F calls G,
 * which allocates 10 bytes. */
static inline struct builder *
example_recursion(void)
{
  struct builder *b = builder_new("lisp");
  builder_allocate(
      b, "MAIN/F/G/F/G",
      (struct allocation){1, 10, 10, "struct", "BASE-STRING", NULL, 0, 0});
  builder_activate(b, "MAIN", 1);
  builder_activate(b, "MAIN/F", 1);
  builder_activate(b, "MAIN/F/G", 1);
  builder_activate(b, "MAIN/F/G/F", 1);
  builder_activate(b, "MAIN/F/G/F/G", 1);
  return b;
}

/* F calls itself twice; once it does not. */
static inline struct builder *
example_self_recursion(void)
{
  struct builder *b = builder_new("lisp");
  builder_cons(b, "MAIN/F/F/F", 4); /* 64 */
  builder_cons(b, "MAIN/F", 1);     /* 16 */
  builder_activate(b, "MAIN", 1);
  builder_activate(b, "MAIN/F", 2);
  builder_activate(b, "MAIN/F/F", 5);
  return b;
}

/* B and C call each other within a circle of A and B. */
static inline struct builder *
example_nested_cycles(void)
{
  struct builder *b = builder_new("lisp");
  builder_cons(b, "MAIN/A/B/C/B/A", 1); /* 16 */
  builder_cons(b, "MAIN/A/B/OUT", 2);   /* 32 */
  builder_activate(b, "MAIN", 1);
  builder_activate(b, "MAIN/A", 2);
  builder_activate(b, "MAIN/A/B", 3);
  builder_activate(b, "MAIN/A/B/C", 4);
  builder_activate(b, "MAIN/A/B/C/B", 5);
  builder_activate(b, "MAIN/A/B/C/B/A", 6);
  builder_activate(b, "MAIN/A/B/OUT", 7);
  return b;
}

/* A and B call each other, and nobody calls them. */
static inline struct builder *
example_rootless_cycle(void)
{
  struct builder *b = builder_new("lisp");
  builder_cons(b, "A/B/A", 1); /* 16 */
  builder_cons(b, "B/A/B", 2); /* 32 */
  builder_activate(b, "A", 3);
  builder_activate(b, "B", 4);
  builder_activate(b, "A/B", 5);
  builder_activate(b, "A/B/A", 6);
  return b;
}

/* Two cycles, A-B and C-D, the second below the first; A has no caller on
 * one chain; E below the second; D calls itself. */
static inline struct builder *
example_two_cycles(void)
{
  struct builder *b = builder_new("lisp");
  builder_cons(b, "MAIN/A/B/A/C/D/D/C/E", 10); /* 160 */
  builder_cons(b, "MAIN/A/B", 5);              /* 80 */
  builder_cons(b, "A/C/D", 2);                 /* 32 */
  builder_cons(b, "MAIN/E", 1);                /* 16 */
  builder_cons(b, "MAIN/B/A", 3);              /* 48 */
  builder_activate(b, "MAIN", 1);
  builder_activate(b, "A", 2);
  builder_activate(b, "MAIN/A", 3);
  builder_activate(b, "MAIN/B", 4);
  builder_activate(b, "MAIN/A/B", 5);
  builder_activate(b, "MAIN/A/B/A", 6);
  builder_activate(b, "MAIN/A/B/A/C", 7);
  builder_activate(b, "MAIN/A/B/A/C/D", 8);
  builder_activate(b, "MAIN/A/B/A/C/D/D", 9);
  builder_activate(b, "MAIN/A/B/A/C/D/D/C", 10);
  builder_activate(b, "MAIN/A/B/A/C/D/D/C/E", 11);
  builder_activate(b, "MAIN/E", 12);
  return b;
}

/* Functions of three packages that call each other across the borders, and
 * within: MATCH in SCAN and in itself, PARSE in MAIN. */
static inline struct builder *
example_packages(void)
{
  struct builder *b = builder_new("lisp");
  builder_cons(b,
               "APP::MAIN/APP::PARSE/CL-PPCRE:SCAN/CL-PPCRE::MATCH/MAPCAR/"
               "APP::HANDLE",
               10);                                                  /* 160 */
  builder_cons(b, "APP::MAIN/LIST", 5);                              /* 80 */
  builder_cons(b, "CL-PPCRE::MATCH/CL-PPCRE::MATCH/APP::HANDLE", 2); /* 32 */
  builder_activate(b, "APP::MAIN", 1);
  builder_activate(b, "APP::MAIN/APP::PARSE", 3);
  builder_activate(b, "APP::MAIN/APP::PARSE/CL-PPCRE:SCAN", 4);
  builder_activate(b, "APP::MAIN/APP::PARSE/CL-PPCRE:SCAN/CL-PPCRE::MATCH",
                   7);
  builder_activate(
      b, "APP::MAIN/APP::PARSE/CL-PPCRE:SCAN/CL-PPCRE::MATCH/MAPCAR", 6);
  builder_activate(b,
                   "APP::MAIN/APP::PARSE/CL-PPCRE:SCAN/CL-PPCRE::MATCH/"
                   "MAPCAR/APP::HANDLE",
                   9);
  builder_activate(b, "APP::MAIN/LIST", 5);
  builder_activate(b, "CL-PPCRE::MATCH", 2);
  builder_activate(b, "CL-PPCRE::MATCH/CL-PPCRE::MATCH", 8);
  builder_activate(b, "CL-PPCRE::MATCH/CL-PPCRE::MATCH/APP::HANDLE", 2);
  return b;
}

/* A C program whose calls are known by line. */
static inline struct builder *
example_lines(void)
{
  struct builder *b = builder_new("c");
  builder_function(b, "main", "a.c", 10);
  builder_function(b, "read_all", "b.c", 20);
  builder_allocate(b, "main@11/read_all@22",
                   (struct allocation){10, 160, 16, NULL, NULL, NULL, 0, 0});
  builder_allocate(b, "main@12/read_all@22",
                   (struct allocation){5, 80, 16, NULL, NULL, NULL, 5, 80});
  builder_allocate(b, "main@11/read_all@24/read_all@23",
                   (struct allocation){2, 32, 16, NULL, NULL, NULL, 1, 16});
  builder_activate(b, "main", 1);
  builder_activate(b, "main@11/read_all", 5);
  builder_activate(b, "main@12/read_all", 6);
  builder_activate(b, "main@11/read_all@24/read_all", 7);
  return b;
}

/* Names that are longer than any terminal is wide. */
static inline struct builder *
example_long(void)
{
#define LONG_NAME(name)                                                      \
  "(METHOD APPLICATION-WITH-A-LONG-NAME::" name                              \
  " (APPLICATION-WITH-A-LONG-NAME::BOOK "                                    \
  "APPLICATION-WITH-A-LONG-NAME::AUTHOR "                                    \
  "APPLICATION-WITH-A-LONG-NAME::PUBLISHER))"
  struct builder *b = builder_new("lisp");
  builder_cons(b, LONG_NAME("PRINT-ENTRY") "/" LONG_NAME("SORT-ENTRIES"), 3);
  builder_cons(b, LONG_NAME("PRINT-ENTRY"), 1);
  builder_activate(b, LONG_NAME("PRINT-ENTRY"), 1);
  builder_activate(b, LONG_NAME("PRINT-ENTRY") "/" LONG_NAME("SORT-ENTRIES"),
                   2);
#undef LONG_NAME
  return b;
}

/* A bit of everything: all categories, runtime functions at the leaf, in the
 * middle and alone, bodies that grow, objects above 2048 bytes, names with
 * awkward characters, and allocations that could not be attributed. */
static inline struct builder *
example_mixture(void)
{
  struct builder *b = builder_new("lisp");
  builder_comment(b, "mprof.program=mixture");
  builder_comment(b, "mprof.allocations=61");
  builder_comment(b, "mprof.bytes=6944");
  builder_comment(b, "mprof.rounded_bytes=7000");
  builder_comment(b, "mprof.collector_bytes=7192");
  builder_comment(b, "mprof.residual_bytes=192");
  builder_comment(b, "mprof.residual_note=192 bytes by the collector itself");
  builder_comment(b, "mprof.unattributed_allocations=2");
  builder_comment(b, "mprof.unattributed_bytes=32");
  builder_comment(b, "mprof.unattributed_note=a signal handler consed");
  builder_comment(b, "mprof.cut_allocations=1");
  builder_cons(b, "RUN/PARSE/%cl_list", 10); /* PARSE: 160 */
  builder_allocate(
      b, "RUN/%ecl_apply/SCALE",
      (struct allocation){20, 320, 16, "float", "DOUBLE-FLOAT", NULL, 0, 0});
  builder_allocate(b, "RUN/PARSE/(FLET |a;b\\c d| :IN PARSE)",
                   (struct allocation){2, 5200, 0, "struct",
                                       "(SIMPLE-ARRAY DOUBLE-FLOAT)", NULL, 0,
                                       0});
  builder_allocate(
      b, "RUN/PARSE/INTERN-ALL",
      (struct allocation){1, 200, 200, "other", "HASH-TABLE", NULL, 0, 0});
  builder_allocate(
      b, "RUN/PARSE/INTERN-ALL",
      (struct allocation){0, 512, 0, "other", "HASH-TABLE", NULL, 0, 0});
  builder_allocate(b, "RUN/LINE\nBREAK\"QUOTE\"",
                   (struct allocation){7, 224, 32, "struct", "STRUCTURE",
                                       "APP::POINT", 0, 0});
  builder_allocate(
      b, "%start_thread/%boot",
      (struct allocation){1, 8, 8, "other", "BIGNUM", NULL, 0, 0});
  builder_cons(b, "RUN/PARSE/GRÖSSE", 20); /* 320 */
  return b;
}

/* A body profiled at the read-eval-print loop.  It evaluates a form that is
 * profiled in its turn; the profiler and the runtime below it allocate, and
 * so does another thread.  Two recursive calls were folded by the monitor:
 * one rootward of the body, one in the other thread. */
static inline struct builder *
example_session(void)
{
  struct builder *b = builder_new("lisp");
  builder_comment(b, "mprof.root=MPROF::CALL-COUNTING");
  builder_cons(b, "TOP/EVAL/MPROF::CALL-COUNTING/APP::BODY", 10); /* 160 */
  builder_cons(b,
               "TOP/EVAL/MPROF::CALL-COUNTING/APP::BODY/EVAL/%apply/"
               "MPROF::CALL-COUNTING/APP::INNER",
               5);                                           /* 80 */
  builder_cons(b, "TOP/EVAL/MPROF::CALL-COUNTING", 2);       /* 32 */
  builder_cons(b, "TOP/EVAL/MPROF::CALL-COUNTING/%list", 1); /* 16 */
  builder_cons(b, "THREAD/EVAL/APP::STEP/APP::WORK", 20);    /* 320 */
  builder_cons(b, "THREAD/EVAL", 3);                         /* 48 */
  builder_activate(b, "TOP", 1);
  builder_activate(b, "TOP/EVAL", 1);
  builder_activate(b, "TOP/EVAL/LOAD/EVAL", 100); /* folded */
  builder_activate(b, "TOP/EVAL/MPROF::CALL-COUNTING", 1);
  builder_activate(b, "TOP/EVAL/MPROF::CALL-COUNTING/APP::BODY", 1);
  builder_activate(b, "TOP/EVAL/MPROF::CALL-COUNTING/APP::BODY/EVAL", 2);
  builder_activate(b,
                   "TOP/EVAL/MPROF::CALL-COUNTING/APP::BODY/EVAL/%apply/"
                   "MPROF::CALL-COUNTING",
                   3);
  builder_activate(b,
                   "TOP/EVAL/MPROF::CALL-COUNTING/APP::BODY/EVAL/%apply/"
                   "MPROF::CALL-COUNTING/APP::INNER",
                   4);
  builder_activate(b, "TOP/EVAL/MPROF::CALL-COUNTING/%list", 50);
  builder_activate(b, "THREAD", 1);
  builder_activate(b, "THREAD/EVAL", 5);
  builder_activate(b, "THREAD/EVAL/APP::STEP", 6);
  builder_activate(b, "THREAD/EVAL/APP::STEP/APP::WORK", 7);
  builder_activate(b, "THREAD/EVAL/APP::STEP/APP::WORK/APP::STEP/APP::WORK",
                   8); /* folded */
  return b;
}

/* Lisp that calls C and is called by it.  Calls of these C functions are not
 * counted, what they call is: SORT calls itself and COMPARE; EACH and WALK
 * call each other, and are entered by WALK alone; VISIT and STEP do, too, and
 * are entered by VISIT; a thread begins in C; and a hidden function of the
 * runtime stands between PARSE and READ. */
static inline struct builder *
example_unknown_calls(void)
{
  static const char *const names[] = {"sort", "each", "visit", "copy",
                                      "start"};
  struct builder *b = builder_new("lisp");
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char comment[64];
    snprintf(comment, sizeof comment, "mprof.calls_unknown=%s", names[i]);
    builder_comment(b, comment);
  }
  builder_cons(b, "MAIN/PARSE/sort/COMPARE", 40);
  builder_cons(b, "MAIN/PARSE/sort", 5);
  builder_cons(b, "MAIN/PARSE/sort/sort", 1);
  builder_cons(b, "MAIN/PARSE/%copy/READ", 8);
  builder_cons(b, "MAIN/WALK/each/WALK", 6);
  builder_cons(b, "MAIN/WALK/each", 2);
  builder_cons(b, "MAIN/visit/STEP/visit", 3);
  builder_cons(b, "start/WORK", 10);
  builder_activate(b, "MAIN", 1);
  builder_activate(b, "MAIN/PARSE", 3);
  builder_activate(b, "MAIN/PARSE/sort/COMPARE", 40);
  builder_activate(b, "MAIN/PARSE/%copy/READ", 8);
  builder_activate(b, "MAIN/WALK", 1);
  builder_activate(b, "MAIN/WALK/each/WALK", 6);
  builder_activate(b, "MAIN/visit/STEP", 2);
  builder_activate(b, "start/WORK", 7);
  return b;
}

/* Chains of all phases, at a read-eval-print loop, and other threads: two
 * that are called worker, more of that name, and one without a name.  Each
 * chain has another power of two of conses. */
static inline struct builder *
example_phases(void)
{
  static const char *const chains[] = {
      "SI:TOP-LEVEL/SI::TPL/READ",                               /* eval */
      "SI:TOP-LEVEL/EVAL/SI:PROCESS-LAMBDA",                     /* eval */
      "SI:TOP-LEVEL/EVAL/(MACRO-FUNCTION APP::M)/APP::EXPAND",   /* eval */
      "SI:TOP-LEVEL/EVAL/(TOP-LEVEL-FORM)/MAPCAR",               /* eval */
      "SI:TOP-LEVEL/EVAL/(TOP-LEVEL-FORM)/MAPCAR/(LAMBDA)/LIST", /* run */
      "SI:TOP-LEVEL/EVAL/(TOP-LEVEL-FORM)/%apply/APP::RUN",      /* run */
      "SI:TOP-LEVEL/EVAL/(TOP-LEVEL-FORM)/APP::RUN/EVAL/%interpret", /* eval
                                                                      */
      "SI:TOP-LEVEL/EVAL/(TOP-LEVEL-FORM)/APP::RUN/EVAL/(TOP-LEVEL-FORM)/"
      "APP::TWICE", /* run */
      "SI:TOP-LEVEL/EVAL/(TOP-LEVEL-FORM)/APP::RUN/COMPILE/C::T1EXPR/"
      "(MACRO-FUNCTION APP::M)/APP::EXPAND", /* compile */
      "SI:TOP-LEVEL/EVAL/(TOP-LEVEL-FORM)/APP::RUN/COMPILE/SI:LOAD-BINARY/"
      "(LOAD \"app.lisp\")", /* load */
      "SI:TOP-LEVEL/EVAL/(TOP-LEVEL-FORM)/LOAD/SI:LOAD-SOURCE/EVAL/"
      "(TOP-LEVEL-FORM)/APP::RUN", /* load */
      "SI:TOP-LEVEL/EVAL/(TOP-LEVEL-FORM)/ASDF::PLAN/LOAD/COMPILE-FILE/EVAL/"
      "(TOP-LEVEL-FORM)/APP::EXPAND", /* compile */
  };
  struct builder *b = builder_new("lisp");
  int64_t count = 1;
  for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++, count *= 2) {
    builder_cons(b, chains[i], count);
    builder_by_thread(b, "SI:TOP-LEVEL");
  }
  builder_allocate(b, "APP::WORK/%ecl_double_float_for_value",
                   (struct allocation){100, 1600, 16, "float", "DOUBLE-FLOAT",
                                       NULL, 0, 0});
  builder_by_thread(b, "worker");
  builder_cons(b, "APP::WORK/LOAD", 50);
  builder_by_thread(b, "worker");
  builder_cons(b, "APP::WORK", 30);
  builder_by_thread(b, "worker#2");
  builder_cons(b, "APP::WORK", 20);
  builder_by_thread(b, "worker (more)");
  builder_cons(b, "[signal handler]/APP::WORK", 10);
  builder_by_thread(b, "");
  builder_activate(b, "APP::WORK", 5);
  builder_by_thread(b, "worker");
  builder_activate(b, "APP::WORK", 3);
  builder_by_thread(b, "worker#2");
  builder_activate(b, "APP::WORK/LOAD", 2);
  builder_by_thread(b, "worker");
  return b;
}

#endif
