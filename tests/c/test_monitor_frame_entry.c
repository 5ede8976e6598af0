/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_frame_entry.c -- sections .eh_frame written by hand, and what
 * is left of them when they are cut.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "walk/frame_entry.h"

enum { ADDRESS = 0x1000, MAX_FOUND = 3 };

struct found {
  struct frame_entry items[MAX_FOUND];
  size_t count;
};

/* All functions of a section, one after the other; false when it makes no
 * sense at some place. */
static bool
find_all(const struct frame_section *s, struct found *all)
{
  struct frame_cursor cursor = {.at = s->bytes, .end = s->bytes + s->size};
  struct frame_entry entry;
  all->count = 0;
  while (cursor.at < cursor.end)
    switch (frame_entry_next(&cursor, s, &entry)) {
    case FRAME_ENTRY_BAD:
      return false;
    case FRAME_ENTRY_LAST:
      return true;
    case FRAME_ENTRY_COMMON:
      break;
    case FRAME_ENTRY_FUNCTION:
      assert_true(all->count < MAX_FOUND);
      all->items[all->count++] = entry;
      break;
    }
  return true;
}

/* A common entry as GCC writes it: pointers are 32 bits, relative. */
#define COMMON                                                               \
  20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1B, 0x0C, 7, 8, \
      0x90, 1, 0, 0

/* A function with 8 bytes of program.  Its entry is at `at' in the section.
 */
#define FUNCTION(at, start, size, ...)                                       \
  24, 0, 0, 0, (at) + 4, 0, 0, 0, (uint8_t)((start)-ADDRESS - (at)-8),       \
      (uint8_t)(((start)-ADDRESS - (at)-8) >> 8), 0, 0, size, 0, 0, 0, 0,    \
      __VA_ARGS__

/* Bodies: push %rbp, mov %rsp,%rbp; sub $n,%rsp; a realigned stack. */
#define KEEPS_POINTER 0x41, 0x0E, 16, 0x86, 2, 0x43, 0x0D, 6, 0, 0, 0
#define MOVES_STACK 0x44, 0x0E, 32, 0x4A, 0x0E, 8, 0, 0, 0, 0, 0
#define REALIGNS 0x45, 0x10, 6, 2, 0x76, 0, 0x0F, 3, 0x76, 0x78, 6

static const uint8_t section[] = {
    COMMON,
    FUNCTION(24, 0x2000, 0x40, KEEPS_POINTER),
    FUNCTION(52, 0x2040, 0x10, MOVES_STACK),
    FUNCTION(80, 0x2060, 0x30, REALIGNS),
    0,
    0,
    0,
    0, /* the end */
};

static struct frame_section
of(const uint8_t *bytes, size_t size)
{
  return (struct frame_section){bytes, size, ADDRESS};
}

/* Where the functions of the section are; their programs have 11 bytes. */
static const struct {
  uintptr_t start;
  size_t size;
} functions[] = {{0x2000, 0x40}, {0x2040, 0x10}, {0x2060, 0x30}};

static void
finds_functions(void **state)
{
  struct found all;
  struct frame_section s = of(section, sizeof section);
  (void)state;
  assert_true(find_all(&s, &all));
  assert_int_equal(all.count, 3);
  for (size_t i = 0; i < all.count; i++) {
    const struct frame_entry *e = &all.items[i];
    assert_int_equal(e->start, functions[i].start);
    assert_int_equal(e->size, functions[i].size);
    assert_ptr_equal(e->program.at, section + 24 + 28 * i + 17);
    assert_int_equal(e->program.end - e->program.at, 11);
    assert_int_equal(e->common.data_factor, -8);
    assert_int_equal(e->common.return_register, 16);
    assert_false(e->common.signal);
  }
}

/* Whole entries are found; half ones are refused. */
static void
survives_a_cut_anywhere(void **state)
{
  static const size_t ends[] = {0, 24, 52, 80, 108, sizeof section};
  (void)state;
  for (size_t size = 0; size <= sizeof section; size++) {
    struct found all;
    uint8_t *copy = malloc(size != 0 ? size : 1); /* ASan sees its end */
    struct frame_section s = of(copy, size);
    size_t whole = 0;
    bool at_end = false;
    assert_non_null(copy);
    memcpy(copy, section, size);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
      whole += i >= 2 && i <= 4 && size >= ends[i];
      at_end = at_end || size == ends[i];
    }
    assert_int_equal(find_all(&s, &all), at_end);
    assert_int_equal(all.count, whole);
    free(copy);
  }
}

/* Any byte may be wrong: no read goes beyond the end. */
static void
survives_wrong_bytes(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof section; i++)
    for (unsigned value = 0; value < 256; value += 5) {
      struct found all;
      uint8_t *copy = malloc(sizeof section);
      struct frame_section s = of(copy, sizeof section);
      assert_non_null(copy);
      memcpy(copy, section, sizeof section);
      copy[i] = (uint8_t)value;
      find_all(&s, &all);
      free(copy);
    }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_functions),
      cmocka_unit_test(survives_a_cut_anywhere),
      cmocka_unit_test(survives_wrong_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
