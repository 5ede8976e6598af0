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
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
  SCRIPTS = 4, /* that interpret one another, as in the kernel */
  NAME_BYTES = 32,
  ENTRIES = 128 /* of a dynamic section */
};

bool
program_find(const char *name, const char *folders, char *path)
{
  if (strchr(name, '/') != NULL || folders == NULL) {
    snprintf(path, PATH_MAX, "%s", name);
    return access(path, X_OK) == 0;
  }
  while (*folders != '\0') {
    size_t length = strcspn(folders, ":");
    snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, folders,
             length == 0 ? "" : "/", name);
    if (access(path, X_OK) == 0)
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
  char text[256] = "";
  interpreter[0] = '\0';
  return pread(descriptor, text, sizeof text - 1, 0) > 0 &&
         sscanf(text, "#! %255[^ \t\n]", interpreter) == 1;
}

/* A 64-bit file that is loaded, open. */
struct loaded {
  int descriptor;
  Elf64_Ehdr head;
};

/* The part NUMBER of FILE; one of type PT_NULL when it cannot be read. */
static Elf64_Phdr
part_of(const struct loaded *file, unsigned number)
{
  Elf64_Phdr part;
  const off_t at = (off_t)(file->head.e_phoff + number * sizeof part);
  if (pread(file->descriptor, &part, sizeof part, at) != sizeof part)
    part.p_type = PT_NULL;
  return part;
}

/* Where in FILE that is which is loaded at ADDRESS; 0: nowhere. */
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

/* Whether FILE, whose dynamic section is PART, needs such a library. */
static bool
needs_sanitizer(const struct loaded *file, const Elf64_Phdr *part)
{
  Elf64_Dyn entries[ENTRIES] = {0};
  uint64_t names = 0;
  if (pread(file->descriptor, entries, sizeof entries,
            (off_t)part->p_offset) < 0)
    return false;
  for (int i = 0; i < ENTRIES && entries[i].d_tag != DT_NULL; i++)
    if (entries[i].d_tag == DT_STRTAB)
      names = place_of(file, entries[i].d_un.d_ptr);
  for (int i = 0; i < ENTRIES && entries[i].d_tag != DT_NULL; i++) {
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
  char interpreter[PATH_MAX];
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
