/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * library.c -- what the C library allocates elsewhere than for streams
 * and folders: regular expressions, locales, trees, tables, strings.
 */
#define _GNU_SOURCE
#include <argz.h>
#include <dlfcn.h>
#include <envz.h>
#include <execinfo.h>
#include <fcntl.h>
#include <iconv.h>
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <net/if.h>
#include <obstack.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "traced_cases.h"

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

extern char **environ;

static void
case_regcomp(void)
{
  regex_t expression;
  regmatch_t found[3];
  demand(regcomp(&expression, "^(a+)([b-y]*)z$", REG_EXTENDED) == 0);
  demand(regexec(&expression, "aaabcdxyz", 3, found, 0) == 0);
  demand(found[1].rm_eo == 3);
  demand(regexec(&expression, "none", 3, found, 0) != 0);
  regfree(&expression);
  demand(regcomp(&expression, "a[", 0) != 0);
  demand(regcomp(&expression, "x\\(y\\)*\\1", 0) == 0); /* kept */
  demand(regexec(&expression, "xyy", 3, found, 0) == 0);
}

static void
case_setlocale(void)
{
  demand(setlocale(LC_ALL, "C.UTF-8") != NULL);
  demand(setlocale(LC_NUMERIC, "C") != NULL);
  demand(setlocale(LC_ALL, NULL) != NULL);
  demand(setlocale(LC_ALL, "C") != NULL);
  demand(setlocale(LC_ALL, "nonexistent") == NULL);
}

static void
case_newlocale(void)
{
  locale_t one = newlocale(LC_ALL_MASK, "C.UTF-8", NULL), two;
  demand(one != NULL);
  two = duplocale(one);
  freelocale(one);
  uselocale(two);
  demand(*nl_langinfo(CODESET) != 0);
  uselocale(LC_GLOBAL_LOCALE);
  freelocale(two);
}

static void
case_iconv(void)
{
  char from[] = "text", to[40], *p = from, *q = to;
  size_t n = 4, room = sizeof to;
  iconv_t d = iconv_open("UTF-16", "UTF-8");
  demand(iconv(d, &p, &n, &q, &room) == 0);
  iconv_close(d);
}

static int
compare(const void *a, const void *b)
{
  return (a > b) - (a < b);
}

static void
nothing(void *node)
{
}

/* A node of 24 bytes for each key. */
static void
case_tsearch(void)
{
  static char keys[100];
  void *root = NULL;
  for (int i = 0; i < 100; i++)
    demand(tsearch(&keys[i * 37 % 100], &root, compare) != NULL);
  demand(tsearch(&keys[5], &root, compare) != NULL);
  for (int i = 0; i < 40; i++)
    demand(tdelete(&keys[i], &root, compare) != NULL);
  tdestroy(root, nothing);
  root = NULL;
  for (int i = 0; i < 7; i++)
    tsearch(&keys[i], &root, compare);
  kept = root;
}

/* One table for the next prime number of entries and one more. */
static void
case_hcreate(void)
{
  struct hsearch_data table = { 0 };
  ENTRY entry = { "key", "data" }, *found;
  demand(hcreate(100) != 0);
  demand(hsearch(entry, ENTER) != NULL);
  hdestroy();
  demand(hcreate_r(7, &table) != 0);
  demand(hsearch_r(entry, ENTER, &found, &table) != 0);
}

static void
case_argz(void)
{
  char *words = NULL, *list = NULL;
  size_t size = 0, length = 0;
  argz_create_sep("one:two:three", ':', &words, &size);
  argz_add(&words, &size, "four");
  argz_append(&words, &size, "x\0y", 4);
  argz_insert(&words, &size, words, "zero");
  argz_replace(&words, &size, "two", "a much longer one", NULL);
  argz_delete(&words, &size, words);
  demand(argz_count(words, size) == 6);
  kept = words;
  envz_add(&list, &length, "A", "1");
  envz_add(&list, &length, "B", "2");
  envz_remove(&list, &length, "A");
  demand(strcmp(envz_get(list, length, "B"), "2") == 0);
  free(list);
}

/* More than is sorted on the stack. */
static int
by_number(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

static void
case_qsort(void)
{
  static int numbers[5000];
  for (int i = 0; i < 5000; i++)
    numbers[i] = i * 7919 % 5000;
  qsort(numbers, 5000, sizeof *numbers, by_number);
  qsort(numbers, 100, sizeof *numbers, by_number); /* on the stack */
  demand(numbers[99] == 99);
}

/* A table of pointers, and a string for each. */
static void
case_environment(void)
{
  static char own[] = "OWN=1";
  clearenv();
  demand(setenv("ONE", "1", 1) == 0);
  demand(setenv("ONE", "another value, which is longer", 1) == 0);
  demand(setenv("TWO", "2", 1) == 0);
  demand(putenv(own) == 0);
  demand(unsetenv("TWO") == 0);
}

static void
case_strings(void)
{
  kept = strdup("hello");
  free(strndup("hello", 2));
  free(wcsdup(L"abc"));
  demand(strerror(12345) != NULL);  /* a text made for it */
  demand(strsignal(12345) != NULL); /* the same */
}

static void
case_dlopen(void)
{
  void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  demand(library != NULL && dlsym(library, "cos") != NULL);
  demand(dlsym(library, "no_such_function") == NULL && dlerror() != NULL);
  dlclose(library);
  demand(dlopen("no_such_library.so", RTLD_NOW) == NULL);
  demand(dlerror() != NULL);
}

static void
case_backtrace(void)
{
  void *frames[20];
  const int n = backtrace(frames, 20);
  char **names = backtrace_symbols(frames, n);
  demand(n > 0 && names != NULL);
  free(names);
}

static void
case_obstack(void)
{
  struct obstack stack;
  obstack_init(&stack);
  for (int i = 0; i < 100; i++)
    obstack_alloc(&stack, 100);
  obstack_free(&stack, NULL);
}

static void
case_users(void)
{
  struct passwd *p = getpwuid(0);
  demand(p != NULL && strcmp(p->pw_name, "root") == 0);
  setpwent();
  demand(getpwent() != NULL);
  endpwent();
}

static void
case_spawn(void)
{
  char *arguments[] = { "true", NULL };
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status;
  posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 9; i++)
    posix_spawn_file_actions_addopen(&actions, 20 + i, "/dev/null", O_RDONLY,
                                     0);
  demand(posix_spawnp(&child, "true", &actions, NULL, arguments, environ) ==
         0);
  posix_spawn_file_actions_destroy(&actions);
  demand(waitpid(child, &status, 0) == child && status == 0);
}

static void
case_time(void)
{
  const time_t when = 0;
  struct tm t;
  char text[40];
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  tzset();
  localtime_r(&when, &t);
  demand(t.tm_hour == 1);
  setenv("TZ", "Europe/Berlin", 1);
  tzset();
  strftime(text, sizeof text, "%c", &t);
}

static void
case_messages(void)
{
  demand(bindtextdomain("nothing", "/nonexistent") != NULL);
  demand(textdomain("nothing") != NULL);
  demand(strcmp(gettext("text"), "text") == 0);
}

static void
case_interfaces(void)
{
  struct if_nameindex *names = if_nameindex();
  if (names != NULL)
    if_freenameindex(names);
}

/* Nobody needs to read it. */
static void
case_syslog(void)
{
  openlog("test", 0, LOG_USER);
  syslog(LOG_DEBUG, "a line of %d", 1);
  closelog();
}

static const struct test_case cases[] = {
  { "regcomp", case_regcomp },
  { "setlocale", case_setlocale },
  { "newlocale", case_newlocale },
  { "iconv", case_iconv },
  { "tsearch", case_tsearch },
  { "hcreate", case_hcreate },
  { "argz", case_argz },
  { "qsort", case_qsort },
  { "environment", case_environment },
  { "strings", case_strings },
  { "dlopen", case_dlopen },
  { "backtrace", case_backtrace },
  { "obstack", case_obstack },
  { "users", case_users },
  { "spawn", case_spawn },
  { "time", case_time },
  { "messages", case_messages },
  { "interfaces", case_interfaces },
  { "syslog", case_syslog },
  { NULL, NULL },
};

int
main(int argc, char **argv)
{
  return run_traced(cases, argc, argv);
}
