/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files that are kept for several profiles: on copies of this program, under
 * many paths, which may vanish.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "symbols/code_names.h"

#include <dirent.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPIES = 100, MOST_DESCRIPTORS = 140 };

static char folder[] = "/tmp/mprof-test-XXXXXX";

/* Sets PATH, of PATH_MAX bytes, to that of the copy I. */
static const char *
copy_path(char *path, int i)
{
  snprintf(path, PATH_MAX, "%s/%d", folder, i);
  return path;
}

static int
make_copies(void **state)
{
  static char bytes[1 << 16];
  char path[PATH_MAX];
  char first[PATH_MAX];
  ssize_t got;
  (void)state;
  if (mkdtemp(folder) == NULL)
    return -1;
  int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  int to = open(copy_path(first, 0), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  while ((got = read(from, bytes, sizeof bytes)) > 0)
    if (write(to, bytes, (size_t)got) != got)
      return -1;
  close(from);
  close(to);
  for (int i = 1; i < COPIES; i++)
    if (link(first, copy_path(path, i)) != 0)
      return -1;
  return 0;
}

static int
remove_copies(void **state)
{
  char path[PATH_MAX];
  (void)state;
  for (int i = 0; i < COPIES; i++)
    unlink(copy_path(path, i));
  return rmdir(folder);
}

static int
count_descriptors(void)
{
  int count = 0;
  DIR *opened = opendir("/proc/self/fd");
  assert_non_null(opened);
  while (readdir(opened) != NULL)
    count++;
  closedir(opened);
  return count;
}

/* The build id of this program in hexadecimal digits. */
static const char *
own_build_id(void)
{
  static char text[256];
  const void *id;
  int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(descriptor, ELF_C_READ, NULL);
  ssize_t bytes = dwelf_elf_gnu_build_id(elf, &id);
  for (ssize_t i = 0; i < bytes && i < 64; i++)
    sprintf(text + 2 * i, "%02x", ((const unsigned char *)id)[i]);
  elf_end(elf);
  close(descriptor);
  return text;
}

/* The name of the active function OFFSET bytes into MODULE. */
static const char *
name_at(struct code_names *names, struct code_module *module, uint64_t offset)
{
  struct index_map functions = {0};
  struct profile profile;
  profile_init(&profile);
  const struct profile_location location = {.mapping = INDEX_NONE};
  const uint32_t number = profile_add_location(&profile, location, NULL, 0);
  const struct code_place place = code_names_add_lines(
      names, module, offset, &profile, &functions, number);
  assert_true(place.known);
  assert_true(profile.line_count > 0);
  const struct profile_line *line = &profile.lines[profile.line_count - 1];
  return names_text(&profile.names, profile.functions[line->function].name);
}

/* Where FUNCTION is in the file of MODULE, which is open. */
static uint64_t
offset_of(const struct code_module *module, const char *function)
{
  GElf_Sym symbol;
  GElf_Addr address;
  uint64_t found;
  int count = dwfl_module_getsymtab(module->file.module);
  for (int i = 1; i < count; i++) {
    const char *name = dwfl_module_getsym_info(
        module->file.module, i, &symbol, &address, NULL, NULL, NULL);
    if (name != NULL && strcmp(name, function) == 0)
      for (uint64_t offset = address & 0xfff; offset <= address;
           offset += 0x1000)
        if (code_file_address(&module->file, 0, offset, &found) &&
            found == address)
          return offset;
  }
  fail_msg("no %s", function);
  return 0;
}

static void
a_file_is_read_once(void **state)
{
  struct code_names names = {.pool = pool_in_use()};
  char path[PATH_MAX];
  char moved[PATH_MAX];
  (void)state;
  copy_path(path, 1);
  copy_path(moved, COPIES);
  struct code_module *module =
      code_names_module(&names, path, own_build_id());
  assert_non_null(module);
  assert_int_equal(module->outcome, CODE_FILE_GOOD);
  uint64_t offset = offset_of(module, "main");
  assert_string_equal(name_at(&names, module, offset), "main");
  assert_int_equal(rename(path, moved), 0);
  assert_ptr_equal(code_names_module(&names, path, own_build_id()), module);
  assert_string_equal(name_at(&names, module, offset), "main");
  uint64_t other = offset_of(module, "make_copies");
  assert_string_equal(name_at(&names, module, other), "make_copies");
  assert_int_equal(rename(moved, path), 0);
}

static void
another_build_is_another_file(void **state)
{
  struct code_names names = {.pool = pool_in_use()};
  char path[PATH_MAX];
  (void)state;
  copy_path(path, 1);
  struct code_module *module =
      code_names_module(&names, path, own_build_id());
  struct code_module *other = code_names_module(&names, path, "0123456789");
  struct code_module *unread = code_names_module(&names, path, NULL);
  assert_non_null(other);
  assert_non_null(unread);
  assert_int_equal(other->outcome, CODE_FILE_CHANGED);
  assert_false(unread->file.module != NULL);
  uint64_t offset = offset_of(module, "main");
  uint64_t address;
  struct function_found found;
  assert_false(code_names_function(&names, other, offset, &address, &found));
  assert_false(code_names_function(&names, unread, offset, &address, &found));
  assert_true(code_names_function(&names, module, offset, &address, &found));
}

/* More files than may be open: each gives all names, new ones as well. */
static void
many_files(void **state)
{
  struct pool pool = {NULL, NULL};
  struct code_names names = {.pool = &pool};
  struct code_module *modules[COPIES];
  char path[PATH_MAX];
  uint64_t offset = 0;
  uint64_t other = 0;
  int before = count_descriptors();
  (void)state;
  for (int i = 0; i < COPIES; i++) {
    modules[i] =
        code_names_module(&names, copy_path(path, i), own_build_id());
    assert_non_null(modules[i]);
    if (i == 0) {
      offset = offset_of(modules[0], "main");
      other = offset_of(modules[0], "make_copies");
    }
    assert_string_equal(name_at(&names, modules[i], offset), "main");
  }
  assert_in_range(count_descriptors() - before, 1, MOST_DESCRIPTORS);
  assert_false(modules[0]->file.module != NULL);
  for (int i = 0; i < COPIES; i++)
    assert_string_equal(name_at(&names, modules[i], other), "make_copies");
  assert_true(names.open_count < COPIES);
  code_names_release(&names);
  assert_int_equal(count_descriptors(), before);
}

/* Types of this program, of sizes that nothing else here has. */
struct of_1237_bytes {
  char bytes[1237];
};
struct of_1239_bytes {
  char bytes[1239];
};
struct of_1237_bytes first;
struct of_1239_bytes second;

/* Checks that MODULE has the type NAME of SIZE bytes, and no other. */
static void
check_type(struct code_names *names, struct code_module *module,
           uint64_t size, const char *name)
{
  const struct row_table *types = code_names_types(names, module);
  size_t found = 0;
  for (size_t i = 0; i < types->row_count; i++) {
    size_t words;
    const uint64_t *row = row_table_words(types, i, &words);
    if (row[0] != size)
      continue;
    found++;
    assert_string_equal(names_text(&names->names, (uint32_t)row[1]), name);
  }
  assert_int_equal(found, name == NULL ? 0 : 1);
}

static void
types_of_several_profiles(void **state)
{
  struct code_names names = {.pool = pool_in_use()};
  char path[PATH_MAX];
  (void)state;
  struct code_module *module =
      code_names_module(&names, copy_path(path, 1), own_build_id());
  assert_non_null(module);
  for (int i = 0; i < 2; i++) {
    check_type(&names, module, 1237, "struct of_1237_bytes");
    check_type(&names, module, 1239, "struct of_1239_bytes");
    check_type(&names, module, 1241, NULL);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_read_once),
      cmocka_unit_test(another_build_is_another_file),
      cmocka_unit_test(many_files),
      cmocka_unit_test(types_of_several_profiles),
  };
  return RUN_IN_ATTEMPT(tests, make_copies, remove_copies);
}
