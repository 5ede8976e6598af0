/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a program cannot be monitored, by the rights, program headers and
 * symbols of its file; of a script, by those of its interpreter.  Programs
 * that a monitored program starts are not looked at.
 */

#include "command/run_program.h"

#include "common/program_start.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { SCRIPTS = 4 }; /* that interpret one another, as in the kernel */

/* Returns whether the kernel lets the program PATH do other things than this
 * process may: then the dynamic linker preloads nothing that is named by a
 * path.  Such a program need not be readable. */
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

/* Returns why the 64-bit program ELF cannot be monitored, by the dynamic
 * linker that it asks for; or NULL. */
static const char *
reason_of_linker(Elf *elf)
{
  size_t parts = 0, bytes = 0;
  const char *file = elf_rawfile(elf, &bytes);
  elf_getphdrnum(elf, &parts);
  for (size_t i = 0; i < parts; i++) {
    GElf_Phdr part;
    if (gelf_getphdr(elf, (int)i, &part) == NULL || part.p_type != PT_INTERP)
      continue;
    const bool known = file != NULL && part.p_offset < bytes &&
                       part.p_filesz <= bytes - part.p_offset;
    return !known || memmem(file + part.p_offset, part.p_filesz, "/ld-linux",
                            strlen("/ld-linux")) != NULL
               ? NULL
               : "it does not use the GNU C library; link it with glibc";
  }
  return "it is statically linked, so mprof cannot be preloaded; link it "
         "without -static";
}

/* Returns whether the table of symbols SECTION of ELF defines NAME. */
static bool
defines(Elf *elf, Elf_Scn *section, const char *name)
{
  GElf_Shdr header;
  GElf_Sym symbol;
  Elf_Data *data = elf_getdata(section, NULL);
  if (data == NULL || gelf_getshdr(section, &header) == NULL)
    return false;
  for (int i = 0; gelf_getsym(data, i, &symbol) != NULL; i++) {
    const char *own = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (symbol.st_shndx != SHN_UNDEF && own != NULL && strcmp(own, name) == 0)
      return true;
  }
  return false;
}

/* Returns whether the program ELF has a malloc that all of it finds before
 * any library's, and that is not mprof's. */
static bool
has_own_malloc(Elf *elf)
{
  bool own = false, ours = false;
  for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s)) != NULL;) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == NULL)
      continue;
    own = own || (header.sh_type == SHT_DYNSYM && defines(elf, s, "malloc"));
    ours = ours ||
           (header.sh_type == SHT_SYMTAB && defines(elf, s, "mprof_bypass"));
  }
  return own && !ours;
}

/* Returns why the file open as DESCRIPTOR, not a script, cannot be monitored;
 * or NULL. */
static const char *
reason_of_file(int descriptor)
{
  const char *reason = NULL;
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
  if (elf_kind(elf) == ELF_K_ELF)
    reason = gelf_getclass(elf) != ELFCLASS64 ? "it is not a 64-bit program"
                                              : reason_of_linker(elf);
  if (elf_kind(elf) == ELF_K_ELF && reason == NULL && has_own_malloc(elf))
    reason = "it has its own malloc; link it without one";
  elf_end(elf);
  return reason;
}

const char *
file_reason(const char *path)
{
  char interpreter[PATH_MAX];
  const char *reason = program_starts_alone(path);
  for (int i = 0; i < SCRIPTS && path[0] != '\0' && reason == NULL; i++) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
      return NULL;
    if (!program_interpreter(descriptor, interpreter))
      reason = reason_of_file(descriptor);
    close(descriptor);
    path = interpreter;
  }
  return reason;
}

const char *
unmonitored_reason(const char *name)
{
  char path[PATH_MAX];
  if (!program_find(name, getenv("PATH"), path))
    return NULL;
  return has_other_rights(path)
             ? "it runs with other rights than yours (setuid), so mprof "
               "cannot be preloaded; run a copy of it without them"
             : file_reason(path);
}
