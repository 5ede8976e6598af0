/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a program cannot be monitored, by the rights, program headers and
 * symbols of its file; of a script, by those of its interpreter.  Programs
 * that a monitored program starts are not looked at.
 */

#include "command/run_program.h"

#include "common/program_start.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The reason of the 64-bit program HEAD, open as DESCRIPTOR, by the dynamic
 * linker that it asks for. */
static const char *
reason_of_linker(const Elf64_Ehdr *head, int descriptor)
{
  for (unsigned i = 0; i < head->e_phnum; i++) {
    Elf64_Phdr part;
    char linker[PATH_MAX] = "";
    off_t at = (off_t)(head->e_phoff + i * sizeof part);
    if (pread(descriptor, &part, sizeof part, at) != sizeof part ||
        part.p_type != PT_INTERP)
      continue;
    if (pread(descriptor, linker, sizeof linker - 1, (off_t)part.p_offset) <
        0)
      return NULL;
    return strstr(linker, "/ld-linux") != NULL
               ? NULL
               : "it does not use the GNU C library; link it with glibc";
  }
  return "it is statically linked, so mprof cannot be preloaded; link it "
         "without -static";
}

/* Whether the table of symbols SECTION of ELF defines NAME. */
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

/* Whether the program open as DESCRIPTOR has a malloc that all of it finds
 * before any library's, and that is not mprof's. */
static bool
has_own_malloc(int descriptor)
{
  bool own = false, ours = false;
  Elf *elf = elf_version(EV_CURRENT) == EV_NONE
                 ? NULL
                 : elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
  for (Elf_Scn *s = NULL; elf != NULL && (s = elf_nextscn(elf, s)) != NULL;) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == NULL)
      continue;
    own = own || (header.sh_type == SHT_DYNSYM && defines(elf, s, "malloc"));
    ours = ours ||
           (header.sh_type == SHT_SYMTAB && defines(elf, s, "mprof_bypass"));
  }
  elf_end(elf);
  return own && !ours;
}

/* The reason of the file open as DESCRIPTOR; sets INTERPRETER, of PATH_MAX
 * bytes, to the program that a script names, else to "". */
static const char *
reason_of_file(int descriptor, char *interpreter)
{
  Elf64_Ehdr head;
  const char *reason;
  if (program_interpreter(descriptor, interpreter) ||
      pread(descriptor, &head, sizeof head, 0) != sizeof head ||
      memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
    return NULL;
  if (head.e_ident[EI_CLASS] != ELFCLASS64)
    return "it is not a 64-bit program";
  reason = reason_of_linker(&head, descriptor);
  return reason == NULL && has_own_malloc(descriptor)
             ? "it has its own malloc; link it without one"
             : reason;
}

const char *
file_reason(const char *path)
{
  char interpreter[PATH_MAX];
  const char *reason = program_starts_alone(path);
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return NULL;
  if (reason == NULL)
    reason = reason_of_file(descriptor, interpreter);
  close(descriptor);
  return reason;
}

const char *
unmonitored_reason(const char *name)
{
  char path[PATH_MAX];
  char interpreter[PATH_MAX];
  const char *reason = NULL;
  if (!program_find(name, getenv("PATH"), path))
    return NULL;
  if (has_other_rights(path))
    return "it runs with other rights than yours (setuid), so mprof cannot "
           "be preloaded; run a copy of it without them";
  reason = program_starts_alone(path);
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
