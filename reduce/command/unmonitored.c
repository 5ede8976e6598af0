/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the file of a program says: its rights, and its program headers.  A
 * script is looked up to its interpreter.
 *
 * Not known here: what a program that does take the library runs itself.
 */

#include "command/run_program.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { SCRIPTS = 4 }; /* that interpret one another, as in the kernel */

/* Whether the kernel lets the program PATH do other things than this process
 * may: then the dynamic linker preloads nothing that is named by a path.
 * Such a program need not be readable. */
static bool
has_other_rights(const char *path)
{
  struct stat status;
  if (stat(path, &status) != 0)
    return false;
  return ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) ||
         ((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid()) ||
         (geteuid() != 0 &&
          getxattr(path, "security.capability", NULL, 0) > 0);
}

/* Whether the 64-bit program HEAD, open as DESCRIPTOR, asks for the dynamic
 * linker. */
static bool
is_dynamic(const Elf64_Ehdr *head, int descriptor)
{
  for (unsigned i = 0; i < head->e_phnum; i++) {
    Elf64_Phdr part;
    off_t at = (off_t)(head->e_phoff + i * sizeof part);
    if (pread(descriptor, &part, sizeof part, at) == sizeof part &&
        part.p_type == PT_INTERP)
      return true;
  }
  return false;
}

static const char *
reason_of_program(const Elf64_Ehdr *head, int descriptor)
{
  if (head->e_ident[EI_CLASS] != ELFCLASS64)
    return "it is no 64-bit program";
  if (!is_dynamic(head, descriptor))
    return "it is statically linked, and nothing can be preloaded; link it "
           "without -static";
  return NULL;
}

/* Sets NAME, of PATH_MAX bytes, to the program that the first line of a
 * script, TEXT, names; leaves it alone if that is none. */
static void
read_interpreter(const char *text, char *name)
{
  text += 2;
  text += strspn(text, " \t");
  size_t length = strcspn(text, " \t\n");
  if (length == 0 || length >= PATH_MAX)
    return;
  memcpy(name, text, length);
  name[length] = '\0';
}

static const char *
reason_of_file(int descriptor, char *interpreter)
{
  union {
    Elf64_Ehdr head;
    char text[256];
  } start = {0};
  ssize_t length =
      pread(descriptor, &start, sizeof start - 1, 0); /* ends in a zero */
  interpreter[0] = '\0';
  if (length > 2 && start.text[0] == '#' && start.text[1] == '!') {
    read_interpreter(start.text, interpreter);
    return NULL;
  }
  if (length < (ssize_t)sizeof start.head ||
      memcmp(start.head.e_ident, ELFMAG, SELFMAG) != 0)
    return NULL;
  return reason_of_program(&start.head, descriptor);
}

const char *
unmonitored_reason(const char *name)
{
  char path[PATH_MAX];
  char interpreter[PATH_MAX];
  const char *reason = NULL;
  if (!program_find(name, path))
    return NULL;
  if (has_other_rights(path))
    return "it runs with other rights than yours (setuid), and then nothing "
           "is preloaded; run a copy of it without them";
  for (int i = 0; i < SCRIPTS && path[0] != '\0' && reason == NULL; i++) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
      return NULL;
    reason = reason_of_file(descriptor, interpreter);
    close(descriptor);
    strcpy(path, interpreter);
  }
  return reason;
}
