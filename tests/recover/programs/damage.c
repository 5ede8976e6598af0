/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * damage IN OUT SEED: a copy that differs in some numbers of what is not zero,
 * and in its heads, or ends early; the same for the same SEED.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, MOST = 8 };

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

int
main(int argc, char **argv)
{
  const int in = open(argv[1], O_RDONLY);
  const int out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666);
  struct stat status;
  char *bytes;
  if (argc != 4 || fstat(in, &status) != 0)
    return 2;
  state = strtoull(argv[3], NULL, 10) * 2654435761u + 1;
  size_t length = (size_t)status.st_size;
  bytes = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE, in, 0);
  for (uint64_t i = next(MOST) + 1; i > 0; i--) {
    uint64_t was = 0;
    size_t at = 0;
    for (int tries = 0; was == 0 && tries < 1000; tries++) {
      at = next(3) == 0 ? next(length / PAGE) * PAGE + next(6) * 8
                        : next(length / 8) * 8;
      memcpy(&was, bytes + at, sizeof was);
    }
    was = value(was);
    memcpy(bytes + at, &was, next(2) == 0 ? 4 : 8);
  }
  if (next(10) == 0)
    length = next(length);
  return write(out, bytes, length) == (ssize_t)length ? 0 : 1;
}
