/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* libdwfl with one module, which is at address 0, so that its addresses are
 * those of the file.  Debug files are found here, and not by libdwfl, which
 * asks servers too and believes a checksum.
 */

#include "symbols/code_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char default_debug_path[] = "/usr/lib/debug";

/* Opens the regular file PATH; -1 when it is none. */
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

/* Whether the COUNT bytes of ID are what HEX says. */
static bool
is_id(const unsigned char *id, size_t count, const char *hex)
{
  char digits[3];
  if (strlen(hex) != 2 * count)
    return false;
  for (size_t i = 0; i < count; i++) {
    snprintf(digits, sizeof digits, "%02x", id[i]);
    if (strncmp(digits, hex + 2 * i, 2) != 0)
      return false;
  }
  return true;
}

/* Opens the debug file PATH if it has the build id of COUNT bytes ID. */
static int
open_debug_file(const char *path, const unsigned char *id, size_t count)
{
  int descriptor = open_regular(path);
  if (descriptor < 0)
    return -1;
  const void *found;
  Elf *elf = elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
  ssize_t size = elf == NULL ? -1 : dwelf_elf_gnu_build_id(elf, &found);
  bool same =
      size > 0 && (size_t)size == count && memcmp(found, id, count) == 0;
  elf_end(elf);
  if (same)
    return descriptor;
  close(descriptor);
  return -1;
}

/* A search for a debug file; PATH is the one to try next. */
struct search {
  const unsigned char *id;
  size_t id_bytes;
  const char *program; /* the file that it belongs to */
  const char *link;    /* what that calls it, NULL: nothing */
  char path[PATH_MAX];
};

static int
try_path(const struct search *search)
{
  return open_debug_file(search->path, search->id, search->id_bytes);
}

static int
search_by_id(struct search *search, const char *folder, int length)
{
  int used = snprintf(search->path, sizeof search->path,
                      "%.*s/.build-id/%02x/", length, folder, search->id[0]);
  for (size_t i = 1; i < search->id_bytes; i++)
    if (used > 0 && (size_t)used + 8 < sizeof search->path)
      used += sprintf(search->path + used, "%02x", search->id[i]);
  strcpy(search->path + used, ".debug");
  return try_path(search);
}

/* Tries PREFIX, the folder of the program, MIDDLE and the name. */
static int
search_by_link(struct search *search, const char *prefix, int length,
               const char *middle)
{
  const char *slash = strrchr(search->program, '/');
  const char *name = strrchr(search->link, '/');
  int folder = slash == NULL ? 0 : (int)(slash - search->program);
  int used = snprintf(search->path, sizeof search->path, "%.*s%.*s/%s%s",
                      length, prefix, folder, search->program, middle,
                      name == NULL ? search->link : name + 1);
  return used > 0 && (size_t)used < sizeof search->path ? try_path(search)
                                                        : -1;
}

/* Tries each folder of MPROF_DEBUG_PATH. */
static int
search_folders(struct search *search, bool by_id)
{
  const char *folders = getenv("MPROF_DEBUG_PATH");
  int descriptor = -1;
  if (folders == NULL || *folders == '\0')
    folders = default_debug_path;
  while (*folders != '\0' && descriptor < 0) {
    size_t length = strcspn(folders, ":");
    if (length > 0 && length < PATH_MAX / 2)
      descriptor = by_id ? search_by_id(search, folders, (int)length)
                         : search_by_link(search, folders, (int)length, "");
    folders += length;
    folders += *folders == ':';
  }
  return descriptor;
}

/* What libdwfl calls to find a debug file: gives back a descriptor or -1. */
static int
find_debug_file(Dwfl_Module *module, void **user, const char *name,
                Dwarf_Addr base, const char *path, const char *link,
                GElf_Word checksum, char **found)
{
  const unsigned char *id;
  GElf_Addr address;
  int bytes = dwfl_module_build_id(module, &id, &address);
  (void)user;
  (void)base;
  (void)checksum;
  if (bytes < 2 || bytes > 64)
    return -1;
  struct search search = {.id = id,
                          .id_bytes = (size_t)bytes,
                          .program = path != NULL ? path : name,
                          .link = link};
  int descriptor = search_folders(&search, true);
  if (descriptor < 0 && link != NULL)
    descriptor = search_by_link(&search, "", 0, "");
  if (descriptor < 0 && link != NULL)
    descriptor = search_by_link(&search, "", 0, ".debug/");
  if (descriptor < 0 && link != NULL)
    descriptor = search_folders(&search, false);
  if (descriptor >= 0)
    *found = strdup(search.path);
  return descriptor;
}

static int
find_no_file(Dwfl_Module *module, void **user, const char *name,
             Dwarf_Addr base, char **path, Elf **elf)
{
  (void)module;
  (void)user;
  (void)name;
  (void)base;
  (void)path;
  (void)elf;
  return -1;
}

static const Dwfl_Callbacks callbacks = {
    .find_elf = find_no_file,
    .find_debuginfo = find_debug_file,
};

/* Whether the file has BUILD_ID, or none when that is "". */
static bool
has_build_id(const struct code_file *file, const char *build_id)
{
  const void *id;
  ssize_t bytes = dwelf_elf_gnu_build_id(file->elf, &id);
  return is_id(id, bytes < 0 ? 0 : (size_t)bytes, build_id);
}

enum code_file_outcome
code_file_open(struct code_file *file, const char *path, const char *build_id)
{
  GElf_Addr bias;
  memset(file, 0, sizeof *file);
  int descriptor = open_regular(path);
  if (descriptor < 0)
    return CODE_FILE_UNREADABLE;
  elf_version(EV_CURRENT);
  file->dwfl = dwfl_begin(&callbacks);
  if (file->dwfl != NULL)
    file->module =
        dwfl_report_elf(file->dwfl, path, path, descriptor, 0, false);
  if (file->module == NULL)
    close(descriptor);
  else if (dwfl_report_end(file->dwfl, NULL, NULL) == 0)
    file->elf = dwfl_module_getelf(file->module, &bias);
  enum code_file_outcome outcome = CODE_FILE_GOOD;
  if (file->elf == NULL || gelf_getclass(file->elf) == ELFCLASSNONE)
    outcome = CODE_FILE_UNREADABLE;
  else if (!has_build_id(file, build_id))
    outcome = CODE_FILE_CHANGED;
  if (outcome != CODE_FILE_GOOD)
    code_file_release(file);
  return outcome;
}

void
code_file_release(struct code_file *file)
{
  if (file->dwfl != NULL)
    dwfl_end(file->dwfl);
  memset(file, 0, sizeof *file);
}

bool
code_file_address(const struct code_file *file, uint64_t offset,
                  uint64_t *address)
{
  size_t count;
  if (elf_getphdrnum(file->elf, &count) != 0)
    return false;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr header;
    if (gelf_getphdr(file->elf, (int)i, &header) != NULL &&
        header.p_type == PT_LOAD && offset >= header.p_offset &&
        offset - header.p_offset < header.p_filesz) {
      *address = offset - header.p_offset + header.p_vaddr;
      return true;
    }
  }
  return false;
}

uint64_t
code_file_entry(const struct code_file *file)
{
  GElf_Ehdr header;
  return gelf_getehdr(file->elf, &header) == NULL ? 0 : header.e_entry;
}

Dwarf *
code_file_debug_information(const struct code_file *file)
{
  Dwarf_Addr bias;
  return dwfl_module_getdwarf(file->module, &bias);
}
