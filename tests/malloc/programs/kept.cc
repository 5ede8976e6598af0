/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept.cc -- what the C and C++ libraries keep until the end, and leaks that
 * are the program's own beside that.  It compiles as C, too.
 */
#include <iconv.h>
#include <locale.h>
#include <pwd.h>
#include <time.h>

#ifdef __cplusplus
#include <iostream>
#endif

#include "cases.h"

static void *volatile lost;

CASE(leak)
{
  lost = malloc(1234);
  lost = NULL;
}

CASE(nothing)
{
}

CASE(hello)
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

CASE(thread)
{
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
}

CASE(locale)
{
  setlocale(LC_ALL, "C.UTF-8");
}

CASE(results)
{
  time_t now = time(NULL);
  localtime(&now);
  setenv("MPROF_TEST_KEPT", "a value", 1);
  getpwuid(0);
  strerror(123456);
}

/* The library's constructor leaks. */
CASE(load)
{
  lost = dlopen("./leaking.so", RTLD_NOW);
}

/* The stream is the program's, and so is the copy. */
CASE(stream)
{
  FILE *stream = fopen("/dev/null", "w");
  fputs("text", stream);
  lost = strdup("123456");
  lost = stream = NULL;
}

RUN_CASES
