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
directory_unmap(void)
{
  struct image_head *const head = image.head;
  __atomic_store_n(&image.head, NULL, __ATOMIC_RELEASE);
  image.leaving = false;
  if (head != NULL)
    munmap(head, whole_directory());
}

/* Makes entry NUMBER of the directory present.  Returns false with errno
 * ENOSPC if there is no room for it. */
static bool
directory_reach(uint32_t number)
{
  bool present = number < image.most_parts;
  while (present && image_part_offset(number + 1) > image.directory_bytes) {
    present = make_present((char *)image.head + image.directory_bytes,
                           IMAGE_PAGE);
    image.directory_bytes += present ? IMAGE_PAGE : 0;
  }
  if (!present)
    errno = ENOSPC;
  return present;
}

/* ---- ranges ---- */

/* Returns how many bytes an array of BYTES gets in the file: MOST, all that it
 * may become, unless the file cannot have holes or be so long. */
static size_t
range_for(size_t bytes, size_t most)
{
  enum { SHARE = 64, DENSE = 4 << 20 };
  const uint64_t limit = image.dense ? DENSE : image_file_limit() / SHARE;
  const uint64_t range = most < limit ? most : limit;
  return units(range > bytes ? range : bytes);
}

/* ---- parts ---- */

/* Returns the part's entry in the directory. */
static struct image_part *
entry_of(const struct part *p)
{
  const uint32_t number = (uint32_t)(p - image.parts);
  return (struct image_part *)(void *)((char *)image.head +
                                       image_part_offset(number));
}

struct part *
part_at(const void *base)
{
  for (uint32_t i = image.count; i-- > 0;) /* new ones grow */
    if (image.parts[i].base == base)
      return &image.parts[i];
  return NULL;
}

/* Copies USED of the part's bytes into the file, from OFFSET on, and maps that
 * over them; the rest is zero.  Returns false with errno, and nothing
 * changed, if that fails. */
static bool
move_into_range(int file, uint64_t offset, const struct part *p, size_t used)
{
  void *const mapped = map_present(file, offset, p->bytes, p->bytes);
  if (mapped == NULL)
    return false;
  memcpy(mapped, p->base, used);
  const long moved = remap(mapped, p->bytes, p->bytes,
                           MREMAP_MAYMOVE | MREMAP_FIXED, p->base);
  if (moved == (long)(intptr_t)p->base)
    return true;
  munmap(mapped, p->bytes);
  errno = (int)-moved;
  return false;
}

/* Gives the part a range of the open file, and fills its entry.  Fails as
 * part_add does. */
static bool
put(int file, struct part part, size_t used, size_t most,
    struct image_part entry)
{
  const size_t range = range_for(part.bytes, most);
  entry.offset = image.file.end;
  entry.room = range / entry.record_bytes;
  entry.ready = part.bytes / entry.record_bytes;
  if (!directory_reach(image.count))
    return false;
  errno = image_file_lengthen(file, range);
  if (errno != 0)
    return false;
  if (!move_into_range(file, entry.offset, &part, used)) {
    image.file.end = entry.offset;
    return false;
  }
  image.parts[image.count] = part;
  *entry_of(&image.parts[image.count]) = entry;
  __atomic_store_n(&image.head->parts, ++image.count, __ATOMIC_RELEASE);
  return true;
}

bool
part_add(struct part part, size_t used, size_t most, struct image_part entry)
{
  const int file = image.leaving ? -1 : image_file_open();
  bool added = false;
  if (file >= 0 &&
      arena_record(&image.arena, image.count, sizeof part) != NULL) {
    image.parts = image.arena.base;
    added = put(file, part, used, most, entry);
  }
  if (!added)
    image.error = errno;
  image_file_close(file);
  return added;
}

bool
part_grow(struct part *p, size_t more)
{
  struct image_part *const entry = entry_of(p);
  const size_t bytes = p->bytes + more;
  if (bytes > entry->room * entry->record_bytes ||
      remap(p->base, p->bytes, bytes, 0, NULL) != (long)(intptr_t)p->base)
    return false;
  if (p->bytes < ADVISED && bytes >= ADVISED)
    advise(p->base, bytes);
  if (!make_present(p->base + p->bytes, more)) {
    image.error = ENOSPC;
    remap(p->base, bytes, p->bytes, 0, NULL);
    return false;
  }
  p->bytes = bytes;
  __atomic_store_n(&entry->ready, bytes / entry->record_bytes,
                   __ATOMIC_RELEASE);
  return true;
}

void
part_release(struct part *p)
{
  struct image_part *const entry = entry_of(p);
  const int file = image_file_open();
  __atomic_store_n(&entry->kind, 0, __ATOMIC_RELEASE);
  if (file >= 0)
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              (off_t)entry->offset, (off_t)p->bytes);
  image_file_close(file);
  p->base = NULL;
}

/* ---- the way out ---- */

/* Replaces the part's memory by private memory with the same contents.  Other
 * threads that look at its locks meanwhile see the one or the other. */
static bool
replace_by_copy(const struct part *p)
{
  struct arena copy;
  if (arena_reserve(&copy, p->bytes) != 0)
    return false;
  memcpy(copy.base, p->base, p->bytes);
  if (mremap(copy.base, p->bytes, p->bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
             p->base) != MAP_FAILED)
    return true;
  munmap(copy.base, p->bytes);
  return false;
}

/* Replaces the part's memory by private memory that is all zero. */
static bool
replace_by_zeros(const struct part *p)
{
  return mmap(p->base, p->bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
              0) != MAP_FAILED;
}

/* Returns true if the part keeps its contents when all figures are left. */
static bool
is_kept(const struct part *p)
{
  const uint32_t kind = entry_of(p)->kind;
  return kind == IMAGE_STRIPES || kind == IMAGE_REGIONS ||
         kind == IMAGE_NOTES;
}

bool
parts_leave(bool whole)
{
  if (arenas_are_sealed())
    return false;
  for (; image.count > 0; image.count--) {
    const struct part *const p = &image.parts[image.count - 1];
    if (p->base != NULL &&
        !(whole || is_kept(p) ? replace_by_copy(p) : replace_by_zeros(p)))
      return false;
  }
  return true;
}
