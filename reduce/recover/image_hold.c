/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is copied is mapped before, and the place for the copy touched, so that
 * threads wait for the copying alone.
 */

#include "recover/image_hold.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

uint64_t image_held_nanoseconds;

/* ---- the locks --------------------------------------------------------- */

static uint64_t
now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static bool
try_lock(struct spin_lock *lock)
{
  uintptr_t none = 0;
  return __atomic_compare_exchange_n(&lock->holder, &none, SPIN_LOCK_READER,
                                     false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

/* Whether it was still the reader's. */
static bool
unlock(struct spin_lock *lock)
{
  uintptr_t reader = SPIN_LOCK_READER;
  return __atomic_compare_exchange_n(&lock->holder, &reader, 0, false,
                                     __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* There are no more used ones once the first is locked.  Whole: nobody else
 * has opened any. */
static bool
unlock_all(struct stripes *shared, uint32_t count)
{
  bool whole = true;
  while (count-- > 0)
    whole &= unlock(&shared->stripe[count].lock);
  return whole;
}

/* A thread may be stopped, or killed, while it has one: it is waited for a
 * little. */
static bool
lock_all(struct stripes *shared)
{
  enum { MILLISECONDS = 2000 };
  const uint64_t end = now() + MILLISECONDS * UINT64_C(1000000);
  uint32_t i = 0;
  do {
    const struct timespec pause = {.tv_nsec = 50000};
    while (i < STRIPES &&
           i < __atomic_load_n(&shared->used, __ATOMIC_ACQUIRE) &&
           try_lock(&shared->stripe[i].lock))
      i++;
    if (i == STRIPES || i >= __atomic_load_n(&shared->used, __ATOMIC_ACQUIRE))
      return true;
    nanosleep(&pause, NULL);
  } while (now() < end);
  unlock_all(shared, i);
  return false;
}

/* ---- who uses it ------------------------------------------------------- */

/* A lease is for who alone has the file: the kernel refuses one while somebody
 * has it open for writing, or has mapped it so.  Where there are no leases the
 * process that made it tells. */
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
  return known ? used
               : kill((pid_t)head->process, 0) == 0 || errno == EPERM;
}

/* ---- the stripes ------------------------------------------------------- */

/* Maps the stripes, whose first bytes are at OFFSET in PATH.  NULL: that is
 * not possible. */
static struct stripes *
map_stripes(const char *path, uint64_t offset)
{
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  void *mapped = MAP_FAILED;
  if (file >= 0) {
    mapped = mmap(NULL, sizeof(struct stripes), PROT_READ | PROT_WRITE,
                  MAP_SHARED, file, (off_t)offset);
    close(file);
  }
  return mapped == MAP_FAILED ? NULL : mapped;
}

/* Where they are in an image; 0: nowhere. */
static uint64_t
find_stripes(int file)
{
  struct image_piece piece;
  for (uint64_t at = IMAGE_PAGE;
       pread(file, &piece, sizeof piece, (off_t)at) == sizeof piece &&
       piece.magic == IMAGE_PIECE_MAGIC;
       at += IMAGE_PAGE + piece.bytes)
    if (piece.kind == IMAGE_STRIPES)
      return piece.bytes < sizeof(struct stripes) ? 0 : at + IMAGE_PAGE;
    else if (piece.bytes > INT64_MAX - at - IMAGE_PAGE)
      break;
  return 0;
}

struct stripes *
image_map_stripes(const char *path)
{
  struct image_head head;
  uint64_t offset = 0;
  if (!image_read_head(path, &head) || head.language != IMAGE_C)
    return NULL;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0) {
    offset = find_stripes(file);
    close(file);
  }
  return offset == 0 ? NULL : map_stripes(path, offset);
}

void
image_unmap_stripes(struct stripes *shared)
{
  munmap(shared, sizeof *shared);
}

/* ---- a copy ------------------------------------------------------------ */

bool
image_is_held(enum image_kind kind)
{
  return kind == IMAGE_COUNTERS || kind == IMAGE_STRIPES ||
         kind == IMAGE_REGIONS;
}

struct source {
  struct image *image;
  int file;
  const struct image_part *parts;
  size_t count;
  uint64_t end;
  const char **mapped; /* owned: by part; NULL: it is not copied */
};

static bool
is_copied(const struct source *s, size_t i)
{
  return image_is_held(s->image->arrays[s->parts[i].array].kind);
}

/* Maps what is copied, and makes room for it. */
static bool
prepare(struct source *s)
{
  for (size_t i = 0; i < s->count; i++) {
    const struct image_part *part = &s->parts[i];
    struct image_array *array = &s->image->arrays[part->array];
    if (!is_copied(s, i))
      continue;
    if (array->bytes == NULL)
      array->bytes = malloc(array->length);
    void *mapped =
        mmap(NULL, part->bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, s->file,
             (off_t)part->offset);
    if (array->bytes == NULL || mapped == MAP_FAILED)
      return false;
    memset(array->bytes + part->at, 1, part->bytes); /* touch it */
    s->mapped[i] = mapped;
  }
  return true;
}

static void
copy(const struct source *s)
{
  for (size_t i = 0; i < s->count; i++)
    if (s->mapped[i] != NULL)
      memcpy(s->image->arrays[s->parts[i].array].bytes + s->parts[i].at,
             s->mapped[i], s->parts[i].bytes);
}

static void
release(struct source *s)
{
  for (size_t i = 0; s->mapped != NULL && i < s->count; i++)
    if (s->mapped[i] != NULL)
      munmap((void *)(uintptr_t)s->mapped[i], s->parts[i].bytes);
  free(s->mapped);
}

/* Whether there is nothing behind what is listed. */
static bool
is_listed(const struct source *s)
{
  struct image_piece head = {.kind = 0};
  const ssize_t got = pread(s->file, &head, sizeof head, (off_t)s->end);
  return got >= 0 && head.kind == 0;
}

/* Copies under the locks.  False: they cannot be had. */
static bool
copy_held(struct image_hold *hold, const struct source *s)
{
  struct stripes *shared = hold->stripes;
  if (!lock_all(shared))
    return false;
  const uint64_t begin = now();
  const uint32_t used = shared->used < STRIPES ? shared->used : STRIPES;
  const bool listed = is_listed(s);
  hold->generation = shared->generation;
  copy(s);
  hold->whole = unlock_all(shared, used) && listed;
  image_held_nanoseconds = now() - begin;
  return true;
}

static const struct image_part *
part_of(const struct source *s, enum image_kind kind)
{
  for (size_t i = 0; i < s->count; i++)
    if (s->image->arrays[s->parts[i].array].kind == kind)
      return &s->parts[i];
  return NULL;
}

bool
image_hold(struct image_hold *hold, struct image *image, int file,
           const struct image_part *parts, size_t count, uint64_t end)
{
  struct source s = {image, file, parts, count, end,
                     array_zeroed(count + 1, sizeof *s.mapped)};
  const struct image_part *all = part_of(&s, IMAGE_STRIPES);
  *hold = (struct image_hold){0};
  if (s.mapped != NULL && all != NULL &&
      all->bytes >= sizeof(struct stripes) &&
      image_is_used(image->path, &image->head))
    hold->stripes = map_stripes(image->path, all->offset);
  bool held = hold->stripes != NULL && hold->stripes->watched &&
              prepare(&s) && copy_held(hold, &s);
  release(&s);
  if (!held && hold->stripes != NULL)
    image_unmap_stripes(hold->stripes);
  return held;
}

bool
image_hold_is_good(const struct image_hold *hold)
{
  return hold->whole &&
         hold->generation ==
             __atomic_load_n(&hold->stripes->generation, __ATOMIC_ACQUIRE);
}

void
image_hold_release(struct image_hold *hold)
{
  image_unmap_stripes(hold->stripes);
}

/* ---- requests ---------------------------------------------------------- */

/* The program will find what is said here of its counting, and since when.  A
 * start takes back a stop that is not done yet, and the other way round. */
static void
leave_request(struct stripes *shared, uint32_t request)
{
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  const uint64_t since =
      (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
  const bool on = (request & REQUEST_START) != 0;
  if ((request & REQUEST_RESET) != 0)
    shared->figures_since = since;
  if ((request & (REQUEST_START | REQUEST_STOP)) != 0) {
    shared->request &= REQUEST_RESET;
    if (shared->counting != on)
      shared->counting_since = since;
    shared->counting = on;
  }
  shared->request |= request;
  __atomic_store_n(&shared->generation, shared->generation + 1,
                   __ATOMIC_RELEASE);
}

bool
image_request(struct image *image, uint32_t request)
{
  struct stripes *shared =
      map_stripes(image->path, image->stripes_offset);
  bool left = shared != NULL && lock_all(shared);
  if (left) {
    leave_request(shared, request);
    unlock_all(shared, shared->used < STRIPES ? shared->used : STRIPES);
  }
  if (shared != NULL)
    image_unmap_stripes(shared);
  return left;
}
