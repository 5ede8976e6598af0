/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_parts.c -- see image_parts.h.
 *
 * A part is put into the file in steps: a range, its bytes, its memory, and
 * last its entry in the directory.  Nobody writes to that memory meanwhile,
 * so a process that is killed in between leaves what it had, or nothing.
 */
#include "image/image_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "arch/arch.h"
#include "image/image.h"

/* From ADVISED bytes on the kernel makes larger parts of the file at once.
 * Before, it would read around the first page of each array. */
enum { ADVISED = 4 << 20 };

/* All records have a whole number in a range: their sizes divide UNIT. */
enum { UNIT = 15 * IMAGE_PAGE };
_Static_assert(UNIT % 40 == 0 && UNIT % 48 == 0 && UNIT % 256 == 0,
               "contexts, leaves, regions");

static size_t
units(uint64_t bytes)
{
  return (size_t)((bytes + UNIT - 1) / UNIT * UNIT);
}

/* ---- the kernel ---- */

/* Calls mremap.  Returns the new address, or a negative errno value.  Asks
 * the kernel itself, since ThreadSanitizer takes the C library's function for
 * a write, where threads read without a lock. */
static long
remap(void *from, size_t bytes, size_t becomes, int how, void *to)
{
  const long arguments[6] = {(long)(intptr_t)from, (long)bytes, (long)becomes,
                             how, (long)(intptr_t)to};
  return arch_system_call(SYS_mremap, arguments);
}

/* Makes the kernel write a word to the page, and zeroes it.  Returns 0, or a
 * negative errno value on a full disk, where a store would be a signal. */
static long
write_to_page(char *page)
{
  const long arguments[6] = {SIG_BLOCK, 0, (long)(intptr_t)page,
                             sizeof(uint64_t)};
  const long result = arch_system_call(SYS_rt_sigprocmask, arguments);
  if (result == 0)
    *(volatile uint64_t *)(void *)page = 0;
  return result;
}

/* Makes pages of the file, which are zero, present.  Returns false with
 * EFAULT if there is no room for one. */
static bool
make_present(char *at, size_t bytes)
{
  long result = 0;
  for (size_t i = 0; result == 0 && i < bytes; i += IMAGE_PAGE)
    result = write_to_page(at + i);
  errno = (int)-result;
  return result == 0;
}

static void
advise(void *at, size_t bytes)
{
  madvise(at, bytes, bytes < ADVISED ? MADV_RANDOM : MADV_NORMAL);
}

/* Maps MAPPED bytes of the file from OFFSET on, the first BYTES of them
 * present and zero.  Returns NULL with errno if the disk is full. */
static void *
map_present(int file, uint64_t offset, size_t mapped, size_t bytes)
{
  void *const at = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED,
                        file, (off_t)offset);
  if (at == MAP_FAILED)
    return NULL;
  advise(at, mapped);
  if (make_present(at, bytes))
    return at;
  munmap(at, mapped);
  errno = ENOSPC; /* or a quota: the kernel does not say */
  return NULL;
}

/* ---- the directory ---- */

/* Limits of entries in the directory of a new file, and in that of one whose
 * length is limited. */
enum { MOST_PARTS = 1 << 16, FEW_PARTS = 1 << 10 };

static size_t
whole_directory(void)
{
  return units(image_part_offset(image.most_parts));
}

struct image_head *
directory_map(int file)
{
  image.most_parts =
      image_file_limit() == UINT64_MAX ? MOST_PARTS : FEW_PARTS;
  errno = image_file_lengthen(file, whole_directory());
  if (errno != 0)
    return NULL;
  image.dense = image_file_is_dense(file);
  image.directory_bytes = IMAGE_PAGE;
  return map_present(file, 0, whole_directory(), IMAGE_PAGE);
}

void
directory_unmap(struct image_head *head)
{
  munmap(head, whole_directory());
}

/* Returns entry NUMBER of the directory, made present; NULL with errno ENOSPC
 * if there is no room for it. */
static struct image_part *
entry_at(struct image_head *head, uint32_t number)
{
  char *const at = (char *)head + image_part_offset(number);
  if (number >= image.most_parts) {
    errno = ENOSPC;
    return NULL;
  }
  while ((size_t)(at - (char *)head) + sizeof(struct image_part) >
         image.directory_bytes) {
    if (!make_present((char *)head + image.directory_bytes, IMAGE_PAGE)) {
      errno = ENOSPC;
      return NULL;
    }
    image.directory_bytes += IMAGE_PAGE;
  }
  return (struct image_part *)(void *)at;
}

static uint64_t
ready(const struct part *p)
{
  return p->bytes / p->entry.record_bytes;
}

/* ---- ranges ---- */

/* Returns how many bytes a new part gets in the file, at least its own. */
static size_t
range_for(const struct image_head *head, const struct part *p)
{
  enum { SLOT = 1 << 16, SHARE = 8 };
  const size_t record = p->entry.record_bytes;
  uint64_t range = p->most - p->entry.first * record;
  if (head->language == IMAGE_LISP && p->entry.first == 0 && record > 1 &&
      range > SLOT * record)
    range = SLOT * record; /* there is a tree for each thread */
  range = units(range);
  if (range > image_file_limit() / SHARE)
    range = 0;
  return image.dense || range < p->bytes ? units(p->bytes) : range;
}

/* ---- parts ---- */

struct part *
part_at(const void *base)
{
  for (uint32_t i = image.count; i-- > 0;) /* new ones grow */
    if (image.parts[i].base == base)
      return &image.parts[i];
  return NULL;
}

/* Copies the part into its range of the file and maps that in its place.
 * Returns false with errno, and nothing changed, if that fails. */
static bool
move_into_range(int file, struct part *p)
{
  void *const mapped = map_present(file, p->entry.offset, p->bytes, p->bytes);
  if (mapped == NULL)
    return false;
  memcpy(mapped, p->base, p->used);
  const long moved = remap(mapped, p->bytes, p->bytes,
                           MREMAP_MAYMOVE | MREMAP_FIXED, p->base);
  if (moved == (long)(intptr_t)p->base)
    return true;
  munmap(mapped, p->bytes);
  errno = (int)-moved;
  return false;
}

bool
part_put(int file, struct image_head *head, struct part *p)
{
  const uint32_t number = head->parts;
  const uint64_t offset = image.file.end;
  const size_t range = range_for(head, p);
  struct image_part *const entry = entry_at(head, number);
  if (entry == NULL)
    return false;
  errno = image_file_lengthen(file, range);
  if (errno != 0)
    return false;
  p->entry.offset = offset;
  if (!move_into_range(file, p)) {
    image.file.end = offset;
    return false;
  }
  p->used = p->bytes;
  p->range = range;
  p->number = number;
  p->entry.room = range / p->entry.record_bytes;
  p->entry.ready = ready(p);
  *entry = p->entry;
  __atomic_store_n(&head->parts, number + 1, __ATOMIC_RELEASE);
  return true;
}

/* Adds the part; fails as part_add does. */
static bool
add(struct part *new)
{
  const bool open = image_is_open();
  const int file = open ? image_file_open() : -1;
  const bool added =
      (!open || file >= 0) &&
      arena_record(&image.arena, image.count, sizeof *image.parts) != NULL &&
      (!open || part_put(file, image.head, new));
  image.parts = image.arena.base;
  if (added)
    image.parts[image.count++] = *new;
  else
    image.error = errno;
  image_file_close(file);
  return added;
}

/* Tries three times: the kernel may grant later what it refuses now. */
bool
part_add(struct part *new)
{
  enum { TRIES = 3 };
  bool added = false;
  for (int i = 0; i < TRIES && !added; i++)
    added = add(new);
  return added;
}

bool
part_grow(struct part *p, size_t more)
{
  const size_t bytes = p->bytes + more;
  if (remap(p->base, p->bytes, bytes, 0, NULL) != (long)(intptr_t)p->base)
    return false;
  if (p->bytes < ADVISED && bytes >= ADVISED)
    advise(p->base, bytes);
  if (!make_present(p->base + p->bytes, more)) {
    image.error = ENOSPC;
    remap(p->base, bytes, p->bytes, 0, NULL);
    return false;
  }
  p->bytes = p->used = bytes;
  p->entry.ready = ready(p);
  if (image.head != NULL)
    __atomic_store_n(&entry_at(image.head, p->number)->ready, p->entry.ready,
                     __ATOMIC_RELEASE);
  return true;
}

void
part_release(int file, uint32_t i)
{
  struct part *const p = &image.parts[i];
  if (image.head != NULL)
    __atomic_store_n(&entry_at(image.head, p->number)->kind, 0,
                     __ATOMIC_RELEASE);
  if (file >= 0)
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              (off_t)p->entry.offset, (off_t)p->bytes);
  image.count--;
  memmove(p, p + 1, (image.count - i) * sizeof *p);
}
