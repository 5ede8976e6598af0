/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * streams.c -- what the C library allocates for streams, lines and text.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mntent.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "traced_cases.h"

/* A file of one line of 500 characters, opened. */
static FILE *
line_of_500(void)
{
  char text[501];
  FILE *f = fopen("line", "w+");
  memset(text, 'a', 500);
  text[500] = '\n';
  if (f == NULL || fwrite(text, 1, sizeof text, f) != sizeof text)
    _exit(97);
  rewind(f);
  return f;
}

/* 120 bytes for a line, then what it needs, at least twice as many. */
static void
case_getline(void)
{
  FILE *f = line_of_500();
  char *line = NULL;
  size_t room = 0;
  if (getline(&line, &room, f) != 501 || getline(&line, &room, f) != -1)
    _exit(96);
  free(line);
  fclose(f);
}

/* What the caller has is made longer, and is his to free. */
static void
case_getdelim(void)
{
  FILE *f = line_of_500();
  size_t room = 200;
  char *line = malloc(room);
  if (getdelim(&line, &room, '!', f) != 501)
    _exit(96);
  kept = line;
  fclose(f);
}

static void
case_memstream(void)
{
  char *text;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  for (int i = 0; i < 9000; i++)
    fputc('x', f);
  fclose(f);
  if (size != 9000)
    _exit(96);
  kept = text;
}

static void
case_wmemstream(void)
{
  wchar_t *text;
  size_t size;
  FILE *f = open_wmemstream(&text, &size);
  for (int i = 0; i < 3000; i++)
    fputwc(L'x', f);
  fclose(f);
  if (size != 3000)
    _exit(96);
  free(text);
}

static void
case_fmemopen(void)
{
  char text[] = "some words of text";
  FILE *f = fmemopen(text, sizeof text, "r"), *own;
  if (fgetc(f) != 's')
    _exit(96);
  fclose(f);
  own = fmemopen(NULL, 1000, "w+");
  fputs("more", own);
  fclose(own);
}

static void
case_asprintf(void)
{
  char *text;
  if (asprintf(&text, "%s %d", "number", 12345) != 12)
    _exit(96);
  kept = text;
  if (asprintf(&text, "%5000d", 1) != 5000)
    _exit(96);
  free(text);
}

static char *
formatted(const char *format, ...)
{
  char *text;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) < 0)
    _exit(96);
  va_end(arguments);
  return text;
}

static void
case_vasprintf(void)
{
  kept = formatted("%s", "abc");
  free(formatted("%0300d", 5));
}

/* Digits that no array on the stack is enough for. */
static void
case_digits(void)
{
  static char text[200000];
  snprintf(text, sizeof text, "%.100000f", 0.1);
  snprintf(text, sizeof text, "%50000.40000d", 1);
}

static void
case_fopen(void)
{
  FILE *f = fopen("line", "w"), *g;
  fputs("text", f);
  fclose(f);
  f = fopen("line", "r"); /* read: a buffer more */
  fgetc(f);
  g = fopen("line", "r"); /* never read */
  fclose(f);
  fclose(g);
  if (fopen("nonexistent/file", "r") != NULL)
    _exit(96);
  kept = fopen("line", "r"); /* never closed */
}

static void
case_fdopen(void)
{
  const int fd = open("/dev/null", O_WRONLY);
  FILE *f = fdopen(fd, "w");
  fputs("x", f);
  fclose(f);
}

static void
case_freopen(void)
{
  FILE *f = fopen("/dev/null", "w");
  fputs("x", f);
  f = freopen("line", "w", f);
  fputs("x", f);
  fclose(f);
}

static void
case_setvbuf(void)
{
  static char buffer[4096];
  FILE *f = fopen("line", "w"), *g = fopen("line", "w");
  setvbuf(f, buffer, _IOFBF, sizeof buffer);
  setvbuf(g, NULL, _IONBF, 0);
  fputs("x", f);
  fputs("x", g);
  fclose(f);
  fclose(g);
}

static void
case_wide_orientation(void)
{
  FILE *f = fopen("line", "w");
  fwide(f, 1);
  fputws(L"text", f);
  fclose(f);
}

static void
case_tmpfile(void)
{
  FILE *f = tmpfile();
  fputs("text", f);
  fclose(f);
  kept = tempnam("/tmp", "test");
}

static ssize_t
give_zeros(void *cookie, char *text, size_t size)
{
  memset(text, 0, size);
  return (ssize_t)size;
}

static void
case_cookie(void)
{
  const cookie_io_functions_t functions = { .read = give_zeros };
  FILE *f = fopencookie(NULL, "r", functions);
  fgetc(f);
  fclose(f);
}

/* The pipe is one allocation, the buffer another; the child is no copy. */
static void
case_popen(void)
{
  char text[20];
  FILE *f = popen("echo word", "r");
  if (fgets(text, sizeof text, f) == NULL || pclose(f) != 0)
    _exit(96);
  f = popen("cat >/dev/null", "w");
  fputs("word", f);
  if (pclose(f) != 0 || system("true") != 0)
    _exit(96);
}

/* sscanf makes what %m asks for. */
static void
case_scanf(void)
{
  char *word, *rest;
  if (sscanf("word and more", "%ms %m[a-z ]", &word, &rest) != 2)
    _exit(96);
  free(word);
  kept = rest;
}

static void
case_tables(void)
{
  char buffer[400];
  struct mntent m;
  struct passwd p, *found;
  FILE *f = setmntent("/proc/self/mounts", "r");
  if (getmntent_r(f, &m, buffer, sizeof buffer) == NULL)
    _exit(96);
  endmntent(f);
  f = fopen("/etc/passwd", "r");
  if (fgetpwent_r(f, &p, buffer, sizeof buffer, &found) != 0)
    _exit(96);
  if (fgetpwent(f) == NULL)
    _exit(96);
  fclose(f);
}

/* What the C library closes itself, at exit. */
static void
case_unclosed(void)
{
  for (int i = 0; i < 3; i++)
    fputs("text", fopen("/dev/null", "w"));
  fputs("text", stdout);
}

static const struct test_case cases[] = {
  { "getline", case_getline },
  { "getdelim", case_getdelim },
  { "memstream", case_memstream },
  { "wmemstream", case_wmemstream },
  { "fmemopen", case_fmemopen },
  { "asprintf", case_asprintf },
  { "vasprintf", case_vasprintf },
  { "digits", case_digits },
  { "fopen", case_fopen },
  { "fdopen", case_fdopen },
  { "freopen", case_freopen },
  { "setvbuf", case_setvbuf },
  { "wide-orientation", case_wide_orientation },
  { "tmpfile", case_tmpfile },
  { "cookie", case_cookie },
  { "popen", case_popen },
  { "scanf", case_scanf },
  { "tables", case_tables },
  { "unclosed", case_unclosed },
  { NULL, NULL },
};

int
main(int argc, char **argv)
{
  return run_traced(cases, argc, argv);
}
