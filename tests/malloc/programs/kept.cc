/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept.cc -- what the C and C++ libraries keep until the end, and leaks that
 * are the program's own beside that.  It compiles as C, too.
 */
#include <dlfcn.h>
#include <iconv.h>
#include <locale.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus
#include <iostream>
#endif

#include "cases.h"

static void *volatile lost;

static void
leak(void)
{
  lost = malloc(1234);
  lost = NULL;
}

static void
case_nothing(void)
{
}

static void
case_hello(void)
{
#ifdef __cplusplus
  std::cout << "hello" << std::endl;
#endif
  printf("hello\n");
}

static void *
run(void *unused)
{
  printf("thread\n");
  return unused;
}

static void
case_thread(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
}

static void
case_locale(void)
{
  setlocale(LC_ALL, "C.UTF-8");
}

static void
case_results(void)
{
  time_t now = time(NULL);
  localtime(&now);
  setenv("MPROF_TEST_KEPT", "a value", 1);
  getpwuid(0);
  strerror(123456);
}

/* The library's constructor leaks. */
static void
case_load(void)
{
  lost = dlopen("./leaking.so", RTLD_NOW);
}

/* The stream is the program's, and so is the copy. */
static void
case_stream(void)
{
  FILE *stream = fopen("/dev/null", "w");
  fputs("text", stream);
  lost = strdup("123456");
  lost = stream = NULL;
}

static const struct test_case cases[] = {
  { "nothing", case_nothing }, { "hello", case_hello },
  { "thread", case_thread },   { "locale", case_locale },
  { "results", case_results }, { "load", case_load },
  { "stream", case_stream },   { "leak", leak },
  { NULL, NULL },
};

int
main(int argc, char **argv)
{
  return run_case(cases, argc, argv);
}
