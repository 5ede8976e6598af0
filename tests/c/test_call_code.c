/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What calls in machine code of x86-64 say: instructions as GCC writes them
 * for compiled Lisp. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "base/call_code.h"

/* Bytes before and behind, which are looked at, too. */
enum { MARGIN = 128 };

struct code {
  uint8_t bytes[3 * MARGIN];
  uint8_t *end;
};

static void
begin(struct code *c)
{
  memset(c->bytes, 0x90, sizeof c->bytes);
  c->end = c->bytes + MARGIN;
}

static uintptr_t
here(const struct code *c)
{
  return (uintptr_t)c->end;
}

static void
put(struct code *c, const char *bytes, size_t count)
{
  memcpy(c->end, bytes, count);
  c->end += count;
}
#define PUT(c, text) put(c, text, sizeof(text) - 1)

static void
calls_of_places(void **state)
{
  struct code c;
  (void)state;
  begin(&c);
  PUT(&c, "\xe8\x10\x00\x00\x00"); /* call .+16 */
  assert_true(arch_call_target(here(&c)) == here(&c) + 16);
  assert_true(arch_call_slot(here(&c)) == 0);
  PUT(&c, "\xff\x15\x20\x00\x00\x00"); /* call *.+32 */
  assert_true(arch_call_slot(here(&c)) == here(&c) + 32);
  assert_true(arch_call_target(here(&c)) == 0);
  PUT(&c, "\x31\xc0\xff\xd2"); /* call *%rdx */
  assert_true(arch_call_target(here(&c)) == 0);
  assert_true(arch_call_slot(here(&c)) == 0);
}

static void
linkage_tables(void **state)
{
  struct code c;
  uintptr_t at;
  (void)state;
  begin(&c);
  at = here(&c);
  PUT(&c, "\xff\x25\x30\x00\x00\x00"); /* jmp *.+48 */
  assert_true(arch_linkage_slot(at) == here(&c) + 48);
  at = here(&c);
  PUT(&c, "\xf3\x0f\x1e\xfa\xf2\xff\x25\x30\x00\x00\x00");
  assert_true(arch_linkage_slot(at) == here(&c) + 48);
  assert_true(arch_linkage_slot(here(&c)) == 0);
}

#define LOAD_TABLE "\x48\x8b\x05\x00\x01\x00\x00" /* mov .+256, %rax */
#define LOAD_ENTRY "\x48\x8b\xb0\x58\x04\x00\x00" /* mov 1112(%rax), %rsi */
#define LOAD_ENVIRONMENT "\x48\x89\xdf"           /* mov %rbx, %rdi */

static void
arguments_from_a_table(void **state)
{
  static const struct {
    const char *text;
    size_t bytes;
    int32_t offset; /* -1: that is none */
  } cases[] = {
#define CASE(text, offset) {text, sizeof(text) - 1, offset}
      CASE(LOAD_ENTRY, 1112),
      CASE(LOAD_ENTRY LOAD_ENVIRONMENT, 1112),
      CASE(LOAD_ENVIRONMENT LOAD_ENTRY, 1112),
      CASE("\x48\x8b\x70\x18", 24), /* mov 24(%rax), %rsi */
      /* another register */
      CASE("\x49\x8b\xb0\x58\x04\x00\x00", -1),
      CASE("\x48\x8b\xb3\x58\x04\x00\x00", -1),
      /* something between: a call, a load of the register, a return */
      CASE("\xe8\x00\x00\x00\x00" LOAD_ENTRY, -1),
      CASE("\x48\x8b\x40\x08" LOAD_ENTRY, -1),
      CASE("\xc3" LOAD_ENTRY, -1),
      /* the argument is not loaded last */
      CASE(LOAD_ENTRY "\x48\x89\xee", -1),
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct code c;
    int32_t offset;
    uintptr_t start, slot, found;
    begin(&c);
    start = here(&c);
    PUT(&c, LOAD_TABLE);
    slot = here(&c) + 256;
    put(&c, cases[i].text, cases[i].bytes);
    found = arch_table_argument(here(&c), start, &offset);
    if (found != (cases[i].offset < 0 ? 0 : slot))
      fail_msg("case %zu", i);
    if (found != 0)
      assert_int_equal(offset, cases[i].offset);
  }
}

/* The table is loaded once for two arms. */
static void
arguments_behind_a_jump(void **state)
{
  struct code c;
  int32_t offset;
  uintptr_t start, slot;
  (void)state;
  begin(&c);
  start = here(&c);
  PUT(&c, LOAD_TABLE);
  slot = here(&c) + 256;
  PUT(&c, "\x75\x0d"); /* jne .+13 */
  PUT(&c, LOAD_ENTRY "\xe8\x00\x00\x00\x00\xc3");
  PUT(&c, "\x48\x8b\xb0\x60\x04\x00\x00");
  assert_true(arch_table_argument(here(&c), start, &offset) == slot);
  assert_int_equal(offset, 0x460);
  /* no other jump */
  c.bytes[MARGIN + 8] = 0x0c;
  assert_true(arch_table_argument(here(&c), start, &offset) == 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_of_places),
      cmocka_unit_test(linkage_tables),
      cmocka_unit_test(arguments_from_a_table),
      cmocka_unit_test(arguments_behind_a_jump),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
