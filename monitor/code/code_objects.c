/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_objects.c -- see code_objects.h. */
#include "code/code_objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/digits.h"

#define PAGE ((uintptr_t)getauxval(AT_PAGESZ))
#define MOST_TEXT ((size_t)1 << 30) /* bytes of paths */

struct code_notes code_notes;

/* Adds an object, all zero; all may move.  Returns NULL without memory. */
static struct code_object *
new_object(struct code_objects *list)
{
  struct code_object *const o =
      arena_record(&list->object_arena, list->count, sizeof *o);
  if (o == NULL) {
    list->failed = true;
    return NULL;
  }
  list->objects = list->object_arena.base;
  list->count++;
  return memset(o, 0, sizeof *o);
}

/* Paths do not move. */
static void
copy_path(struct code_objects *list, struct code_object *o, const char *path)
{
  const size_t size = strlen(path) + 1;
  list->text_arena.most = MOST_TEXT;
  if (arena_grow(&list->text_arena, list->text_bytes + size) != 0) {
    list->failed = true;
    return;
  }
  o->path =
      memcpy((char *)list->text_arena.base + list->text_bytes, path, size);
  list->text_bytes += size;
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

/* Copies the path of the program, which is the first object.  Asks for it
 * once: later there may be no /proc, after chroot. */
static void
read_program_path(struct code_objects *list, struct code_object *o)
{
  if (code_notes.program[0] == '\0' &&
      readlink("/proc/self/exe", code_notes.program, PATH_MAX - 1) < 0)
    code_notes.program[0] = '\0';
  copy_path(list, o, code_notes.program);
}

/* Copies the path from the dynamic linker, or from the kernel if the former
 * is relative.  Names without a slash, such as that of the kernel's own
 * object, stay as they are. */
static void
read_path(struct code_objects *list, struct code_object *o, const char *name)
{
  char link[80], *path, *end;
  ssize_t n = 0;
  copy_path(list, o, name == NULL ? "" : name);
  if (name == NULL || name[0] == '/' || strchr(name, '/') == NULL ||
      arenas_are_sealed() ||
      arena_grow(&list->text_arena, list->text_bytes + PATH_MAX) != 0)
    return;
  end = write_digits(stpcpy(link, "/proc/self/map_files/"), o->start & -PAGE,
                     16);
  *end = '-';
  write_digits(end + 1, (o->end + PAGE - 1) & -PAGE, 16);
  path = (char *)list->text_arena.base + list->text_bytes;
  n = readlink(link, path, PATH_MAX - 1);
  if (n <= 0)
    return;
  path[n] = '\0';
  o->path = path;
  list->text_bytes += (size_t)n + 1;
}

/* Extends O's range of variables by those from START up to END. */
static void
add_data(struct code_object *o, uintptr_t start, uintptr_t end)
{
  if (o->data_end == 0 || start < o->data_start)
    o->data_start = start;
  if (end > o->data_end)
    o->data_end = end;
}

/* Returns what all segments of the file INFO have in common. */
static struct code_object
read_file(const struct dl_phdr_info *info)
{
  struct code_object file = {.base = info->dlpi_addr};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_LOAD && (p->p_flags & (PF_X | PF_W)) == PF_W)
      add_data(&file, start, start + p->p_memsz);
    else if (p->p_type == PT_NOTE && file.build_id_size == 0)
      read_build_id(&file, (const uint8_t *)start, p->p_memsz);
  }
  return file;
}

/* Appends the segment P of FILE, called NAME; notes it when there is no
 * memory.  FIRST is the number of the file's first object, which has its path
 * and its variables. */
static void
add_segment(struct code_objects *list, const struct code_object *file,
            const char *name, const ElfW(Phdr) * p, size_t first)
{
  struct code_object *const o = new_object(list);
  if (o == NULL)
    return;
  *o = *file;
  o->start = file->base + p->p_vaddr;
  o->end = o->start + p->p_memsz;
  o->file_offset = p->p_offset;
  if (list->count - 1 != first) {
    o->path = list->objects[first].path;
    o->data_start = o->data_end = 0;
  } else if (first == 0) {
    read_program_path(list, o);
  } else {
    read_path(list, o, name);
  }
}

static int
add_objects(struct dl_phdr_info *info, size_t size, void *data)
{
  struct code_objects *list = data;
  const struct code_object file = read_file(info);
  const size_t first = list->count;
  (void)size;
  list->adds = info->dlpi_adds;
  list->subs = info->dlpi_subs;
  for (int i = 0; i < info->dlpi_phnum && !list->failed; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD &&
        (info->dlpi_phdr[i].p_flags & PF_X) != 0)
      add_segment(list, &file, info->dlpi_name, &info->dlpi_phdr[i], first);
  return list->failed;
}

/* Returns what dl_iterate_phdr tells of the program. */
static struct dl_phdr_info
program_info(void)
{
  return (struct dl_phdr_info){.dlpi_addr = _r_debug.r_map->l_addr,
                               .dlpi_name = _r_debug.r_map->l_name,
                               .dlpi_phdr =
                                   (const ElfW(Phdr) *)getauxval(AT_PHDR),
                               .dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM)};
}

void
code_objects_add(struct code_objects *list, uintptr_t address)
{
  struct dl_phdr_info info = program_info();
  struct dl_find_object found;
  const ElfW(Ehdr) * header;
  if (list->count == 0)
    add_objects(&info, sizeof info, list);
  if (code_objects_find(list, address) != NULL ||
      _dl_find_object((void *)address, &found) != 0)
    return;
  for (size_t i = 0; i < list->count; i++)
    if (list->objects[i].start >= (uintptr_t)found.dlfo_map_start &&
        list->objects[i].start < (uintptr_t)found.dlfo_map_end)
      return; /* the address is in no segment of code */
  header = found.dlfo_map_start;
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return;
  info = (struct dl_phdr_info){
      .dlpi_addr = found.dlfo_link_map->l_addr,
      .dlpi_name = found.dlfo_link_map->l_name,
      .dlpi_phdr = (const ElfW(Phdr) *)((uintptr_t)header + header->e_phoff),
      .dlpi_phnum = header->e_phnum};
  add_objects(&info, sizeof info, list);
}

static bool
is_mapped(uintptr_t address)
{
  unsigned char resident;
  return mincore((void *)(address & -PAGE), PAGE, &resident) == 0 ||
         errno != ENOMEM;
}

/* Lists what dl_iterate_phdr lists, which waits for a lock that another
 * thread may have had when this process was copied; here only one is left.
 * A file that was being loaded then is incomplete, and the linker does not
 * find it; one that was being unloaded is found, but may lack its pages. */
static void
list_without_lock(struct code_objects *list)
{
  for (struct link_map *m = _r_debug.r_map; m != NULL; m = m->l_next) {
    struct dl_phdr_info info = {.dlpi_addr = m->l_addr,
                                .dlpi_name = m->l_name};
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)m->l_addr;
    struct dl_find_object found;
    if (m == _r_debug.r_map) {
      info = program_info();
    } else if (m->l_addr != 0 &&
               _dl_find_object((void *)m->l_addr, &found) == 0 &&
               is_mapped(m->l_addr) &&
               memcmp(header->e_ident, ELFMAG, SELFMAG) == 0) {
      info.dlpi_phdr = (const ElfW(Phdr) *)(m->l_addr + header->e_phoff);
      info.dlpi_phnum = header->e_phnum;
    }
    if (info.dlpi_phdr != NULL && add_objects(&info, sizeof info, list) != 0)
      break;
  }
}

void
code_objects_forked(void)
{
  code_notes.forked = true;
}

const struct code_object *
code_objects_copy(struct code_objects *list, const struct code_object *object)
{
  struct code_object *const o = new_object(list);
  if (o == NULL)
    return NULL;
  *o = *object;
  o->path = NULL;
  o->number = (uint32_t)list->count;
  copy_path(list, o, object->path);
  if (o->path != NULL)
    return o;
  list->count--;
  return NULL;
}

bool
code_objects_list(struct code_objects *list)
{
  list->count = list->text_bytes = 0;
  list->failed = false;
  if (code_notes.forked)
    list_without_lock(list);
  else
    dl_iterate_phdr(add_objects, list);
  return !list->failed;
}

void
code_objects_release(struct code_objects *list)
{
  arena_release(&list->object_arena);
  arena_release(&list->text_arena);
  memset(list, 0, sizeof *list);
}

static int
note_changes(struct dl_phdr_info *info, size_t size, void *data)
{
  struct code_objects *now = data;
  (void)size;
  now->adds = info->dlpi_adds;
  now->subs = info->dlpi_subs;
  return 1;
}

bool
code_objects_are_loaded(const struct code_objects *list)
{
  struct code_objects now = {0};
  if (code_notes.forked)
    return false;
  dl_iterate_phdr(note_changes, &now);
  return list->adds == now.adds && list->subs == now.subs;
}

void
code_objects_compare(const struct code_objects *before,
                     const struct code_objects *now,
                     void (*gone)(const struct code_object *))
{
  for (size_t i = 0; i < before->count; i++) {
    const struct code_object *was = &before->objects[i];
    const struct code_object *is = code_objects_find(now, was->start);
    if (is == NULL || is->base != was->base ||
        strcmp(is->path, was->path) != 0)
      gone(was);
  }
}
