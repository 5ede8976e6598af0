/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* valgrind is known by its name, as what it runs is loaded by a static
 * program; Debian's is a script.  A sanitizer is known by the library that
 * the program needs, which must come before all others. */

#include "common/program_start.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum {
  SCRIPTS = 4, /* that interpret one another, as in the kernel */
  NAME_BYTES = 32,
  ENTRIES = 128 /* of a dynamic section */
};

/* Sets PATH to the file NAME in the folder of LENGTH bytes; returns whether
 * it may be executed. */
static bool
is_program(const char *folder, size_t length, const char *name, char *path)
{
  if (length + 1 + strlen(name) >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return false;
  }
  path = mempcpy(path, folder, length);
  stpcpy(length == 0 ? path : stpcpy(path, "/"), name);
  return access(path - length, X_OK) == 0;
}

bool
program_find(const char *name, const char *folders, char *path)
{
  path[0] = '\0';
  if (strchr(name, '/') != NULL || folders == NULL)
    return is_program("", 0, name, path);
  while (*folders != '\0') {
    const size_t length = strcspn(folders, ":");
    if (is_program(folders, length, name, path))
      return true;
    folders += length;
    folders += *folders == ':';
  }
  errno = ENOENT;
  return false;
}

bool
program_interpreter(int descriptor, char *interpreter)
{
  const ssize_t n = pread(descriptor, interpreter, INTERPRETER_BYTES - 1, 0);
  interpreter[n > 0 ? n : 0] = '\0';
  const bool script = strncmp(interpreter, "#!", 2) == 0;
  const size_t begin = script ? 2 + strspn(interpreter + 2, " \t") : 0;
  const size_t length = script ? strcspn(interpreter + begin, " \t\n") : 0;
  memmove(interpreter, interpreter + begin, length);
  interpreter[length] = '\0';
  return length > 0;
}

/* A 64-bit file that is loaded, open. */
struct loaded {
  int descriptor;
  Elf64_Ehdr head;
};

/* Returns the part NUMBER of FILE, of type PT_NULL if that cannot be read. */
static Elf64_Phdr
part_of(const struct loaded *file, unsigned number)
{
  Elf64_Phdr part;
  const off_t at = (off_t)(file->head.e_phoff + number * sizeof part);
  if (pread(file->descriptor, &part, sizeof part, at) != sizeof part)
    part.p_type = PT_NULL;
  return part;
}

/* Returns the offset in FILE of what is loaded at ADDRESS; 0: nothing is. */
static uint64_t
place_of(const struct loaded *file, uint64_t address)
{
  for (unsigned i = 0; i < file->head.e_phnum; i++) {
    const Elf64_Phdr part = part_of(file, i);
    if (part.p_type == PT_LOAD && address - part.p_vaddr < part.p_filesz)
      return part.p_offset + (address - part.p_vaddr);
  }
  return 0;
}

static bool
is_sanitizer(const char *library)
{
  static const char *const names[] = {
      "libasan.so",       "libhwasan.so",     "liblsan.so",
      "libtsan.so",       "libclang_rt.asan", "libclang_rt.hwasan",
      "libclang_rt.tsan",
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strncmp(library, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

/* Returns whether FILE, whose dynamic section is PART, needs such a library.
 */
static bool
needs_sanitizer(const struct loaded *file, const Elf64_Phdr *part)
{
  Elf64_Dyn entries[ENTRIES];
  const ssize_t bytes =
      pread(file->descriptor, entries, sizeof entries, (off_t)part->p_offset);
  const size_t most = bytes < 0 ? 0 : (size_t)bytes / sizeof *entries;
  uint64_t names = 0;
  for (size_t i = 0; i < most && entries[i].d_tag != DT_NULL; i++)
    if (entries[i].d_tag == DT_STRTAB)
      names = place_of(file, entries[i].d_un.d_ptr);
  for (size_t i = 0; i < most && entries[i].d_tag != DT_NULL; i++) {
    char name[NAME_BYTES] = "";
    if (entries[i].d_tag == DT_NEEDED &&
        pread(file->descriptor, name, sizeof name - 1,
              (off_t)(names + entries[i].d_un.d_val)) > 0 &&
        is_sanitizer(name))
      return true;
  }
  return false;
}

static bool
has_sanitizer(int descriptor)
{
  struct loaded file = {.descriptor = descriptor};
  if (pread(descriptor, &file.head, sizeof file.head, 0) !=
          sizeof file.head ||
      memcmp(file.head.e_ident, ELFMAG, SELFMAG) != 0 ||
      file.head.e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  for (unsigned i = 0; i < file.head.e_phnum; i++) {
    const Elf64_Phdr part = part_of(&file, i);
    if (part.p_type == PT_DYNAMIC)
      return needs_sanitizer(&file, &part);
  }
  return false;
}

static bool
is_valgrind(const char *path)
{
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  return strcmp(name, "valgrind") == 0 || strcmp(name, "valgrind.bin") == 0;
}

const char *
program_starts_alone(const char *path)
{
  char interpreter[INTERPRETER_BYTES];
  for (int i = 0; i < SCRIPTS; i++) {
    if (is_valgrind(path))
      return "valgrind takes the place of malloc itself; run the program "
             "without it";
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
      return NULL;
    const bool alone = has_sanitizer(descriptor);
    const bool script = program_interpreter(descriptor, interpreter);
    close(descriptor);
    if (alone)
      return "a sanitizer takes the place of its malloc; build it without "
             "-fsanitize";
    if (!script)
      return NULL;
    path = interpreter;
  }
  return NULL;
}
