/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * loops.c -- C code that uses the frame pointer register for anything, and
 * calls each of ECL's allocators in a loop: alone, in a callback of qsort,
 * called by Lisp, in recursion, and all this in threads.  Called with the
 * name of the profile to write.
 */
#define GC_NO_THREAD_REDIRECTS /* ECL registers threads */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <ecl/ecl.h>

#define NOINLINE __attribute__((noinline))

enum { TIMES = 20 };

static volatile cl_object kept;
static struct {
  cl_object make_widget, thing, make_two, call, from_lisp;
} lisp;
static void (*callback)(void); /* of Lisp */

/* Calls FUNCTION with ARGUMENT and with VALUE in the frame pointer register.
 */
void with_pointer(uintptr_t value, void (*function)(void *), void *argument);
#if defined __x86_64__
__asm__(".text\n"
        ".type with_pointer, @function\n"
        "with_pointer:\n"
        ".cfi_startproc\n"
        "push %rbp\n"
        ".cfi_adjust_cfa_offset 8\n"
        ".cfi_rel_offset %rbp, 0\n"
        "mov %rdi, %rbp\n"
        "mov %rdx, %rdi\n"
        "call *%rsi\n"
        "pop %rbp\n"
        ".cfi_adjust_cfa_offset -8\n"
        ".cfi_restore %rbp\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size with_pointer, . - with_pointer\n");
#elif defined __aarch64__
__asm__(".text\n"
        ".type with_pointer, @function\n"
        "with_pointer:\n"
        ".cfi_startproc\n"
        "stp x29, x30, [sp, -16]!\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset 29, -16\n"
        ".cfi_offset 30, -8\n"
        "mov x29, x0\n"
        "mov x0, x2\n"
        "blr x1\n"
        "ldp x29, x30, [sp], 16\n"
        ".cfi_restore 30\n"
        ".cfi_restore 29\n"
        ".cfi_def_cfa_offset 0\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size with_pointer, . - with_pointer\n");
#endif

/* ---- allocators, each in a loop of its own ---- */

#define LOOP(name, expression)                                               \
  static NOINLINE void name(void)                                            \
  {                                                                          \
    for (int i = 0; i < TIMES; i++)                                          \
      kept = (expression);                                                   \
  }

static cl_object
fixed(void)
{
  return ECL_NIL;
}

LOOP(conses, ecl_cons(ECL_T, ECL_NIL))
LOOP(lists_of_one, ecl_list1(ECL_T))
LOOP(lists, cl_list(3, ECL_T, ECL_T, ECL_T))
LOOP(lists_with_tail, cl_listX(3, ECL_T, ECL_T, ECL_NIL))
LOOP(conses_by_name, cl_cons(ECL_T, ECL_T))
LOOP(vectors, ecl_alloc_simple_vector(4, ecl_aet_object))
LOOP(bits, ecl_alloc_simple_vector(99, ecl_aet_bit))
LOOP(vectors_by_name, cl_vector(2, ECL_T, ECL_T))
LOOP(arrays, cl_make_array(1, ecl_make_fixnum(5)))
LOOP(strings, ecl_alloc_simple_base_string(9))
LOOP(string_copies, ecl_make_simple_base_string("copied", -1))
LOOP(strings_by_name, cl_make_string(1, ecl_make_fixnum(7)))
LOOP(doubles, ecl_make_double_float(1.5))
LOOP(bignums, ecl_make_integer(MOST_NEGATIVE_FIXNUM - 1L))
LOOP(sums,
     ecl_plus(ecl_make_fixnum(MOST_POSITIVE_FIXNUM), ecl_make_fixnum(1)))
LOOP(ratios, ecl_make_ratio(ecl_make_fixnum(1), ecl_make_fixnum(3)))
LOOP(complexes, ecl_make_complex(ecl_make_fixnum(1), ecl_make_fixnum(3)))
LOOP(instances, ecl_allocate_instance(lisp.thing, 2))
LOOP(structures, cl_funcall(1, lisp.make_widget))
LOOP(functions, ecl_make_cfun((cl_objectfn_fixed)fixed, ECL_NIL, ECL_NIL, 0))
LOOP(closures, ecl_make_cclosure_va((cl_objectfn)fixed, ECL_NIL, ECL_NIL, 0))
LOOP(symbols, cl_make_symbol(ecl_symbol_name(ECL_T)))
LOOP(tables, cl_make_hash_table(0))
LOOP(foreign, ecl_make_foreign_data(ECL_NIL, 0, NULL))
LOOP(memory, (ecl_alloc(40), ECL_NIL))
LOOP(atomic_memory, (ecl_alloc_atomic(40), ECL_NIL))
LOOP(lisp_calls, cl_funcall(2, lisp.make_two, ecl_make_fixnum(2)))
LOOP(callbacks, (callback(), ECL_NIL))

static NOINLINE void
all_loops(void)
{
  static void (*const loops[])(void) = {
      conses, lists_of_one, lists, lists_with_tail, conses_by_name, vectors,
      bits, vectors_by_name, arrays, strings, string_copies, strings_by_name,
      doubles, bignums, sums, ratios, complexes, instances, structures,
      functions, closures, symbols, tables, foreign, memory, atomic_memory,
      lisp_calls, callbacks};
  for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
    loops[i]();
  kept = ECL_NIL;
}

/* ---- ways to get there ---- */

static NOINLINE void
alone(void *unused)
{
  (void)unused;
  all_loops();
  kept = ECL_NIL;
}

static int
compare(const void *a, const void *b)
{
  all_loops();
  return *(const int *)a - *(const int *)b;
}

static NOINLINE void
sorted(void *unused)
{
  int numbers[] = {2, 1};
  (void)unused;
  qsort(numbers, 2, sizeof *numbers, compare);
  kept = ECL_NIL;
}

/* Called by Lisp, and directly. */
static NOINLINE cl_object
from_lisp(void *unused)
{
  (void)unused;
  all_loops();
  return ECL_NIL;
}

static NOINLINE void
called(void *unused)
{
  (void)unused;
  kept = cl_funcall(2, lisp.call, lisp.from_lisp);
}

static NOINLINE void
recursive(void *depth)
{
  all_loops();
  if (depth != NULL)
    recursive((char *)depth - 1);
  kept = ECL_NIL;
}

static void
each_way(uintptr_t pointer)
{
  with_pointer(pointer, alone, NULL);
  with_pointer(pointer, sorted, NULL);
  with_pointer(pointer, called, NULL);
  with_pointer(pointer, (void (*)(void *))from_lisp, NULL);
  with_pointer(pointer, recursive, (void *)2);
}

/* ---- what is in the register ---- */

static void
each_pointer(void)
{
  static uintptr_t words[64];
  uintptr_t here[2] = {0};
  char *const unmapped =
      mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const uintptr_t pointers[] = {0,
                                1,
                                2,
                                8,
                                4095,
                                (uintptr_t)unmapped,
                                (uintptr_t)words,
                                (uintptr_t)words + 3,
                                (uintptr_t)here,
                                (uintptr_t)here - 200,
                                (uintptr_t)here + 1,
                                (uintptr_t)1 << 48,
                                (uintptr_t)1 << 63,
                                UINTPTR_MAX};
  for (int i = 0; i < 64; i++)
    words[i] = (uintptr_t)&words[63 - i];
  for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++)
    each_way(pointers[i]);
  munmap(unmapped, 4096);
}

static void *
thread(void *unused)
{
  (void)unused;
  ecl_import_current_thread(ECL_NIL, ECL_NIL);
  each_pointer();
  ecl_release_current_thread();
  return NULL;
}

static cl_object
evaluate(const char *form)
{
  return cl_eval(ecl_read_from_cstring(form));
}

int
main(int argc, char **argv)
{
  pthread_t threads[2];
  if (argc != 2)
    return 2;
  cl_boot(1, argv);
  ecl_register_root(&lisp.make_widget);
  ecl_register_root(&lisp.thing);
  ecl_register_root(&lisp.make_two);
  ecl_register_root(&lisp.call);
  ecl_register_root(&lisp.from_lisp);
  evaluate("(require :mprof)");
  evaluate("(load \"loops.fas\")");
  lisp.make_widget = evaluate("#'make-widget");
  lisp.thing = evaluate("(find-class 'thing)");
  lisp.make_two = evaluate("#'make-two");
  lisp.call = evaluate("#'call");
  lisp.from_lisp =
      ecl_make_cfun((cl_objectfn_fixed)from_lisp, ECL_NIL, ECL_NIL, 1);
  callback = (void (*)(void))(uintptr_t)ecl_foreign_data_pointer_safe(
      evaluate("(ffi:callback 'call-back)"));
  evaluate("(mprof:start)");
  each_pointer();
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, thread, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  evaluate("(mprof:stop)");
  cl_funcall(2, ecl_read_from_cstring("mprof:save"),
             ecl_make_simple_base_string(argv[1], -1));
  cl_shutdown();
  return 0;
}
