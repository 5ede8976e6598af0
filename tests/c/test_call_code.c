/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What calls in machine code say: instructions as GCC writes them for
 * compiled Lisp. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "attempting.h"

/* Bytes before and behind, which are looked at, too. */
enum { MARGIN = 128 };

struct code {
  _Alignas(4096) uint8_t bytes[3 * MARGIN];
  uint8_t *end;
};

#ifdef __aarch64__

/* ADRP has the distance in pages, of 4096 bytes, and all code here is in one
 * page. */
#define NOTHING "\x1f\x20\x03\xd5"
#define CALL "\x04\x00\x00\x94" /* bl .+16 */
#define CALL_FROM 4
#define CALL_OF_SLOT                                                         \
  "\x02\x00\x00\xb0" /* adrp x2, the next page */                            \
  "\x42\x10\x40\xf9" /* ldr x2, [x2, 32] */                                  \
  "\x40\x00\x3f\xd6" /* blr x2 */
#define SLOT(code) (((uintptr_t)(code)->bytes + 4096) + 32)
#define CALL_OF_REGISTER "\xe2\x03\x00\xaa\x40\x00\x3f\xd6" /* mov; blr x2   \
                                                             */
#define LINKAGE                                                              \
  "\x10\x00\x00\xb0" /* adrp x16, the next page */                           \
  "\x11\x12\x40\xf9" /* ldr x17, [x16, 32] */                                \
  "\x10\x82\x00\x91" /* add x16, x16, 32 */                                  \
  "\x20\x02\x1f\xd6" /* br x17 */
#define LINKAGE_MARKED "\x5f\x24\x03\xd5" LINKAGE /* bti c */
#define LOAD_TABLE                                                           \
  "\x15\x00\x00\xb0"                        /* adrp x21, the next page */    \
  "\xa0\x12\x40\xf9"                        /* ldr x0, [x21, 32] */
#define LOAD_ENTRY "\x01\x2c\x42\xf9"       /* ldr x1, [x0, 1112] */
#define LOAD_ENVIRONMENT "\xe0\x03\x14\xaa" /* mov x0, x20 */
#define ANOTHER_TABLE "\x61\x2e\x42\xf9"    /* ldr x1, [x19, 1112] */
#define ANOTHER_REGISTER "\xe0\x03\x01\xaa" /* mov x0, x1 */
#define OTHER_TABLE "\x00\x04\x40\xf9"      /* ldr x0, [x0, 8] */
#define OTHER_ARGUMENT "\xe1\x03\x15\xaa"   /* mov x1, x21 */
#define RETURN "\xc0\x03\x5f\xd6"
#define OVER_ENTRY_CALL_AND_RETURN "\x80\x00\x00\x54" /* b.eq .+16 */
#define OVER_AT 0
#define OVER_LESS 0x60                  /* .+12 */
#define SECOND_ENTRY "\x01\x30\x42\xf9" /* ldr x1, [x0, 1120] */

#else

#define NOTHING "\x90\x90\x90\x90"
#define CALL "\xe8\x10\x00\x00\x00" /* call .+16 */
#define CALL_FROM 0
#define CALL_OF_SLOT "\xff\x15\x20\x00\x00\x00" /* call *.+32 */
#define SLOT(code) (here(code) + 32)
#define CALL_OF_REGISTER "\x31\xc0\xff\xd2" /* xor; call *%rdx */
#define LINKAGE "\xff\x25\x20\x00\x00\x00"  /* jmp *.+32 */
#define LINKAGE_MARKED "\xf3\x0f\x1e\xfa\xf2" LINKAGE
#define LOAD_TABLE "\x48\x8b\x05\x20\x00\x00\x00" /* mov .+32, %rax */
#define LOAD_ENTRY "\x48\x8b\xb0\x58\x04\x00\x00" /* mov 1112(%rax), %rsi */
#define LOAD_ENVIRONMENT "\x48\x89\xdf"           /* mov %rbx, %rdi */
#define ANOTHER_TABLE "\x48\x8b\xb3\x58\x04\x00\x00"
#define ANOTHER_REGISTER "\x49\x8b\xb0\x58\x04\x00\x00"
#define OTHER_TABLE "\x48\x8b\x40\x08"
#define OTHER_ARGUMENT "\x48\x89\xee"
#define RETURN "\xc3"
#define OVER_ENTRY_CALL_AND_RETURN "\x75\x0d" /* jne .+13 */
#define OVER_AT 1
#define OVER_LESS 0x0c
#define SECOND_ENTRY "\x48\x8b\xb0\x60\x04\x00\x00"

#endif

static void
begin(struct code *c)
{
  for (size_t i = 0; i < sizeof c->bytes; i += 4)
    memcpy(c->bytes + i, NOTHING, 4);
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
  PUT(&c, CALL);
  assert_true(arch_call_target(here(&c)) == here(&c) - CALL_FROM + 16);
  assert_true(arch_call_slot(here(&c)) == 0);
  PUT(&c, CALL_OF_SLOT);
  assert_true(arch_call_slot(here(&c)) == SLOT(&c));
  assert_true(arch_call_target(here(&c)) == 0);
  PUT(&c, CALL_OF_REGISTER);
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
  PUT(&c, LINKAGE);
  assert_true(arch_linkage_slot(at) == SLOT(&c));
  at = here(&c);
  PUT(&c, LINKAGE_MARKED);
  assert_true(arch_linkage_slot(at) == SLOT(&c));
  assert_true(arch_linkage_slot(here(&c)) == 0);
}

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
#ifndef __aarch64__ /* there the environment takes the register */
      CASE(LOAD_ENVIRONMENT LOAD_ENTRY, 1112),
      CASE("\x48\x8b\x70\x18", 24), /* mov 24(%rax), %rsi */
#endif
      CASE(ANOTHER_REGISTER, -1),
      CASE(ANOTHER_TABLE, -1),
      /* something between: a call, a load of the register, a return */
      CASE(CALL LOAD_ENTRY, -1),
      CASE(OTHER_TABLE LOAD_ENTRY, -1),
      CASE(RETURN LOAD_ENTRY, -1),
      /* the argument is not loaded last */
      CASE(LOAD_ENTRY OTHER_ARGUMENT, -1),
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct code c;
    int32_t offset;
    uintptr_t start, slot, found;
    begin(&c);
    start = here(&c);
    PUT(&c, LOAD_TABLE);
    slot = SLOT(&c);
    put(&c, cases[i].text, cases[i].bytes);
    PUT(&c, CALL);
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
  slot = SLOT(&c);
  uint8_t *const jump = c.end;
  PUT(&c, OVER_ENTRY_CALL_AND_RETURN);
  PUT(&c, LOAD_ENTRY CALL RETURN);
  PUT(&c, SECOND_ENTRY CALL);
  assert_true(arch_table_argument(here(&c), start, &offset) == slot);
  assert_int_equal(offset, 0x460);
  /* no other jump */
  jump[OVER_AT] = OVER_LESS;
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
