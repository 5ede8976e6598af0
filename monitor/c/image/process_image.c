/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/image/process_image.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/digits.h"
#include "c/environment.h"
#include "image/arena.h"
#include "image/image.h"
#include "image/image_file.h"
#include "image/signals.h"

enum { SUFFIX_BYTES = 40, MOST_NAMES = 10000 };

struct process_image process_image;

/* ---- names ---- */

/* Stores the name, made absolute, since the program may change its folder,
 * with the number of the process in place of "%p". */
static void
set_base(const char *name)
{
  enum { MOST = sizeof process_image.base - 2 * SUFFIX_BYTES };
  char *to = process_image.base;
  if (name[0] != '/' && getcwd(to, MOST) != NULL)
    to = stpcpy(to + strlen(to), "/");
  for (; *name != '\0' && to < process_image.base + MOST; name++)
    if (name[0] == '%' && name[1] == 'p') {
      to = write_digits(to, (uint64_t)getpid(), 10);
      name++;
    } else {
      *to++ = *name;
    }
  *to = '\0';
  stat("/", &process_image.root);
}

/* Returns whether the variable names this process, also after exec. */
static bool
is_root_process(void)
{
  const char *const text = environment_value("MPROF_ROOT_PID");
  if (process_selection_by_name())
    return false;
  if (text != NULL)
    return strtol(text, NULL, 10) == (long)getpid();
  snprintf(process_image.root_process, sizeof process_image.root_process,
           "MPROF_ROOT_PID=%010d", (int)getpid());
  environment_set(process_image.root_process);
  return true;
}

void
process_image_read_name(void)
{
  const char *name = environment_value("MPROF_OUT");
  const char *const preloaded = environment_value("LD_PRELOAD");
  if (process_image.base[0] != '\0')
    return;
  image_file_keep_mask();
  process_image.first = is_root_process();
  if (name == NULL || *name == '\0')
    name = preloaded != NULL && strstr(preloaded, "libmprof-malloc") != NULL
               ? "mprof.data.%p"
               : "mprof.data";
  set_base(name);
}

bool
process_image_set(const char *name)
{
  strcpy(process_image.free, process_image.base);
  process_image.first = process_image.by_program = true;
  set_base(name);
  const bool other = strcmp(process_image.free, process_image.base) != 0;
  process_image.free[0] = '\0';
  return other;
}

/* Opens the image of that name, which must be free if it is EXCLUSIVE.  Returns
 * 0 or an errno value. */
static int
open_image(const char *name, bool exclusive)
{
  struct stat root;
  if (stat("/", &root) != 0 || root.st_dev != process_image.root.st_dev ||
      root.st_ino != process_image.root.st_ino)
    return ENOENT; /* after chroot the name may be another file's */
  return image_open(name, IMAGE_C, exclusive);
}

/* Opens the image under a name that no other process, nor this one before
 * exec, has taken: FILE.PID, FILE.PID.2, ...; before these FILE, where
 * programs are chosen by their names.  Returns 0 or an errno value. */
static int
open_free_name(void)
{
  int error = EEXIST;
  for (unsigned i = process_selection_by_name() ? 0 : 1;
       error == EEXIST && i < MOST_NAMES; i++) {
    char *end = stpcpy(process_image.free, process_image.base);
    if (i > 0) /* see SUFFIX_BYTES */
      end = write_digits(stpcpy(end, "."), (uint64_t)getpid(), 10);
    if (i > 1)
      write_digits(stpcpy(end, "."), i, 10);
    error = open_image(process_image.free, true);
  }
  return error;
}

/* ---- the image ---- */

int
process_image_open(void)
{
  process_image_read_name();
  if (!process_image.by_program && !environment_is_trusted())
    return EACCES; /* its folder is the caller's choice */
  return process_image.first ? open_image(process_image.base, false)
                             : open_free_name();
}

/* ---- messages ---- */

/* Writes the COUNT pieces of a line to where the program writes errors.  A
 * pipe that nobody reads, or a file beyond RLIMIT_FSIZE, sends a signal,
 * which would end the program. */
static void
write_error(const struct iovec *pieces, int count)
{
  static const struct timespec at_once;
  struct signals_held signals;
  sigset_t sent, pending;
  signals_hold(&signals);
  sigpending(&pending);
  sigemptyset(&sent);
  if (!sigismember(&pending, SIGPIPE))
    sigaddset(&sent, SIGPIPE);
  if (!sigismember(&pending, SIGXFSZ))
    sigaddset(&sent, SIGXFSZ);
  if (writev(STDERR_FILENO, pieces, count) < 0)
    sigtimedwait(&sent, NULL, &at_once);
  signals_let_go(&signals);
}

/* Returns PATH with a ? for each byte of a control character, which a
 * terminal would obey: U+0000 to U+001F, and U+007F to U+009F. */
static const char *
without_controls(const char *path)
{
  char *const text = process_image.said;
  size_t i = 0;
  for (; path[i] != '\0' && i + 1 < sizeof process_image.said; i++) {
    const unsigned char byte = (unsigned char)path[i];
    const unsigned char next = (unsigned char)path[i + 1];
    const bool second = i > 0 && byte >= 0x80 && byte < 0xA0 &&
                        (unsigned char)path[i - 1] == 0xC2;
    const bool first = byte == 0xC2 && next >= 0x80 && next < 0xA0;
    text[i] = byte < ' ' || byte == 0x7F || first || second ? '?' : path[i];
  }
  text[i] = '\0';
  return text;
}

void __attribute__((noinline))
process_image_say(const char *before, const char *why)
{
  const char *const tried = process_image.free;
  const char *const texts[] = {
      "mprof: ",
      before,
      " '",
      without_controls(process_image.first || tried[0] == '\0'
                           ? process_image.base
                           : tried),
      "': ",
      why,
      "\n"};
  enum { TEXTS = sizeof texts / sizeof texts[0] };
  struct iovec pieces[TEXTS];
  if (why == NULL || arenas_are_sealed() ||
      environment_value("MPROF_BY") != NULL)
    return;
  for (int i = 0; i < TEXTS; i++)
    pieces[i] = (struct iovec){.iov_base = (void *)(uintptr_t)texts[i],
                               .iov_len = strlen(texts[i])};
  write_error(pieces, TEXTS);
}
