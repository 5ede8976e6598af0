/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * exhaust.cc -- a program that allocates until there is no memory left, says
 * how many objects it got, and ends: exhaust WAY BYTES [LIMIT].  It needs no
 * memory for that.  LIMIT is one of address space that it sets itself.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

static void *volatile last;

static void
say(unsigned long count)
{
  char line[40];
  const int n = snprintf(line, sizeof line, "%lu\n", count);
  if (write(1, line, n) != n)
    _exit(9);
}

/* How many of `bytes' there are, one of them each further down. */
static unsigned long __attribute__((noinline))
take(size_t bytes, int depth)
{
  unsigned long count = 0;
  if (depth > 0) {
    last = malloc(bytes);
    return take(bytes, depth - 1) + 1;
  }
  for (void *p; (p = malloc(bytes)) != nullptr; count++)
    last = p;
  return count;
}

int
main(int argc, char **argv)
{
  const char *way = argv[1];
  const size_t bytes = strtoul(argv[2], nullptr, 10);
  unsigned long count = 0;
  if (argc > 3) {
    const rlim_t most = strtoul(argv[3], nullptr, 10);
    const struct rlimit limit = {most, most};
    setrlimit(RLIMIT_AS, &limit);
  }
  if (strcmp(way, "new") == 0) {
    try {
      for (;; count++)
        last = operator new(bytes);
    } catch (const std::bad_alloc &) {
    }
    say(count);
    return 0;
  }
  if (strcmp(way, "uncaught") == 0)
    for (;; count++) {
      void *p = operator new(bytes, std::nothrow);
      if (p == nullptr) {
        say(count);
        p = operator new(bytes); /* ends it */
      }
      last = p;
    }
  count = take(bytes, strcmp(way, "deep") == 0 ? 3000 : 0);
  say(count);
  if (strcmp(way, "abort") == 0)
    abort();
  if (strcmp(way, "_exit") == 0)
    _exit(3);
  return 0;
}
