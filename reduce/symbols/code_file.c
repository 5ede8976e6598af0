/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* libdwfl with one module, which is at address 0, so that its addresses are
 * those of the file.  Debug files are found here, and not by libdwfl, which
 * asks servers too and believes a checksum. */

#include "symbols/code_file.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char default_debug_path[] = "/usr/lib/debug";

/* Opens PATH; -1 if that is not a regular file. */
static int
open_regular(const char *path)
{
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor >= 0 &&
      (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

enum { ID_BYTES = 64 }; /* longer build ids are none */

/* Sets TEXT to the build id of ELF in hexadecimal digits, "" when it has
 * none. */
static void
read_build_id(Elf *elf, char text[2 * ID_BYTES + 1])
{
  const void *id;
  ssize_t bytes = elf == NULL ? 0 : dwelf_elf_gnu_build_id(elf, &id);
  text[0] = '\0';
  for (ssize_t i = 0; i < bytes && bytes <= ID_BYTES; i++)
    sprintf(text + 2 * i, "%02x", ((const unsigned char *)id)[i]);
}

/* A search for a debug file. */
struct search {
  char id[2 * ID_BYTES + 1]; /* that it must have */
  char path[PATH_MAX];       /* the one that was tried last */
  int descriptor;            /* its, if it was found */
};

/* Opens the file whose path is formatted.  Returns false if it has not the
 * right build id. */
static bool __attribute__((format(printf, 2, 3)))
try_path(struct search *search, const char *format, ...)
{
  char id[sizeof search->id];
  va_list arguments;
  va_start(arguments, format);
  int length =
      vsnprintf(search->path, sizeof search->path, format, arguments);
  va_end(arguments);
  search->descriptor =
      length < (int)sizeof search->path ? open_regular(search->path) : -1;
  if (search->descriptor < 0)
    return false;
  Elf *elf = elf_begin(search->descriptor, ELF_C_READ_MMAP, NULL);
  read_build_id(elf, id);
  elf_end(elf);
  if (strcmp(id, search->id) == 0)
    return true;
  close(search->descriptor);
  return false;
}

/* Tries NAME in each folder of MPROF_DEBUG_PATH: below the folder that the
 * first LENGTH bytes of PROGRAM are; or if that is NULL, behind what the
 * build id leads to: ".debug" for the debug file, "" for the file itself. */
static bool
search_folders(struct search *search, const char *program, int length,
               const char *name)
{
  const char *folder = secure_getenv("MPROF_DEBUG_PATH");
  bool found = false;
  if (folder == NULL || *folder == '\0')
    folder = default_debug_path;
  for (int end; *folder != '\0' && !found; folder += end) {
    end = (int)strcspn(folder, ":");
    if (end > 0 && program == NULL)
      found = try_path(search, "%.*s/.build-id/%.2s/%s%s", end, folder,
                       search->id, search->id + 2, name);
    else if (end > 0)
      found =
          try_path(search, "%.*s%.*s/%s", end, folder, length, program, name);
    end += folder[end] == ':';
  }
  return found;
}

/* Finds a debug file for libdwfl, LINK by what PATH calls it: returns a
 * descriptor or -1. */
static int
find_debug_file(Dwfl_Module *module, void **user, const char *name,
                Dwarf_Addr base, const char *path, const char *link,
                GElf_Word checksum, char **found)
{
  struct search search;
  GElf_Addr bias;
  GElf_Word sum;
  Elf *elf = dwfl_module_getelf(module, &bias);
  (void)user, (void)base, (void)checksum;
  read_build_id(elf, search.id);
  const char *own = elf == NULL ? NULL : dwelf_elf_gnu_debuglink(elf, &sum);
  /* What debug files share (dwz) is asked for here too: libdw finds it. */
  if (strlen(search.id) < 4 ||
      (link != NULL && (own == NULL || strcmp(link, own) != 0)))
    return -1;
  const char *file = path != NULL ? path : name;
  const char *slash = strrchr(file, '/');
  const int folder = slash == NULL ? (int)strlen(file) : (int)(slash - file);
  bool good = search_folders(&search, NULL, 0, ".debug");
  if (!good && link != NULL) {
    link = basename(link);
    good = try_path(&search, "%.*s/%s", folder, file, link) ||
           try_path(&search, "%.*s/.debug/%s", folder, file, link) ||
           search_folders(&search, file, folder, link);
  }
  if (!good)
    return -1;
  *found = strdup(search.path);
  return search.descriptor;
}

static const Dwfl_Callbacks callbacks = {.find_debuginfo = find_debug_file};

static void
end_dwfl(void *dwfl)
{
  dwfl_end(dwfl);
}

/* Opens PATH, which has the DESCRIPTOR, or -1. */
static enum code_file_outcome
open_file(struct code_file *file, const char *path, int descriptor,
          const char *build_id)
{
  GElf_Addr bias;
  char id[2 * ID_BYTES + 1];
  *file = (struct code_file){0};
  elf_version(EV_CURRENT);
  if (descriptor < 0)
    return CODE_FILE_UNREADABLE;
  file->dwfl = dwfl_begin(&callbacks);
  if (file->dwfl == NULL)
    fail_memory();
  pool_on_release(end_dwfl, file->dwfl);
  file->module =
      dwfl_report_elf(file->dwfl, path, path, descriptor, 0, false);
  if (file->module == NULL)
    close(descriptor);
  else if (dwfl_report_end(file->dwfl, NULL, NULL) == 0)
    file->elf = dwfl_module_getelf(file->module, &bias);
  bool readable =
      file->elf != NULL && gelf_getclass(file->elf) != ELFCLASSNONE;
  read_build_id(file->elf, id);
  if (readable && (strcmp(id, build_id) == 0 ||
                   strcmp(build_id, CODE_ANY_BUILD) == 0)) {
    GElf_Ehdr header;
    if (gelf_getehdr(file->elf, &header) != NULL)
      file->entry = header.e_entry;
    return CODE_FILE_GOOD;
  }
  pool_release_now(file->dwfl);
  *file = (struct code_file){0};
  return readable ? CODE_FILE_CHANGED : CODE_FILE_UNREADABLE;
}

/* Opens the file, or what stands for it: on another machine than the one
 * where it ran, it may be somewhere else alone, by its build id, or nothing
 * of it but its debug file, which has the symbols as well. */
enum code_file_outcome
code_file_open(struct code_file *file, const char *path, const char *build_id)
{
  struct search search;
  const enum code_file_outcome outcome =
      open_file(file, path, open_regular(path), build_id);
  if (outcome == CODE_FILE_GOOD || strlen(build_id) < 4 ||
      strlen(build_id) >= sizeof search.id)
    return outcome;
  strcpy(search.id, build_id);
  return (search_folders(&search, NULL, 0, "") ||
          search_folders(&search, NULL, 0, ".debug")) &&
                 open_file(file, search.path, search.descriptor, build_id) ==
                     CODE_FILE_GOOD
             ? CODE_FILE_GOOD
             : outcome;
}

Dwarf *
code_file_information(const struct code_file *file)
{
  Dwarf_Addr bias;
  return dwfl_module_getdwarf(file->module, &bias);
}

/* Returns how many of the COUNT segments of ELF are executable. */
static int
code_segments(Elf *elf, size_t count)
{
  GElf_Phdr header;
  int n = 0;
  for (size_t i = 0; i < count; i++)
    n += gelf_getphdr(elf, (int)i, &header) != NULL &&
         header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0;
  return n;
}

bool
code_file_address(const struct code_file *file, uint64_t code,
                  uint64_t offset, uint64_t *address)
{
  enum { PAGE = 4096 }; /* a place and its offset are the same in each */
  size_t count;
  if (elf_getphdrnum(file->elf, &count) != 0)
    return false;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr header;
    if (gelf_getphdr(file->elf, (int)i, &header) == NULL ||
        header.p_type != PT_LOAD)
      continue;
    /* a debug file has not all of the code, and of several segments it does
     * not say which is which */
    if ((header.p_flags & PF_X) != 0 && header.p_filesz < header.p_memsz) {
      if (code_segments(file->elf, count) > 1)
        return false;
      *address =
          offset - code + header.p_vaddr - (header.p_vaddr - code) % PAGE;
      return *address - header.p_vaddr < header.p_memsz;
    }
    if (offset >= header.p_offset &&
        offset - header.p_offset < header.p_filesz) {
      *address = offset - header.p_offset + header.p_vaddr;
      return true;
    }
  }
  return false;
}
