/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_objects.c -- see code_objects.h. */
#include "code/code_objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "code/frame_step.h"

#define MOST_TEXT ((size_t)1 << 30) /* bytes of paths */

struct code_objects code_objects = {.paths = {.most = MOST_TEXT}};

struct code_object *
code_list_add(struct code_list *list, const struct code_object *object)
{
  struct code_object *const o =
      arena_record(&list->arena, list->count, sizeof *o);
  if (o == NULL) {
    code_objects.failed = true;
    return NULL;
  }
  *o = *object;
  list->objects = list->arena.base;
  list->count++;
  return o;
}

/* Reads the build id in the notes of `size' bytes at `at'. */
static void
read_build_id(struct code_object *o, const uint8_t *at, size_t size)
{
  while (size >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
    const size_t name = (note->n_namesz + 3) & ~(size_t)3;
    const size_t text = (note->n_descsz + 3) & ~(size_t)3;
    if (sizeof *note + name + text > size)
      return;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
        memcmp(note + 1, "GNU", 4) == 0 && note->n_descsz <= BUILD_ID_BYTES) {
      o->build_id_size = note->n_descsz;
      memcpy(o->build_id, (const uint8_t *)(note + 1) + name, note->n_descsz);
      return;
    }
    at += sizeof *note + name + text;
    size -= sizeof *note + name + text;
  }
}

/* Returns the path of a file: of the program what the kernel says, which is
 * asked for once, since later there may be no /proc; else NAME, from the
 * dynamic linker, in the present folder if it is relative.  Names without a
 * slash, such as that of the kernel's own object, stay as they are. */
static const char *
read_path(const char *name, bool is_program)
{
  struct arena *const paths = &code_objects.paths;
  if (arena_grow(paths, code_objects.path_bytes + PATH_MAX) != 0) {
    code_objects.failed = true;
    return "";
  }
  char *const path = (char *)paths->base + code_objects.path_bytes;
  char *end = path;
  const ssize_t n = is_program && !arenas_are_sealed()
                        ? readlink("/proc/self/exe", path, PATH_MAX - 1)
                        : -1;
  if (n < 0) {
    if (name[0] != '/' && strchr(name, '/') != NULL && !arenas_are_sealed() &&
        getcwd(path, PATH_MAX / 2) != NULL)
      end = stpcpy(path + strlen(path), "/");
    end = stpncpy(end, name, (size_t)(path + PATH_MAX - 1 - end));
  } else {
    end = path + n;
  }
  *end = '\0';
  code_objects.path_bytes += (size_t)(end - path) + 1;
  return path;
}

/* Returns what all segments of the file INFO have in common.  Segments are in
 * the order of their addresses. */
static struct code_object
read_file(const struct dl_phdr_info *info)
{
  struct code_object file = {.base = info->dlpi_addr};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_LOAD && (p->p_flags & (PF_X | PF_W)) == PF_W) {
      if (file.data_end == 0)
        file.data_start = start;
      file.data_end = start + p->p_memsz;
    } else if (p->p_type == PT_NOTE && file.build_id_size == 0) {
      read_build_id(&file, (const uint8_t *)start, p->p_memsz);
    }
  }
  return file;
}

/* Adds the segment P of FILE, called NAME.  FIRST is the number of the file's
 * first object, which has its path and its variables. */
static void
add_segment(const struct code_object *file, const char *name,
            const ElfW(Phdr) * p, size_t first)
{
  struct code_list *const loaded = &code_objects.loaded;
  struct code_object o = *file;
  o.start = file->base + p->p_vaddr;
  o.end = o.start + p->p_memsz;
  o.file_offset = p->p_offset;
  if (loaded->count != first) {
    o.path = loaded->objects[first].path;
    o.data_start = o.data_end = 0;
  } else {
    o.path = read_path(name, first == 0);
  }
  code_list_add(loaded, &o);
}

void
code_file_add(const struct dl_phdr_info *info, unsigned check)
{
  const size_t first = code_objects.loaded.count;
  struct code_object file = read_file(info);
  file.check = check;
  for (int i = 0; i < info->dlpi_phnum && !code_objects.failed; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD &&
        (info->dlpi_phdr[i].p_flags & PF_X) != 0)
      add_segment(&file, info->dlpi_name, &info->dlpi_phdr[i], first);
}

bool
code_file_find(uintptr_t address, struct dl_phdr_info *info)
{
  struct dl_find_object found = {.dlfo_link_map = _r_debug.r_map};
  const ElfW(Ehdr) * header;
  if (address != 0 && _dl_find_object((void *)address, &found) != 0)
    return false;
  *info = (struct dl_phdr_info){.dlpi_addr = found.dlfo_link_map->l_addr,
                                .dlpi_name = found.dlfo_link_map->l_name};
  if (found.dlfo_link_map == _r_debug.r_map) {
    info->dlpi_phdr = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    info->dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM);
    return true;
  }
  header = found.dlfo_map_start;
  info->dlpi_phdr = (const ElfW(Phdr) *)((uintptr_t)header + header->e_phoff);
  info->dlpi_phnum = header->e_phnum;
  return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

/* ---- what has come and gone ---- */

/* Marks the objects of the file INFO as met; adds those of a new file.
 * Returns 0, or 1 without memory. */
static int
meet_file(struct dl_phdr_info *info, size_t size, void *unused)
{
  struct code_list *const loaded = &code_objects.loaded;
  bool known = false, failed;
  (void)size, (void)unused;
  spin_lock(&code_objects.lock);
  code_objects.failed = false;
  code_objects.adds = info->dlpi_adds;
  code_objects.subs = info->dlpi_subs;
  for (size_t i = 0; i < loaded->count; i++) {
    struct code_object *const o = &loaded->objects[i];
    if (o->base == info->dlpi_addr &&
        (info->dlpi_name[0] != '/' ||
         strcmp(info->dlpi_name, o->path) == 0)) {
      o->check = code_objects.check;
      known = true;
    }
  }
  if (!known)
    code_file_add(info, code_objects.check);
  failed = code_objects.failed;
  spin_unlock(&code_objects.lock);
  return failed;
}

/* Calls meet_file for each file without dl_iterate_phdr, which waits for a
 * lock that another thread may have had when this process was copied.  A
 * file that was being loaded then is incomplete, and the linker does not find
 * it; one that was being unloaded is found, but may lack its pages. */
static int
meet_without_lock(void)
{
  struct dl_phdr_info info;
  int failed = 0;
  for (const struct link_map *m = _r_debug.r_map; m != NULL && !failed;
       m = m->l_next)
    if ((m->l_addr == 0 ||
         frame_is_readable((const uintptr_t *)m->l_addr)) &&
        code_file_find(m->l_addr, &info))
      failed = meet_file(&info, sizeof info, NULL);
  return failed;
}

static int
is_unchanged(struct dl_phdr_info *info, size_t size, void *unused)
{
  (void)size, (void)unused;
  return info->dlpi_adds == code_objects.adds &&
         info->dlpi_subs == code_objects.subs;
}

/* Takes out of the list an object of the file at BASE, or for 0 one that was
 * met, but not at the last check.  Returns false if the list has no such
 * object. */
static bool
take(uintptr_t base, struct code_object *taken)
{
  struct code_list *const loaded = &code_objects.loaded;
  bool found = false;
  spin_lock(&code_objects.lock);
  for (size_t i = 0; i < loaded->count && !found; i++) {
    struct code_object *const o = &loaded->objects[i];
    found = base != 0 ? o->base == base
                      : o->check != 0 && o->check != code_objects.check;
    if (found) {
      *taken = *o;
      memmove(o, o + 1, (--loaded->count - i) * sizeof *o);
    }
  }
  spin_unlock(&code_objects.lock);
  return found;
}

bool
code_objects_check(void (*gone)(const struct code_object *))
{
  struct code_object taken;
  if (!code_objects.forked && dl_iterate_phdr(is_unchanged, NULL) != 0)
    return true;
  code_objects.check++;
  if ((code_objects.forked ? meet_without_lock()
                           : dl_iterate_phdr(meet_file, NULL)) != 0) {
    code_objects.adds = 0; /* the next check tries again */
    return false;
  }
  while (take(0, &taken))
    gone(&taken);
  return true;
}

void
code_objects_unload(uintptr_t base, void (*gone)(const struct code_object *))
{
  struct code_object taken = {.base = base, .path = ""};
  struct dl_find_object found;
  code_objects.adds = 0; /* it may stay loaded: the next check looks */
  if (take(base, &taken)) {
    do
      gone(&taken);
    while (take(base, &taken));
  } else if (_dl_find_object((void *)base, &found) == 0) {
    taken.start = (uintptr_t)found.dlfo_map_start;
    taken.end = (uintptr_t)found.dlfo_map_end;
    gone(&taken);
  }
}

void
code_objects_forked(void)
{
  code_objects.lock.holder = 0;
  code_objects.forked = true;
}
