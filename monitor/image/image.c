/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image.c -- the life of an image, what arenas ask of it, and how a process
 * leaves one: the child of a fork that of its parent, or a program its own
 * for another one.
 */
#include "image/image.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "image/image_parts.h"
#include "image/signals.h"

struct image image = {.file = {.begun = -1},
                      .notes = {.arena = {.most = 1 << 28}}};

bool
image_is_open(void)
{
  return __atomic_load_n(&image.head, __ATOMIC_RELAXED) != NULL;
}

/* Returns true if an array has found no room in the image. */
static bool
is_incomplete(void)
{
  return (image.head->flags & IMAGE_INCOMPLETE) != 0;
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

/* Marks the image as incomplete.  The first time, tells the user of a Lisp
 * program that counts already: nobody else would in time. */
static void
say_incomplete(void)
{
  static const char message[] = "mprof: the mapped file is full or was "
                                "replaced; allocations counted from "
                                "now on are lost if the program is killed\n";
  if (image.head == NULL || is_incomplete())
    return;
  set_flag(IMAGE_INCOMPLETE, true);
  if (image.head->language == IMAGE_LISP && image.file.begun < 0 &&
      write(STDERR_FILENO, message, sizeof message - 1) < 0)
    return; /* nobody is told */
}

/* ---- parts ---- */

/* Takes the lock, with signals held back.  Returns false where this thread
 * has it already, or the kernel is not asked. */
static bool
lock_parts(struct signals_held *signals)
{
  if (arenas_are_sealed() || spin_holds(&image.lock))
    return false;
  signals_hold(signals);
  spin_lock(&image.lock);
  return true;
}

static void
unlock_parts(const struct signals_held *signals)
{
  spin_unlock(&image.lock);
  signals_let_go(signals);
}

bool
image_map(const struct arena *arena, size_t used, enum image_kind kind,
          uint32_t owner, uint32_t record_bytes)
{
  const int saved = errno;
  const size_t bytes = arena->reserved_bytes;
  struct signals_held signals;
  if (!image_is_open())
    return true;
  if (!lock_parts(&signals))
    return false;
  const bool mapped = part_add(
      (struct part){arena->base, bytes}, used,
      arena->most > bytes ? arena->most : bytes,
      (struct image_part){
          .kind = kind, .owner = owner, .record_bytes = record_bytes});
  if (!mapped)
    say_incomplete();
  unlock_parts(&signals);
  errno = mapped ? saved : ENOMEM;
  return mapped;
}

bool
image_extend(const struct arena *arena, size_t more)
{
  const int saved = errno;
  struct signals_held signals;
  if (!lock_parts(&signals))
    return false;
  struct part *const part = part_at(arena->base);
  const bool extended = part != NULL && part_grow(part, more);
  if (!extended)
    say_incomplete();
  unlock_parts(&signals);
  errno = extended ? saved : ENOMEM;
  return extended;
}

bool
image_has(const void *base)
{
  struct signals_held signals;
  if (image.count == 0 || !lock_parts(&signals))
    return false;
  const bool has = part_at(base) != NULL;
  unlock_parts(&signals);
  return has;
}

void
image_release(const void *base)
{
  struct signals_held signals;
  if (image.count == 0 || !lock_parts(&signals))
    return;
  struct part *const part = part_at(base);
  if (part != NULL)
    part_release(part);
  unlock_parts(&signals);
}

/* ---- begin and end ---- */

/* Makes the head, and behind it the directory.  Returns the head, mapped, or
 * NULL with errno set. */
static struct image_head *
make_head(int file, enum image_language language)
{
  struct image_head *const head = directory_map(file);
  if (head == NULL)
    return NULL;
  head->version = IMAGE_VERSION;
  head->language = language;
  head->process = (uint32_t)getpid();
  memcpy(head->mprof, MPROF_VERSION, sizeof MPROF_VERSION);
  memcpy(head->magic, IMAGE_MAGIC, sizeof head->magic);
  return head;
}

int
image_open(const char *path, enum image_language language, bool exclusive)
{
  struct image_head *head;
  int error, file;
  if (!image_is_left())
    return ENOMEM;
  if (image_is_open())
    return EBUSY;
  file = image_file_make(path, exclusive);
  head = file < 0 ? NULL : make_head(file, language);
  if (head == NULL) {
    error = errno;
    if (file >= 0) {
      unlink(image.file.path);
      image_file_begun();
    }
    image_file_settle(false);
    return error;
  }
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
  image_file_begun();
  if (!is_incomplete())
    return 0;
  image_close(false);
  return image.error;
}

bool
image_close(bool keep)
{
  struct signals_held signals;
  if (!image_is_open())
    return true;
  signals_hold(&signals);
  image_fork_lock();
  const int file = keep ? -1 : image_file_open();
  image.leaving = !parts_leave(true);
  if (image.leaving)
    set_flag(IMAGE_INCOMPLETE, true);
  if (!keep)
    set_flag(IMAGE_SAVED, true);
  if (file >= 0) {
    image_file_close(file);
    unlink(image.file.path);
  }
  image_file_settle(keep);
  const bool left = !image.leaving;
  if (left)
    directory_unmap();
  image_fork_unlock();
  signals_let_go(&signals);
  return left;
}

bool
image_is_left(void)
{
  return !image.leaving || image_close(true);
}

void
image_set_forgetting(bool forgetting)
{
  set_flag(IMAGE_FORGETTING, forgetting);
}

/* ---- forks ----
 *
 * Until it leaves the image, the child has the pages of its parent's file, as
 * no fork copies them: it neither reads nor writes them.  They are not taken
 * from it (MADV_DONTFORK), since a signal handler that interrupted a count
 * may fork, and the count goes on in the child. */

/* Returns false, with the rest still in the file, if the kernel refuses.
 * Tries three times: it may grant later what it refuses now. */
static bool
leave(void)
{
  enum { TRIES = 3 };
  bool left = false;
  for (int i = 0; !left && i < TRIES; i++)
    left = parts_leave(false);
  if (!left)
    return false;
  image_file_begun();
  directory_unmap();
  if (image.notes.arena.base != NULL) /* it has only its own notes */
    *(uint64_t *)image.notes.arena.base = image.notes.used;
  return true;
}

bool
image_leave(void)
{
  struct signals_held signals;
  signals_hold(&signals);
  image_fork_lock();
  const bool left = leave();
  image_fork_unlock();
  signals_let_go(&signals);
  return left;
}

/* Leaves locks alone that this thread holds: a handler of a signal may have
 * interrupted it, and forks. */
void
image_fork_lock(void)
{
  const bool notes_held = spin_holds(&image.notes_lock);
  const bool held = spin_holds(&image.lock);
  if (!notes_held)
    spin_lock(&image.notes_lock);
  if (!held)
    spin_lock(&image.lock);
  image.notes_held = notes_held;
  image.held = held;
}

void
image_fork_unlock(void)
{
  if (!image.held)
    spin_unlock(&image.lock);
  if (!image.notes_held)
    spin_unlock(&image.notes_lock);
}

bool
image_forked(void)
{
  image.lock.holder = image.notes_lock.holder = 0;
  return leave();
}
