/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * damage FILE SEED: changes some numbers of what is not zero in the file, and in
 * its directory, or cuts it; the same for the same SEED.  Holes stay.
 * damage FILE WORD: changes the first letter of WORD to X, wherever it is.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, MOST = 8, MOST_PAGES = 1 << 16, HEAD_BYTES = 1024 };

static uint64_t state;

static uint64_t
next(uint64_t below)
{
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (state >> 33) % below;
}

static uint64_t
value(uint64_t was)
{
  static const uint64_t values[] = {
      0, 1, 2, 7, UINT32_MAX, UINT64_MAX, INT64_MAX, UINT64_C(1) << 62,
      UINT64_C(1) << 63, UINT64_C(3) << 61, 4096, 1 << 20};
  switch (next(4)) {
  case 0:
    return was ^ UINT64_C(1) << next(64);
  case 1:
    return was + next(16) - 8;
  case 2:
    return next(UINT32_MAX) << 32 | next(UINT32_MAX);
  default:
    return values[next(sizeof values / sizeof *values)];
  }
}

/* Lists the pages of the file that are no holes; returns how many. */
static size_t
find_pages(int file, size_t *pages)
{
  size_t count = 0;
  for (off_t at = 0, hole; count < MOST_PAGES; at = hole) {
    at = lseek(file, at, SEEK_DATA);
    hole = at < 0 ? -1 : lseek(file, at, SEEK_HOLE);
    if (hole < 0)
      break;
    for (; at < hole && count < MOST_PAGES; at += PAGE)
      pages[count++] = (size_t)at;
  }
  return count;
}

static void
change_word(char *page, size_t bytes, const char *word)
{
  for (char *at; (at = memmem(page, bytes, word, strlen(word))) != NULL;)
    *at = 'X';
}

int
main(int argc, char **argv)
{
  static size_t pages[MOST_PAGES];
  const int file = open(argv[1], O_RDWR);
  struct stat status;
  char *bytes;
  if (argc != 3 || fstat(file, &status) != 0)
    return 2;
  state = strtoull(argv[2], NULL, 10) * 2654435761u + 1;
  size_t length = (size_t)status.st_size;
  const size_t count = find_pages(file, pages);
  if (count == 0)
    return 2;
  bytes = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (state == 1) {
    for (size_t i = 0; i < count; i++)
      change_word(bytes + pages[i], length - pages[i] < PAGE + 16
                                        ? PAGE : PAGE + 16, argv[2]);
    return 0;
  }
  for (uint64_t i = next(MOST) + 1; i > 0; i--) {
    uint64_t was = 0;
    size_t at = 0;
    for (int tries = 0; was == 0 && tries < 1000; tries++) {
      at = next(3) == 0 ? next(HEAD_BYTES / 8) * 8
                        : pages[next(count)] + next(PAGE / 8) * 8;
      memcpy(&was, bytes + at, sizeof was);
    }
    was = value(was);
    memcpy(bytes + at, &was, next(2) == 0 ? 4 : 8);
  }
  if (next(10) == 0)
    length = next(2) == 0 ? next(length) : pages[next(count)];
  return ftruncate(file, (off_t)length) == 0 ? 0 : 1;
}
