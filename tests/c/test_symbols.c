/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names for addresses: on this program itself, whose functions and lines the
 * compiler knows as well.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "common/region_path.h"
#include "symbols/code_file.h"

#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
check_name(const char *symbol, const char *expected)
{
  char *name = function_name_of_symbol(symbol);
  assert_non_null(name);
  assert_string_equal(name, expected);
  pool_free(name);
}

static void
names_of_functions(void **state)
{
  (void)state;
  check_name("main", "main");
  check_name("fopen@@GLIBC_2.2.5", "fopen");
  check_name("parse.cold", "parse");
  check_name("parse.constprop.0", "parse");
  check_name("parse.isra.0.cold", "parse");
  check_name("parse.constprop.12.isra.3", "parse");
  check_name("parse.part.0", "parse.part.0");
  check_name("parse.part.0.cold", "parse.part.0");
  check_name(".cold", ".cold");
  check_name("names.0", "names.0");
  check_name("_Z3fooi", "foo(int)");
  check_name("_Z3food", "foo(double)");
  check_name("_ZN4shop6BasketC2Ei", "shop::Basket::Basket(int)");
  check_name("_ZNSt6vectorIiSaIiEE9push_backEOi",
             "std::vector<int, std::allocator<int> >::push_back(int&&)");
  check_name("_Z3fooi.constprop.0", "foo(int)");
  check_name("_Z3maxIiET_S0_S0_", "max<int>(int, int)");
  check_name("_RNvCs1234_7mycrate3foo", "mycrate::foo");
  check_name("_Znwm", "operator new(unsigned long)");
  check_name("_Z", "_Z");
}

static void
functions_that_begin_programs(void **state)
{
  (void)state;
  assert_true(is_start_up_function("_start", "/home/me/program"));
  assert_true(is_start_up_function("__libc_start_call_main",
                                   "/lib/x86_64-linux-gnu/libc.so.6"));
  assert_true(is_start_up_function("start_thread", "/lib/libc.so.6"));
  assert_true(
      is_start_up_function("start_thread", "/lib/libpthread-2.28.so"));
  assert_true(
      is_start_up_function("call_init", "/lib64/ld-linux-x86-64.so.2"));
  assert_false(is_start_up_function("start_thread", "/home/me/program"));
  assert_false(is_start_up_function("clone", "/home/me/libclone.so"));
  assert_false(is_start_up_function("main", "/home/me/program"));
  assert_false(is_start_up_function("exit", "/lib/libc.so.6"));
  assert_true(is_c_library("/lib/ld-musl-x86_64.so.1"));
  assert_false(is_c_library("/usr/lib/libcurl.so.4"));
}

static size_t
outer_length(const char *path)
{
  return region_path_outer(path, strlen(path));
}

static void
paths_of_regions(void **state)
{
  (void)state;
  assert_int_equal(outer_length(""), 0);
  assert_int_equal(outer_length("load"), 0);
  assert_int_equal(outer_length("load;lex"), 4);
  assert_int_equal(outer_length("load;lex;word"), 8);
  assert_int_equal(outer_length("a\\;b"), 0);
  assert_int_equal(outer_length("a\\;b;c"), 4);
  assert_int_equal(outer_length("a\\\\;b"), 3);
}

/* ---- this program ----------------------------------------------------- */

/* Its own types, of sizes that nothing else here has. */
struct of_1237_bytes {
  char bytes[1237];
};

typedef struct {
  char bytes[1239];
} also_1239_bytes;

union of_1241_bytes {
  char bytes[1241];
};

struct of_1237_bytes first;
also_1239_bytes second;
union of_1241_bytes third;

struct subject {
  struct code_file file;
  struct function_symbols symbols;
  struct source_places places;
};

static int
first_base(struct dl_phdr_info *info, size_t size, void *data)
{
  (void)size;
  *(uintptr_t *)data = info->dlpi_addr;
  return 1;
}

/* What the file calls ADDRESS in this program. */
static uint64_t
address_in_file(const void *address)
{
  uintptr_t base = 0;
  dl_iterate_phdr(first_base, &base);
  return (uintptr_t)address - base;
}

/* The program's own build id in hexadecimal digits, which the linker may have
 * left out. */
static const char *
own_path(void)
{
  static char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  assert_true(length > 0);
  path[length] = '\0';
  return path;
}

static int
note_build_id(struct dl_phdr_info *info, size_t size, void *data)
{
  char *text = data;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type != PT_NOTE)
      continue;
    const uint8_t *at = (const uint8_t *)info->dlpi_addr + header->p_vaddr;
    const uint8_t *end = at + header->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) < end) {
      const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;
      const uint8_t *name = at + sizeof *note;
      const uint8_t *content = name + (note->n_namesz + 3) / 4 * 4;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
          memcmp(name, "GNU", 4) == 0)
        for (unsigned j = 0; j < note->n_descsz; j++)
          sprintf(text + 2 * j, "%02x", content[j]);
      at = content + (note->n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

static const char *
own_build_id(void)
{
  static char text[256];
  dl_iterate_phdr(note_build_id, text);
  return text;
}

static int
open_subject(void **state)
{
  struct subject *subject = pool_zeroed(1, sizeof *subject);
  assert_non_null(subject);
  assert_int_equal(code_file_open(&subject->file, own_path(),
                                  own_build_id(), true),
                   CODE_FILE_GOOD);
  function_symbols_init(&subject->symbols, &subject->file);
  subject->places = source_places_of(subject->file.information);
  *state = subject;
  return 0;
}

/* Where it was called from, and on which line that is. */
struct called {
  const void *address;
  int line;
};

static struct called __attribute__((noinline)) where(int line)
{
  return (struct called){__builtin_return_address(0), line};
}

static struct called __attribute__((noinline)) call_plainly(void)
{
  struct called called = where(__LINE__);
  __asm__ volatile("" : : "m"(called)); /* no sibling call */
  return called;
}

static inline struct called __attribute__((always_inline)) call_inside(void)
{
  return where(0);
}

static struct called __attribute__((noinline)) call_inlined(void)
{
  struct called called = call_inside();
  called.line = __LINE__ - 1;
  __asm__ volatile("" : : "m"(called));
  return called;
}

/* Checks the place of CALLED in FUNCTION, into which INLINED, unless that is
 * NULL, was inlined. */
static void
check_call(const struct subject *subject, struct called called,
           const char *function, const char *inlined)
{
  uint64_t address = address_in_file((const char *)called.address - 1);
  struct function_found found;
  struct source_place place;
  const struct source_function *active;
  assert_true(function_symbols_find(&subject->symbols, address, &found));
  assert_string_equal(found.name, function);
  source_places_find((struct source_places *)(uintptr_t)&subject->places,
                     address, &place);
  assert_int_equal(place.count, inlined == NULL ? 1 : 2);
  active = &place.functions[0];
  assert_string_equal(active->name, function);
  assert_non_null(active->file);
  assert_non_null(strstr(active->file, "tests/c/test_symbols.c"));
  assert_int_equal(active->line, called.line);
  assert_true(active->start_line > 0 && active->start_line < active->line);
  if (inlined != NULL) {
    assert_string_equal(active[1].name, inlined);
    assert_true(active[1].start_line > 0 &&
                active[1].start_line < active[1].line &&
                active[1].line < active->start_line);
  }
}

static void
a_call(void **state)
{
  check_call(*state, call_plainly(), "call_plainly", NULL);
}

static void
a_call_in_what_was_inlined(void **state)
{
  check_call(*state, call_inlined(), "call_inlined", "call_inside");
}

static void
places_in_the_file(void **state)
{
  struct subject *subject = *state;
  uint64_t address;
  uint64_t own = address_in_file((const void *)(uintptr_t)call_plainly);
  size_t count;
  assert_int_equal(elf_getphdrnum(subject->file.elf, &count), 0);
  bool found = false;
  for (uint64_t offset = own & 0xfff; offset < own + 0x10000;
       offset += 0x1000)
    found = found || (code_file_address(&subject->file, offset, &address) &&
                      address == own);
  assert_true(found);
  assert_false(code_file_address(&subject->file, UINT64_MAX, &address));
}

static void
no_such_function(void **state)
{
  struct subject *subject = *state;
  struct function_found found;
  assert_false(function_symbols_find(&subject->symbols, 0, &found));
}

static void
other_files(void **state)
{
  struct code_file file;
  (void)state;
  assert_int_equal(code_file_open(&file, "/nonexistent", "00", true),
                   CODE_FILE_UNREADABLE);
  assert_int_equal(code_file_open(&file, "/dev/zero", "00", true),
                   CODE_FILE_UNREADABLE);
  assert_int_equal(code_file_open(&file, "/", "00", true),
                   CODE_FILE_UNREADABLE);
  assert_int_equal(code_file_open(&file, "tests/c/test_symbols.c", "", true),
                   CODE_FILE_UNREADABLE);
  assert_int_equal(code_file_open(&file, own_path(), "0123456789", true),
                   CODE_FILE_CHANGED);
}

/* Checks that TYPES have as many of SIZE bytes called NAME as COUNT says. */
static void
check_type(const struct row_table *types, const struct names *names,
           uint64_t size, const char *name, size_t count)
{
  for (size_t i = 0; i < types->row_count; i++) {
    size_t words;
    const uint64_t *row = row_table_words(types, i, &words);
    if (row[0] == size &&
        strcmp(names_text(names, (uint32_t)row[1]), name) == 0)
      count--;
    assert_int_not_equal(row[0], 1243);
  }
  assert_int_equal(count, 0);
}

static void
types_by_size(void **state)
{
  struct subject *subject = *state;
  struct row_table types = {0};
  struct names names = {0};
  names_init(&names);
  for (int i = 0; i < 2; i++) /* the second time nothing is new */
    program_types_read(&types, &names, subject->file.information);
  check_type(&types, &names, 1237, "struct of_1237_bytes", 1);
  check_type(&types, &names, 1239, "also_1239_bytes", 1);
  check_type(&types, &names, 1241, "union of_1241_bytes", 1);
  check_type(&types, &names, 1241, "struct of_1241_bytes", 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_functions),
      cmocka_unit_test(functions_that_begin_programs),
      cmocka_unit_test(paths_of_regions),
      cmocka_unit_test(a_call),
      cmocka_unit_test(a_call_in_what_was_inlined),
      cmocka_unit_test(places_in_the_file),
      cmocka_unit_test(no_such_function),
      cmocka_unit_test(other_files),
      cmocka_unit_test(types_by_size),
  };
  return RUN_IN_ATTEMPT(tests, open_subject, NULL);
}
