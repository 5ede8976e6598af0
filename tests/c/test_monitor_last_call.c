/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_last_call.c -- machine code written by hand: what comes after
 * a call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/instruction.h"
#include "last_call.h"

#define RET 0xC3
#define NOP 0x90
#define JNZ(distance) 0x75, (uint8_t)(distance)
#define JMP(distance) 0xEB, (uint8_t)(distance)
#define CALL(distance) 0xE8, (uint8_t)(distance), 0, 0, 0
#define CALL_RAX 0xFF, 0xD0
#define JMP_RAX 0xFF, 0xE0
#define TRAP 0x0F, 0x0B

struct code {
  const uint8_t *bytes;
  size_t size;
};

static uintptr_t
end_of(void *closure, uintptr_t address)
{
  const struct code *code = closure;
  uintptr_t start = (uintptr_t)code->bytes;
  return address >= start && address < start + code->size
             ? start + code->size
             : 0;
}

static void
expect(bool last, const uint8_t *bytes, size_t size)
{
  struct code code = { bytes, size };
  assert_int_equal(last_call_at((uintptr_t)bytes, end_of, &code), last);
}

#define EXPECT(last, ...)                                                    \
  do {                                                                       \
    static const uint8_t bytes[] = { __VA_ARGS__ };                          \
    expect(last, bytes, sizeof bytes);                                       \
  } while (0)

static void
straight_ways(void **state)
{
  (void)state;
  EXPECT(true, RET);
  EXPECT(true, NOP, NOP, 0xC9, RET);
  EXPECT(true, NOP, TRAP);
  EXPECT(false, NOP, CALL_RAX, RET);
  EXPECT(false, NOP, JMP_RAX);
  EXPECT(false, NOP, NOP); /* goes on beyond its end */
  EXPECT(false, 0x06, RET); /* no instruction in this mode */
}

static void
every_way_counts(void **state)
{
  (void)state;
  EXPECT(true, JNZ(1), RET, NOP, RET);
  EXPECT(false, JNZ(1), RET, CALL_RAX, RET);
  EXPECT(false, JNZ(3), CALL_RAX, RET, RET);
  EXPECT(true, JMP(2), CALL_RAX, RET); /* no way leads to the call */
  EXPECT(true, NOP, JNZ(-3), RET);     /* a loop without a call */
  EXPECT(true, NOP, JMP(-3));          /* one without an end */
  EXPECT(false, NOP, CALL_RAX, JNZ(-5), RET);
}

static void
calls_of_code_that_calls_nothing(void **state)
{
  (void)state;
  EXPECT(true, CALL(1), RET, NOP, RET);
  EXPECT(false, CALL(1), RET, CALL_RAX, RET);
  EXPECT(false, CALL(100), RET); /* of what is not known */
}

/* A stub of the linkage table jumps where a word in memory says. */
static void
through_memory(void **state)
{
  static struct {
    uint8_t bytes[16];
    uintptr_t word;
  } code = { .bytes = { 0xFF, 0x25, 10, 0, 0, 0, RET, CALL_RAX, RET } };
  struct instruction i;
  (void)state;
  code.word = (uintptr_t)&code.bytes[6];
  i = arch_instruction((uintptr_t)code.bytes, (uintptr_t)&code.word);
  assert_int_equal(i.kind, INSTRUCTION_JUMP);
  assert_int_equal(i.length, 6);
  assert_true(i.target == code.word);
  expect(true, code.bytes, sizeof code.bytes);
  code.word = (uintptr_t)&code.bytes[7];
  expect(false, code.bytes, sizeof code.bytes);
}

static void
too_long_to_tell(void **state)
{
  static uint8_t bytes[1000];
  (void)state;
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = NOP;
  bytes[200] = RET;
  expect(true, bytes, sizeof bytes);
  bytes[200] = NOP;
  bytes[900] = RET;
  expect(false, bytes, sizeof bytes);
}

struct found {
  uintptr_t addresses[8];
  size_t count;
};

static void
note(void *closure, uintptr_t address)
{
  struct found *found = closure;
  assert_true(found->count < 8);
  found->addresses[found->count++] = address;
}

static void
note_target(void *closure, uintptr_t address, uintptr_t target)
{
  (void)address;
  note(closure, target);
}

static void
note_instruction(void *closure, uintptr_t address, uintptr_t target)
{
  const struct found *code = closure; /* its start; the jumps go to the rest */
  (void)target;
  if (arch_is_jump(code->addresses[0], address))
    note(closure, address);
}

/* What looks like a jump in the midst of an instruction is none. */
static void
jumps_that_are_none(void **state)
{
  static const uint8_t code[] = {
    0xB8, 0xE9, 0, 0, 0, 0x70,    /*  0: mov $0x700000E9, %eax */
    0x48, 0x8D, 0x05, 0x0F, 0x85, /*  6: lea over bytes of a branch */
    0x00, 0x60, 0x0F, 0x84, 0, 0, /*     and a branch at 13 */
    0, 0x60,
    0xF2, 0xE9, 0, 0, 0, 0x60,    /* 19: a jump with a prefix */
    RET
  };
  struct found all = { .count = 0 }, real = { .count = 1 };
  const uintptr_t start = (uintptr_t)code;
  (void)state;
  real.addresses[0] = start;
  arch_jumps_out(start, start + sizeof code, note_target, &all);
  assert_int_equal(all.count, 4);
  arch_jumps_out(start, start + sizeof code, note_instruction, &real);
  assert_int_equal(real.count, 3);
  assert_true(real.addresses[1] == start + 13);
  assert_true(real.addresses[2] == start + 20);
}

static void
searches(void **state)
{
  static const struct {
    uint8_t bytes[40];
    uintptr_t word;
  } code = { .bytes = {
                 CALL(7),                        /*  0: of the stub at 12 */
                 0xFF, 0x15, 29, 0, 0, 0, NOP,   /*  5: through the word */
                 0xF3, 0x0F, 0x1E, 0xFA,         /* 12: endbr64 */
                 0xFF, 0x25, 18, 0, 0, 0,        /* 16: the stub */
                 CALL(1), RET,                   /* 22: of something else */
                 0x0F, 0x85, 100, 0, 0, 0,       /* 28: out */
                 0xE9, 0xDA, 0xFF, 0xFF, 0xFF,   /* 34: to the start */
                 NOP } };
  const uintptr_t start = (uintptr_t)code.bytes;
  struct found calls = { .count = 0 }, jumps = { .count = 0 };
  (void)state;
  arch_calls_through(start, start + 40, (uintptr_t)&code.word, note, &calls);
  assert_int_equal(calls.count, 3);
  assert_true(calls.addresses[0] == start + 5);
  assert_true(calls.addresses[1] == start + 16);
  assert_true(calls.addresses[2] == start);
  arch_jumps_out(start, start + 40, note_target, &jumps);
  assert_int_equal(jumps.count, 1);
  assert_true(jumps.addresses[0] == start + 134);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(straight_ways),
    cmocka_unit_test(every_way_counts),
    cmocka_unit_test(calls_of_code_that_calls_nothing),
    cmocka_unit_test(through_memory),
    cmocka_unit_test(too_long_to_tell),
    cmocka_unit_test(searches),
    cmocka_unit_test(jumps_that_are_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
