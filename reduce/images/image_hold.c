/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Takes the locks of stripes from outside of the program, and asks the kernel
 * whether a process still has an image. */

#include "images/image_reader.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- who uses it ------------------------------------------------------- */

/* Asks the kernel for a lease, which it refuses while another process has the
 * file open for writing, or has mapped it for writing.  On a file system
 * without leases, the process that made the file tells. */
bool
image_is_used(const char *path, const struct image_head *head)
{
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool used = false, known = false;
  if (file >= 0) {
    fcntl(file, F_SETSIG, SIGURG); /* who breaks a lease sends no SIGIO */
    known = fcntl(file, F_SETLEASE, F_RDLCK) == 0 || errno == EAGAIN;
    used = known && fcntl(file, F_GETLEASE) != F_RDLCK;
    close(file); /* and with it the lease goes */
  }
  return known ? used : kill((pid_t)head->process, 0) == 0 || errno == EPERM;
}

/* ---- the stripes ------------------------------------------------------- */

struct stripes *
image_map_stripes(const char *path)
{
  struct image_head head;
  void *mapped = MAP_FAILED;
  if (!image_read_head(path, &head) || head.language != IMAGE_C)
    return NULL;
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  struct image_part part = {.kind = 0};
  for (uint32_t i = 0; i < head.parts && part.kind != IMAGE_STRIPES &&
                       pread(file, &part, sizeof part,
                             (off_t)image_part_offset(i)) == sizeof part;)
    i++;
  if (part.kind == IMAGE_STRIPES && part.ready != 0 &&
      part.record_bytes == sizeof(struct stripes))
    mapped = mmap(NULL, sizeof(struct stripes), PROT_READ | PROT_WRITE,
                  MAP_SHARED, file, (off_t)part.offset);
  if (file >= 0)
    close(file);
  return mapped == MAP_FAILED ? NULL : mapped;
}

void
image_unmap_stripes(void *shared)
{
  munmap(shared, sizeof(struct stripes));
}

/* ---- the locks --------------------------------------------------------- */

static uint32_t
stripes_used(const struct stripes *shared)
{
  const uint32_t used = __atomic_load_n(&shared->used, __ATOMIC_ACQUIRE);
  return used < STRIPES ? used : STRIPES;
}

/* Opens the first COUNT.  Returns whether all were still the reader's. */
static bool
unlock(struct stripes *shared, uint32_t count)
{
  bool whole = true;
  while (count-- > 0) {
    uintptr_t reader = SPIN_LOCK_READER;
    whole &= __atomic_compare_exchange_n(&shared->stripe[count].lock.holder,
                                         &reader, 0, false, __ATOMIC_RELEASE,
                                         __ATOMIC_RELAXED);
  }
  return whole;
}

/* Opens all: there are no more used ones once the first is locked. */
static void
unlock_all(void *shared)
{
  unlock(shared, stripes_used(shared));
}

/* Locks all, or none.  Waits a little for a thread that has one: it may be
 * stopped, or killed. */
static bool
lock_all(struct stripes *shared)
{
  const struct timespec pause = {.tv_nsec = 50000};
  const int64_t end = clock_nanos(CLOCK_MONOTONIC) + INT64_C(2000000000);
  uint32_t locked = 0;
  do {
    for (uintptr_t none = 0;
         locked < stripes_used(shared) &&
         __atomic_compare_exchange_n(&shared->stripe[locked].lock.holder,
                                     &none, SPIN_LOCK_READER, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);)
      locked++;
    if (locked == stripes_used(shared))
      return true;
    nanosleep(&pause, NULL);
  } while (clock_nanos(CLOCK_MONOTONIC) < end);
  unlock(shared, locked);
  return false;
}

bool
image_hold(const char *path, const struct image_head *head,
           void (*read)(void *closure), void *closure)
{
  enum { TRIES = 100 };
  struct stripes *shared =
      image_is_used(path, head) ? image_map_stripes(path) : NULL;
  if (shared == NULL)
    return true;
  pool_on_release(image_unmap_stripes, shared);
  bool again = shared->watched;
  for (int i = 0; again && i < TRIES; i++) {
    again = lock_all(shared); /* else it stays as it was read */
    if (again) {
      pool_on_release(unlock_all, shared);
      read(closure);
      pool_forget(shared);
      again = !unlock(shared, stripes_used(shared));
    }
  }
  pool_release_now(shared);
  return !again;
}
