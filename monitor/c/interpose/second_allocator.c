/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * second_allocator.c -- an allocator that a shared library has beside malloc,
 * under names with a prefix, such as mi_malloc or je_malloc.
 *
 * Its symbols lead to the functions here, as do the slots of files that have
 * bound them (rebind.c).  So nothing changes in a process without one, and a
 * program that looks whether it has one finds what it found.  What a program
 * has linked into itself is bound by the linker, and not seen here.
 *
 * Its objects are in a table.  But where its library also replaces malloc, it
 * is asked to free and resize objects of malloc, which have marks. */
#include <link.h>
#include <stdio.h>

#include "c/count/thread.h"
#include "c/interpose/interposed.h"
#include "c/interpose/objects.h"
#include "c/interpose/real_allocator.h"
#include "code/file_symbols.h"
#include "common/pprof_format.h"
#include "common/second_allocators.h"
#include "image/image.h"

/* What a function does with its arguments, of which it has three at most; it
 * is called with three in any case. */
enum shape {
  MAKES_FIRST,   /* an object of as many bytes as the first one says */
  MAKES_SECOND,  /* or the second one */
  MAKES_PRODUCT, /* or both multiplied */
  STORES,        /* posix_memalign */
  RESIZES,       /* the first one, to as many bytes as the second one says */
  RESIZES_PRODUCT, /* or the second one by the third one */
  FREES,           /* the first one */
  MEASURES         /* the bytes that the first one can use */
};

/* clang-format off */
#define FUNCTIONS(each)                                                      \
  each(malloc, MAKES_FIRST) each(calloc, MAKES_PRODUCT)                      \
  each(realloc, RESIZES) each(reallocarray, RESIZES_PRODUCT)                 \
  each(free, FREES) each(cfree, FREES) each(free_sized, FREES)               \
  each(valloc, MAKES_FIRST) each(pvalloc, MAKES_FIRST)                       \
  each(memalign, MAKES_SECOND) each(aligned_alloc, MAKES_SECOND)             \
  each(posix_memalign, STORES) each(malloc_usable_size, MEASURES)            \
  /* of jemalloc */                                                          \
  each(mallocx, MAKES_FIRST) each(rallocx, RESIZES)                          \
  each(dallocx, FREES) each(sdallocx, FREES)                                 \
  /* of mimalloc, tcmalloc and TBB */                                        \
  each(zalloc, MAKES_FIRST) each(malloc_small, MAKES_FIRST)                  \
  each(zalloc_small, MAKES_FIRST) each(mallocn, MAKES_PRODUCT)               \
  each(reallocn, RESIZES_PRODUCT) each(usable_size, MEASURES)                \
  each(malloc_aligned, MAKES_FIRST) each(zalloc_aligned, MAKES_FIRST)        \
  each(realloc_aligned, RESIZES) each(free_aligned, FREES)                   \
  each(free_size, FREES) each(free_size_aligned, FREES)                      \
  each(new, MAKES_FIRST) each(new_nothrow, MAKES_FIRST)                      \
  each(new_n, MAKES_PRODUCT) each(new_aligned, MAKES_FIRST)                  \
  each(newarray, MAKES_FIRST) each(delete, FREES) each(deletearray, FREES)   \
  each(aligned_malloc, MAKES_FIRST) each(aligned_realloc, RESIZES)           \
  each(aligned_free, FREES)
/* clang-format on */

enum {
#define NUMBER_OF(name, shape) NUMBER_##name,
  FUNCTIONS(NUMBER_OF) COUNT,
  NAME_BYTES_MOST = 40
};

_Static_assert(COUNT == (int)SECOND_FUNCTIONS, "each has its place");

typedef uintptr_t real_function_of(uintptr_t, uintptr_t, uintptr_t);

/* ---- calls ---- */

/* Returns SIZE_MAX, which each allocator refuses, for what is more. */
static size_t
product(size_t count, size_t size)
{
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

/* Forgets the object as objects_unregister does. */
static void
unregister(void *object, struct object_record *taken)
{
  if (real.second_is_malloc)
    objects_unregister(object, taken);
  else
    objects_unregister_bare(object, taken);
}

/* Resizes the object as interposed_realloc does. */
static uintptr_t
resize(real_function_of *resizer, void *object, size_t bytes, bool is_product,
       uintptr_t last, const uintptr_t *frame)
{
  const uintptr_t address = (uintptr_t)object;
  struct object_record taken;
  unregister(object, &taken);
  void *const result = (void *)(is_product ? resizer(address, 1, bytes)
                                           : resizer(address, bytes, last));
  if (result == NULL && bytes != 0) {
    objects_restore(&taken);
    this_thread.inside--;
    return 0;
  }
  objects_count_free(&taken);
  return (uintptr_t)objects_register_bare(result, bytes, frame);
}

static uintptr_t
release(real_function_of *releaser, void *object, uintptr_t b, uintptr_t c)
{
  struct object_record taken;
  unregister(object, &taken);
  objects_count_free(&taken);
  const uintptr_t result = releaser((uintptr_t)object, b, c);
  this_thread.inside--;
  return result;
}

static uintptr_t
measure(real_function_of *measurer, void *object)
{
  const uint64_t *const mark =
      real.second_is_malloc ? object_mark_find(object) : NULL;
  this_thread.inside--;
  return mark != NULL ? (uintptr_t)mark - (uintptr_t)object
                      : measurer((uintptr_t)object, 0, 0);
}

/* Calls the real function, and counts as its shape says; not if the call is
 * the end of another function of the allocator (a jump), called from here.
 */
static __attribute__((noinline)) uintptr_t
call(int number, enum shape shape, uintptr_t a, uintptr_t b, uintptr_t c,
     const uintptr_t *frame)
{
  real_function_of *const function = real.second[number];
  void *const object = (void *)a;
  const size_t bytes = shape == MAKES_FIRST       ? a
                       : shape == MAKES_PRODUCT   ? product(a, b)
                       : shape == RESIZES_PRODUCT ? product(b, c)
                       : shape == STORES          ? c
                                                  : b;
  if (!real_allocator_found() || (shape >= FREES && a == 0) ||
      is_own_code(frame[1]))
    return function(a, b, c);
  this_thread.inside++;
  if (!is_program_call())
    thread_recover(frame);
  if (shape == FREES)
    return release(function, object, b, c);
  if (shape == MEASURES)
    return measure(function, object);
  if (shape >= RESIZES && a != 0)
    return resize(function, object, bytes, shape == RESIZES_PRODUCT, c,
                  frame);
  const uintptr_t result = function(a, b, c);
  void *made = (void *)result;
  if (shape == STORES)
    made = (int)result == 0 ? *(void **)object : NULL;
  objects_register_bare(made, bytes, frame);
  return result;
}

#define DEFINE(name, shape)                                                  \
  static uintptr_t second_##name(uintptr_t a, uintptr_t b, uintptr_t c)      \
  {                                                                          \
    return call(NUMBER_##name, shape, a, b, c, FRAME);                       \
  }
FUNCTIONS(DEFINE)

/* ---- which one ---- */

static const char *const prefixes[] = {SECOND_ALLOCATORS};

/* Sets the functions with PREFIX that FILE has, and their NAMES.  Returns
 * false if it has no malloc of that sort. */
static bool
find_functions(const struct file_symbols *file, const char *prefix,
               struct interposed_function *functions,
               char names[][NAME_BYTES_MOST])
{
  for (int i = 0; i < COUNT; i++) {
    snprintf(names[i], NAME_BYTES_MOST, "%s%s", prefix, functions[i].name);
    const ElfW(Sym) *found = file_symbol(file, names[i], 0, NULL);
    if (found != NULL)
      real.second[i] = (real_function_of *)(file->base + found->st_value);
    else if (i == 0)
      return false;
  }
  for (int i = 0; i < COUNT; i++)
    functions[i].name = names[i];
  return true;
}

/* Looks through the libraries, which are behind the program. */
void
second_allocator_bind(void)
{
#define ROW_OF(name, shape) {#name, &real.second[NUMBER_##name], second_##name},
  struct interposed_function functions[COUNT + 1] = {
      FUNCTIONS(ROW_OF){.real = NULL}};
  struct file_symbols file;
  char names[COUNT][NAME_BYTES_MOST];
  for (const struct link_map *map = _r_debug.r_map->l_next;
       map != NULL && real.second[0] == NULL; map = map->l_next)
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
      if (file_symbols_of(map->l_ld, &file) &&
          find_functions(&file, prefixes[i], functions, names)) {
        real.second_is_malloc = real_is_of(map->l_ld);
        note_comment(NULL, PPROF_COMMENT_COUNTED, "%s", names[0]);
        rebind_symbols(functions, false);
        rebind_slots(functions, false);
        return;
      }
}
