/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image.c -- pieces of memory, and where they are in the file.
 *
 * A piece is mapped in three steps: room in the file, its memory, and last the
 * page that says what it is.  A process that is killed in between leaves a
 * piece that is none, at the end.
 */
#include "tree/image.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree/arena.h"
#include "tree/spin_lock.h"

#ifndef MPROF_VERSION
#error "MPROF_VERSION is not defined"
#endif

enum { FIRST_NOTES = 1 << 16, MOST_NOTES = 1 << 30 };

/* A piece of memory. */
struct piece {
  char *base;
  uint64_t offset; /* of its bytes in the file */
  void *copy;      /* for the child of a fork; MAP_FAILED: no memory */
  struct image_piece head;
};

static struct {
  struct spin_lock lock;  /* of all but the notes */
  char path[PATH_MAX];    /* empty: there is no file */
  dev_t device;
  ino_t inode;
  struct image_head *head; /* in the file; NULL: there is none */
  uint64_t end;            /* of what is used of the file */
  struct arena arena;      /* of pieces */
  struct piece *pieces;
  uint32_t count;
  uint32_t owners;
  bool frozen;
  struct spin_lock notes_lock;
  bool forks_with_notes, forks_with_pieces; /* locked before */
  struct arena notes;
} image;

bool
image_is_open(void)
{
  return __atomic_load_n(&image.head, __ATOMIC_RELAXED) != NULL;
}

uint32_t
image_owner(void)
{
  return __atomic_add_fetch(&image.owners, 1, __ATOMIC_RELAXED);
}

/* ---- the file ---- */

/* Open it, if it is still the one that was made.  Negative: it is not. */
static int
open_file(void)
{
  struct stat status;
  const int file =
      open(image.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file >= 0 &&
      (fstat(file, &status) != 0 || status.st_dev != image.device ||
       status.st_ino != image.inode)) {
    close(file);
    return -1;
  }
  return file;
}

/* Make room for `bytes' more.  A file that is longer than this process may
 * make one is a signal. */
static int
allocate(int file, uint64_t bytes)
{
  struct rlimit limit;
  int error;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
      limit.rlim_cur != RLIM_INFINITY && image.end + bytes > limit.rlim_cur)
    return EFBIG;
  do
    error = posix_fallocate(file, (off_t)image.end, (off_t)bytes);
  while (error == EINTR);
  return error;
}

static bool
write_at(int file, const void *bytes, size_t n, uint64_t offset)
{
  const char *from = bytes;
  while (n > 0) {
    const ssize_t written = pwrite(file, from, n, (off_t)offset);
    if (written < 0 && errno != EINTR)
      return false;
    if (written > 0) {
      from += written;
      n -= (size_t)written;
      offset += (uint64_t)written;
    }
  }
  return true;
}

/* Put the piece into the file, with `used' bytes of what it holds; the rest
 * are zero.  False: it is in memory alone. */
static bool
put_piece(int file, struct piece *p, size_t used)
{
  const uint64_t bytes = p->head.bytes;
  p->offset = image.end + IMAGE_PAGE;
  if (allocate(file, IMAGE_PAGE + bytes) != 0 ||
      !write_at(file, p->base, used, p->offset) ||
      mmap(p->base, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           file, (off_t)p->offset) == MAP_FAILED ||
      !write_at(file, &p->head, sizeof p->head, image.end))
    return false;
  image.end += IMAGE_PAGE + bytes;
  return true;
}

static void
say_incomplete(void)
{
  __atomic_fetch_or(&image.head->flags, IMAGE_INCOMPLETE, __ATOMIC_RELAXED);
}

/* ---- pieces, under the lock ---- */

static bool
room_for_piece(void)
{
  const size_t bytes = (image.count + (size_t)1) * sizeof *image.pieces;
  if (arena_grow(&image.arena, bytes) != 0)
    return false;
  image.pieces = image.arena.base;
  return true;
}

static void
add_piece(void *base, size_t bytes, size_t used, struct image_piece head)
{
  const int file = image.frozen ? -1 : open_file();
  bool mapped = false;
  head.magic = IMAGE_PIECE_MAGIC;
  head.bytes = bytes;
  if (file >= 0 && room_for_piece()) {
    image.pieces[image.count] = (struct piece){.base = base, .head = head};
    mapped = put_piece(file, &image.pieces[image.count], used);
    image.count += mapped;
  }
  if (file >= 0)
    close(file);
  if (!mapped)
    say_incomplete();
}

/* The piece at `base'; NULL: there is none. */
static struct piece *
piece_at(const void *base)
{
  for (uint32_t i = 0; i < image.count; i++)
    if (image.pieces[i].base == base)
      return &image.pieces[i];
  return NULL;
}

/* The lock is not for handlers of signals that interrupted who has it: what
 * they would add is not in the image. */
static bool
lock_pieces(void)
{
  if (!image_is_open() || arenas_are_sealed() || spin_holds(&image.lock))
    return false;
  spin_lock(&image.lock);
  return true;
}

void
image_map(const struct arena *arena, size_t used, enum image_kind kind,
          uint32_t owner)
{
  const int saved = errno;
  if (!lock_pieces())
    return;
  add_piece(arena->base, arena->reserved_bytes, used,
            (struct image_piece){.kind = kind, .owner = owner});
  spin_unlock(&image.lock);
  errno = saved;
}

void
image_extend(const void *base, void *end, size_t bytes)
{
  const int saved = errno;
  const struct piece *p;
  if (!lock_pieces())
    return;
  p = piece_at(base);
  if (p != NULL) {
    struct image_piece head = p->head;
    head.at = (uint64_t)((char *)end - (const char *)base);
    add_piece(end, bytes, 0, head);
  }
  spin_unlock(&image.lock);
  errno = saved;
}

bool
image_has(const void *base)
{
  return image_owner_of(base) != 0;
}

uint32_t
image_owner_of(const void *base)
{
  const struct piece *p;
  uint32_t owner = 0;
  if (image.count == 0 || spin_holds(&image.lock))
    return 0;
  spin_lock(&image.lock);
  p = piece_at(base);
  owner = p == NULL ? 0 : p->head.owner;
  spin_unlock(&image.lock);
  return owner;
}

/* The others keep their order: it is that of the parts of an array. */
static void
release_piece(int file, struct piece *p)
{
  p->head.kind = IMAGE_FREE;
  if (file >= 0) {
    write_at(file, &p->head, sizeof p->head, p->offset - IMAGE_PAGE);
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              (off_t)p->offset, (off_t)p->head.bytes);
  }
  image.count--;
  memmove(p, p + 1, (size_t)(&image.pieces[image.count] - p) * sizeof *p);
}

void
image_release(const void *base)
{
  const struct piece *p;
  struct image_piece head;
  int file;
  if (image.count == 0 || spin_holds(&image.lock))
    return;
  spin_lock(&image.lock);
  p = piece_at(base);
  if (p != NULL) {
    head = p->head;
    file = image_is_open() && !image.frozen ? open_file() : -1;
    for (uint32_t i = image.count; i-- > 0;)
      if (image.pieces[i].head.kind == head.kind &&
          image.pieces[i].head.owner == head.owner)
        release_piece(file, &image.pieces[i]);
    if (file >= 0)
      close(file);
  }
  spin_unlock(&image.lock);
}

/* ---- begin and end ---- */

/* Another process has left an image there: add its number to the name, and
 * another one if that is taken.  False with EEXIST when it is something else.
 */
static bool
move_old(void)
{
  enum { MOST = 10000 };
  char name[PATH_MAX + 32];
  struct image_head head = {.version = 0};
  int n;
  const int file =
      open(image.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return errno == ENOENT;
  const ssize_t got = pread(file, &head, sizeof head, 0);
  close(file);
  errno = EEXIST;
  if (got != sizeof head ||
      memcmp(head.magic, IMAGE_MAGIC, sizeof head.magic) != 0)
    return false;
  n = snprintf(name, sizeof name, "%s.%u", image.path, head.process);
  for (int i = 2; access(name, F_OK) == 0 && i < MOST; i++)
    snprintf(name + n, sizeof name - (size_t)n, ".%d", i);
  return rename(image.path, name) == 0;
}

/* An absolute path, since the program may change its folder. */
static int
set_path(const char *path)
{
  char folder[PATH_MAX] = "";
  int n;
  if (path[0] != '/' && getcwd(folder, sizeof folder - 1) == NULL)
    return errno;
  n = snprintf(image.path, sizeof image.path, "%s%s%s", folder,
               folder[0] == '\0' ? "" : "/", path);
  return n < (int)sizeof image.path ? 0 : ENAMETOOLONG;
}

/* Make the file anew.  Negative, with errno set, when that fails. */
static int
make_file(void)
{
  struct stat status;
  int file;
  if (!move_old())
    return -1;
  file = open(image.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
              0666);
  if (file >= 0 && fstat(file, &status) == 0) {
    image.device = status.st_dev;
    image.inode = status.st_ino;
  }
  return file;
}

/* The head, in the first page; NULL with errno set. */
static struct image_head *
make_head(int file, enum image_language language)
{
  struct image_head head = {.version = IMAGE_VERSION,
                            .language = language,
                            .process = (uint32_t)getpid()};
  void *mapped;
  memcpy(head.magic, IMAGE_MAGIC, sizeof head.magic);
  snprintf(head.mprof, sizeof head.mprof, "%s", MPROF_VERSION);
  image.end = 0;
  errno = allocate(file, IMAGE_PAGE);
  if (errno != 0 || !write_at(file, &head, sizeof head, 0))
    return NULL;
  mapped = mmap(NULL, IMAGE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  image.end = IMAGE_PAGE;
  return mapped == MAP_FAILED ? NULL : mapped;
}

/* What is in memory of the image before goes into this one. */
static bool
put_all(int file)
{
  for (uint32_t i = 0; i < image.count; i++)
    if (!put_piece(file, &image.pieces[i], image.pieces[i].head.bytes))
      return false;
  return true;
}

static int
begin_notes(void)
{
  if (image.notes.base != NULL)
    return 0;
  if (arena_place(&image.notes, FIRST_NOTES, MOST_NOTES) != 0)
    return errno;
  *(uint64_t *)image.notes.base = sizeof(uint64_t);
  image_map(&image.notes, sizeof(uint64_t), IMAGE_NOTES, image_owner());
  return 0;
}

int
image_open(const char *path, enum image_language language)
{
  struct image_head *head = NULL;
  int error, file;
  if (image_is_open())
    return EBUSY;
  error = set_path(path);
  if (error != 0)
    return error;
  file = make_file();
  if (file >= 0) {
    head = make_head(file, language);
    if (head == NULL || !put_all(file)) {
      error = errno;
      unlink(image.path);
    }
    close(file);
  }
  if (file < 0 || error != 0)
    return error != 0 ? error : errno;
  __atomic_store_n(&image.head, head, __ATOMIC_RELEASE);
  return begin_notes();
}

void
image_close(bool keep)
{
  struct image_head *const head = image.head;
  int file = -1;
  if (head == NULL)
    return;
  if (!keep)
    __atomic_fetch_or(&head->flags, IMAGE_SAVED, __ATOMIC_SEQ_CST);
  if (image.frozen)
    return;
  if (!keep)
    file = open_file();
  if (file >= 0) {
    close(file);
    unlink(image.path);
  }
  __atomic_store_n(&image.head, NULL, __ATOMIC_RELEASE);
  munmap(head, IMAGE_PAGE);
}

void
image_freeze(void)
{
  image.frozen = true;
}

void
image_forgets(bool begins)
{
  if (!image_is_open())
    return;
  if (begins)
    __atomic_fetch_or(&image.head->flags, IMAGE_FORGETTING, __ATOMIC_SEQ_CST);
  else
    __atomic_fetch_and(&image.head->flags, ~(uint32_t)IMAGE_FORGETTING,
                       __ATOMIC_SEQ_CST);
}

/* ---- notes ---- */

/* Room for a note at `used'; NULL: there is none. */
static struct image_note *
room_for_note(uint64_t used, size_t bytes)
{
  size_t room = image.notes.reserved_bytes;
  if (used + bytes > MOST_NOTES)
    return NULL;
  while (room < used + bytes)
    room *= 2;
  return arena_reach(&image.notes, room) == 0
             ? (struct image_note *)((char *)image.notes.base + used)
             : NULL;
}

void
image_note(enum image_note_kind kind, uint64_t key, uint64_t value,
           uint64_t more, const char *text)
{
  const size_t length = text == NULL ? 0 : strlen(text);
  const size_t bytes = sizeof(struct image_note) + ((length + 7) & ~(size_t)7);
  const int saved = errno;
  struct image_note *note;
  uint64_t *used;
  if (!image_is_open() || spin_holds(&image.notes_lock) ||
      image.notes.base == NULL)
    return;
  spin_lock(&image.notes_lock);
  used = image.notes.base;
  note = room_for_note(*used, bytes);
  if (note != NULL) {
    *note = (struct image_note){.kind = kind,
                                .text_bytes = (uint32_t)length,
                                .key = key,
                                .value = value,
                                .more = more};
    if (length != 0)
      memcpy(note + 1, text, length);
    __atomic_store_n(used, *used + bytes, __ATOMIC_RELEASE);
  }
  spin_unlock(&image.notes_lock);
  errno = saved;
}

/* ---- forks ---- */

static void *
copy_of(const struct piece *p)
{
  void *const copy = mmap(NULL, p->head.bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy != MAP_FAILED)
    memcpy(copy, p->base, p->head.bytes);
  return copy;
}

/* Even if it forgets all counters. */
static bool
child_needs(const struct piece *p)
{
  return p->head.kind == IMAGE_STRIPES || p->head.kind == IMAGE_REGIONS;
}

/* A handler of a signal that forks may have interrupted who has them. */
void
image_before_fork(bool copy)
{
  image.forks_with_notes = spin_holds(&image.notes_lock);
  image.forks_with_pieces = spin_holds(&image.lock);
  if (!image.forks_with_notes)
    spin_lock(&image.notes_lock);
  if (!image.forks_with_pieces)
    spin_lock(&image.lock);
  for (uint32_t i = 0; i < image.count; i++)
    image.pieces[i].copy =
        copy || child_needs(&image.pieces[i]) ? copy_of(&image.pieces[i])
                                              : MAP_FAILED;
}

void
image_after_fork_in_parent(void)
{
  for (uint32_t i = 0; i < image.count; i++)
    if (image.pieces[i].copy != MAP_FAILED)
      munmap(image.pieces[i].copy, image.pieces[i].head.bytes);
  if (!image.forks_with_pieces)
    spin_unlock(&image.lock);
  if (!image.forks_with_notes)
    spin_unlock(&image.notes_lock);
}

void
image_after_fork_in_child(void)
{
  for (uint32_t i = 0; i < image.count; i++) {
    const struct piece *p = &image.pieces[i];
    if (p->copy == MAP_FAILED)
      mmap(p->base, p->head.bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    else
      mremap(p->copy, p->head.bytes, p->head.bytes,
             MREMAP_MAYMOVE | MREMAP_FIXED, p->base);
  }
  image.count = 0;
  image.frozen = false;
  if (image.head != NULL)
    munmap(image.head, IMAGE_PAGE);
  image.head = NULL;
  arena_release(&image.notes);
  image.lock.holder = image.notes_lock.holder = 0;
}
