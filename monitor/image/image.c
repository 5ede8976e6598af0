/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image.c -- pieces of memory, and where they are in the file.
 *
 * A piece is mapped in steps: room in the file, its bytes, its part in the
 * directory, its memory, and last the number of parts.  Nobody writes to that
 * memory meanwhile, so a process that is killed in between leaves what it had,
 * or nothing.
 */
#include "image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "image/image_file.h"
#include "image/image_pieces.h"

#ifndef MPROF_VERSION
#error "MPROF_VERSION is not defined"
#endif

struct image image;

bool
image_is_open(void)
{
  return __atomic_load_n(&image.head, __ATOMIC_RELAXED) != NULL;
}

/* Whether something has found no room in it. */
static bool
is_incomplete(void)
{
  return (image.head->flags & IMAGE_INCOMPLETE) != 0;
}

/* Returns how many parts the directory of a new file may have: fewer where the
 * length of files is limited. */
static uint32_t
most_parts(void)
{
  enum { MOST = 1 << 16, FEW = 1 << 10 };
  struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
  getrlimit(RLIMIT_FSIZE, &limit);
  return limit.rlim_cur == RLIM_INFINITY ? MOST : FEW;
}

uint32_t
image_owner(void)
{
  return __atomic_add_fetch(&image.owners, 1, __ATOMIC_RELAXED);
}

static void
set_flag(enum image_flag flag, bool set)
{
  struct image_head *const head = image.head;
  if (head != NULL && set)
    __atomic_fetch_or(&head->flags, flag, __ATOMIC_SEQ_CST);
  else if (head != NULL)
    __atomic_fetch_and(&head->flags, ~(uint32_t)flag, __ATOMIC_SEQ_CST);
}

/* A Lisp program has nobody else who could tell its user in time. */
static void
say_incomplete(void)
{
  static const char message[] =
      "mprof: the mapped file is full or was replaced; allocations counted from "
      "now on are lost if the program is killed\n";
  if (image.head == NULL || is_incomplete())
    return;
  set_flag(IMAGE_INCOMPLETE, true);
  if (image.head->language == IMAGE_LISP && image_file.kept < 0 &&
      write(STDERR_FILENO, message, sizeof message - 1) < 0)
    return; /* nobody is told */
}

/* Writes PART into the directory; returns false with errno if it cannot. */
static bool
write_part(int file, uint32_t number, const struct image_part *part)
{
  return image_file_write(file, part, sizeof *part,
                          image_part_offset(number));
}

/* Puts the piece into the file, which has HEAD, as the part NUMBER.  Returns
 * false with errno if there is no room: it is in memory alone. */
static bool
put_piece(int file, struct image_head *head, uint32_t number, struct piece *p)
{
  const uint64_t bytes = p->part.room;
  p->part.offset = image_file.end;
  errno = number < image.most_parts ? image_file_allocate(file, bytes) : ENOSPC;
  if (errno != 0 ||
      !image_file_write(file, p->base, p->used, p->part.offset) ||
      !write_part(file, number, &p->part))
    return false;
  /* It changes nothing there, where threads read without a lock: the C
   * library's mmap would be a write for ThreadSanitizer. */
  const long arguments[6] = {(long)(intptr_t)p->base, (long)bytes,
                             PROT_READ | PROT_WRITE,  MAP_SHARED | MAP_FIXED,
                             file,                    (long)p->part.offset};
  const long mapped = arch_system_call(SYS_mmap, arguments);
  if (mapped != arguments[0]) {
    write_part(file, number, &(struct image_part){.kind = 0});
    errno = (int)-mapped;
    return false;
  }
  image_file.end += bytes;
  if (head->parts <= number)
    __atomic_store_n(&head->parts, number + 1, __ATOMIC_RELEASE);
  return true;
}

/* ---- pieces, under the lock ---- */

static bool
same_array(const struct piece *a, const struct piece *b)
{
  return a->part.kind == b->part.kind && a->part.owner == b->part.owner;
}

/* Returns a number for the piece NEW: that of one that was given back, behind
 * all of the same array, or else one more. */
static uint32_t
new_number(const struct piece *new)
{
  uint32_t number = image.count;
  for (uint32_t i = image.count;
       i-- > 0 && !same_array(&image.pieces[i], new);)
    if (image.pieces[i].base == NULL)
      number = i;
  return number;
}

static bool
room_for_piece(uint32_t number)
{
  const bool room =
      arena_record(&image.arena, number, sizeof *image.pieces) != NULL;
  image.pieces = image.arena.base;
  return room;
}

/* Adds the piece to the list, and to the file if there is one; the next image
 * has it in any case.  Returns 0 or an errno value. */
static int
put_new_piece(void *piece)
{
  struct piece *const new = piece;
  const uint32_t number = new_number(new);
  const bool open = image_is_open();
  const int file = open ? image_file_open() : -1;
  int error = 0;
  if (open && file < 0)
    return errno;
  if (!room_for_piece(number) ||
      (open && !put_piece(file, image.head, number, new))) {
    error = errno;
  } else {
    image.pieces[number] = *new;
    image.count += number == image.count;
  }
  image_file_close(file);
  return error;
}

/* What the kernel refuses once it may have the next time. */
static bool
add_piece(void *base, size_t bytes, size_t used, struct image_part part)
{
  enum { TRIES = 3 };
  struct piece new = {.base = base, .used = used, .part = part};
  new.part.room = new.part.ready = bytes;
  new.part.record_bytes = 1;
  for (int i = 0; i < TRIES; i++) {
    int error = put_new_piece(&new);
    if (error == EMFILE)
      error = image_file_elsewhere(put_new_piece, &new);
    if (error == 0)
      return true;
    image.error = error;
  }
  say_incomplete();
  return false;
}

/* Returns the piece at `base', or NULL. */
static struct piece *
piece_at(const void *base)
{
  for (uint32_t i = 0; i < image.count; i++)
    if (base != NULL && image.pieces[i].base == base)
      return &image.pieces[i];
  return NULL;
}

/* Takes the lock, with signals held back.  Returns false where this thread
 * has it already, or the kernel is not asked. */
static bool
lock_pieces(void)
{
  struct signals_held signals;
  if (arenas_are_sealed() || spin_holds(&image.lock))
    return false;
  signals_hold(&signals);
  spin_lock(&image.lock);
  image.signals = signals;
  return true;
}

static void
unlock_pieces(void)
{
  const struct signals_held signals = image.signals;
  spin_unlock(&image.lock);
  signals_let_go(&signals);
}

bool
image_map(const struct arena *arena, size_t used, enum image_kind kind,
          uint32_t owner)
{
  const int saved = errno;
  bool mapped = true;
  if (!image_is_open())
    return true;
  if (!lock_pieces())
    return false;
  if (piece_at(arena->base) == NULL) /* else it was in the last one, too */
    mapped = add_piece(arena->base,
                       (arena->reserved_bytes + IMAGE_PAGE - 1) &
                           ~(size_t)(IMAGE_PAGE - 1),
                       used,
                       (struct image_part){.kind = kind, .owner = owner});
  unlock_pieces();
  errno = mapped ? saved : ENOMEM;
  return mapped;
}

/* Whether the file has what is before `end'. */
static bool
has_up_to(const char *end)
{
  for (uint32_t i = image.count; i-- > 0;)
    if (image.pieces[i].base + image.pieces[i].part.room == end)
      return true;
  return false;
}

bool
image_extend(const void *base, void *end, size_t bytes)
{
  const int saved = errno;
  const struct piece *p;
  bool extended = true;
  if (image.count == 0 || !lock_pieces())
    return true;
  p = piece_at(base);
  if (p != NULL) {
    struct image_part part = p->part;
    part.first = (uint64_t)((char *)end - (const char *)base);
    /* a file with a gap could not be read */
    extended = (has_up_to(end) && add_piece(end, bytes, 0, part)) ||
               part.kind == IMAGE_NOTES;
  }
  unlock_pieces();
  errno = extended ? saved : ENOMEM;
  return extended;
}

bool
image_has(const void *base)
{
  bool has;
  if (image.count == 0 || spin_holds(&image.lock))
    return false;
  spin_lock(&image.lock);
  has = piece_at(base) != NULL;
  spin_unlock(&image.lock);
  return has;
}

/* Gives the piece NUMBER back; the others keep their numbers. */
static void
release_piece(int file, uint32_t number)
{
  struct piece *const p = &image.pieces[number];
  if (file >= 0) {
    write_part(file, number, &(struct image_part){.kind = 0});
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              (off_t)p->part.offset, (off_t)p->part.room);
  }
  *p = (struct piece){.base = NULL};
  while (image.count > 0 && image.pieces[image.count - 1].base == NULL)
    image.count--;
}

void
image_release(const void *base)
{
  const struct piece *p;
  struct piece released;
  int file;
  if (image.count == 0 || !lock_pieces())
    return;
  p = piece_at(base);
  if (p != NULL) {
    released = *p;
    file = image_is_open() ? image_file_open() : -1;
    for (uint32_t i = image.count; i-- > 0;)
      if (same_array(&image.pieces[i], &released))
        release_piece(file, i);
    image_file_close(file);
  }
  unlock_pieces();
}

/* ---- begin and end ---- */

/* Makes the head, and behind it a hole for the directory.  Returns the head,
 * mapped, or NULL with errno set. */
static struct image_head *
make_head(int file, enum image_language language, pid_t process)
{
  struct image_head head = {.version = IMAGE_VERSION,
                            .language = language,
                            .process = (uint32_t)process};
  void *mapped;
  memcpy(head.magic, IMAGE_MAGIC, sizeof head.magic);
  memcpy(head.mprof, MPROF_VERSION, sizeof MPROF_VERSION);
  errno = image_file_allocate(file, IMAGE_PAGE);
  if (errno != 0 || !image_file_write(file, &head, sizeof head, 0))
    return NULL;
  mapped = mmap(NULL, IMAGE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  image.most_parts = most_parts();
  image_file.end = (image_part_offset(image.most_parts) + IMAGE_PAGE - 1) &
                   ~(uint64_t)(IMAGE_PAGE - 1);
  return mapped == MAP_FAILED ? NULL : mapped;
}

/* What is in memory of the image before goes into this one. */
static bool
put_all(int file, struct image_head *head)
{
  for (uint32_t i = 0; i < image.count; i++) {
    struct piece *const p = &image.pieces[i];
    p->used = p->part.room;
    if (p->base != NULL && !put_piece(file, head, i, p))
      return false;
  }
  return true;
}

int
image_open(const char *path, enum image_language language, pid_t process,
           bool exclusive)
{
  struct image_head *head;
  int error, file;
  if (image_is_open())
    return EBUSY;
  file = image_file_make(path, exclusive);
  head = file < 0 ? NULL : make_head(file, language, process);
  if (head == NULL || !put_all(file, head)) {
    error = errno;
    if (head != NULL)
      munmap(head, IMAGE_PAGE);
    if (file >= 0) {
      unlink(image_file.path);
      close(file);
    }
    image_file_settle(false);
    return error;
  }
  image_file.kept = file;
  image.error = 0;
  __atomic_store_n(&image.head, head, __ATOMIC_RELEASE);
  error = image_notes_begin();
  if (error != 0) {
    if (image.error != 0) /* of the file; the other is ENOMEM */
      error = image.error;
    set_flag(IMAGE_INCOMPLETE, true);
    image_opened();
  }
  return error;
}

int
image_opened(void)
{
  image_file_drop();
  if (!is_incomplete())
    return 0;
  unlink(image_file.path);
  image_file_settle(false);
  image_leave(true);
  return image.error;
}

void
image_close(bool keep)
{
  struct image_head *const head = image.head;
  int file = -1;
  if (head == NULL)
    return;
  if (!keep) {
    set_flag(IMAGE_SAVED, true);
    file = image_file_open();
  }
  if (file >= 0) {
    image_file_close(file);
    unlink(image_file.path);
  }
  image_file_settle(keep);
  image_file_drop();
  __atomic_store_n(&image.head, NULL, __ATOMIC_RELEASE);
  munmap(head, IMAGE_PAGE);
  image_notes_end();
}

void
image_keep(void)
{
  if (!image_is_open() || !lock_pieces())
    return;
  image_file_keep();
  unlock_pieces();
}

void
image_forgets(bool begins)
{
  set_flag(IMAGE_FORGETTING, begins);
}
