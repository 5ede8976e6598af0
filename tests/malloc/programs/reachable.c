/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reachable.c -- objects of known sizes, and where their addresses are in the
 * end: in one place each, or nowhere.  Compiled with LIBRARY it is a library
 * that has some.
 */
#include "hidden.h"

#ifdef LIBRARY
static void *volatile there;
static __thread void *volatile there_of_thread;

void
keep(uintptr_t hidden, uintptr_t hidden_of_thread)
{
  there = (void *)(hidden ^ MASK);
  there_of_thread = (void *)(hidden_of_thread ^ MASK);
}
#else

#include "c/interpose/object_mark.h"
#include "cases.h"

static void *volatile global, *volatile other;
static volatile uintptr_t hidden;
static __thread void *volatile of_thread;

/* A list, the last one first; the hidden address of the head. */
static ALONE uintptr_t
hide_list(int n, size_t bytes)
{
  void *list = NULL;
  while (n-- > 0) {
    void **head = calloc(1, bytes);
    *head = list;
    list = head;
  }
  return (uintptr_t)list ^ MASK;
}

CASE(nothing) {}
CASE(global) { global = SHOW(hide(1001)); }
CASE(lost) { hide(1001); }
CASE(hidden) { hidden = hide(1001); }
CASE(thread_variable) { of_thread = SHOW(hide(1001)); }

CASE(local)
{
  static void *volatile local;
  local = SHOW(hide(1001));
}

CASE(chain)
{
  global = SHOW(hide_list(2, 1001));
  ((void ***)global)[0][1] = SHOW(hide(1002));
}

CASE(list) { global = SHOW(hide_list(5, 1001)); }
CASE(lost_list) { hide_list(5, 1001); }
CASE(long_list) { global = SHOW(hide_list(300000, 24)); }
CASE(lost_long_list) { hide_list(300000, 24); }

/* Two lists that have the same end; each is lost by itself. */
CASE(shared)
{
  const uintptr_t end = hide_list(3, 1001);
  *(void **)SHOW(hide(1002)) = SHOW(end);
  *(void **)SHOW(hide(1002)) = SHOW(end);
}

/* One of them is the head. */
CASE(lost_ring)
{
  void *volatile *const last = calloc(1, 1001);
  void *volatile *next = last;
  for (int i = 0; i < 2; i++, next = *next)
    *next = calloc(1, 1001);
  *next = (void *)last;
}

/* The head is found after what it leads to. */
CASE(tail)
{
  void *volatile *const tail = SHOW(hide_list(4, 1001));
  void *volatile *const head = calloc(1, 1002);
  *head = (void *)tail;
  tail[1] = (void *)tail; /* to itself */
}

CASE(inside)
{
  global = (char *)SHOW(hide(1001)) + 500;
  other = (char *)SHOW(hide(1002)) + 1001;
}

CASE(behind)
{
  global = (char *)SHOW(hide(1001)) + 1001;
  other = (char *)SHOW(hide(1002)) - 1;
}

/* Addresses stand at multiples of eight bytes. */
CASE(packed)
{
  static volatile struct __attribute__((packed)) { int n; void *p; } packed;
  packed.p = SHOW(hide(1001));
}

CASE(empty)
{
  global = SHOW(hide(0));
  hide(0);
}

CASE(aligned)
{
  void *p = NULL;
  posix_memalign(&p, 4096, 1001);
  *(void **)p = aligned_alloc(64, 1024);
  global = p;
  posix_memalign(&p, 256, 1002);
  *(void **)p = NULL;
}

CASE(moved)
{
  global = realloc(SHOW(hide(1001)), 1002);
  (void)realloc(SHOW(hide(1003)), 5004);
}

/* Of these, two bytes in a million are ever touched. */
CASE(large)
{
  char *p = calloc(1, 1 << 28);
  *(void **)(p + (1 << 27)) = SHOW(hide(1001));
  global = p;
}

/* What the allocator knows of free memory beside them is not the program's.
 */
CASE(free_lists)
{
  static uintptr_t many[400];
  for (int i = 0; i < 400; i++)
    many[i] = (uintptr_t)malloc(i < 200 ? 24 : 1032) ^ MASK;
  for (int i = 0; i < 400; i += 2)
    free(SHOW(many[i]));
}

CASE(small)
{
  for (int i = 0; i < 5; i++)
    hide(8);
}

CASE(last) { hide(24); }

/* What would be the mark of another one, if it were at the end of a block. */
CASE(no_mark)
{
  static uint64_t memory[8];
  uint64_t *object = global = SHOW(hide(40));
  const struct counted counted = {
      object_mark_leaf(object[6], (uintptr_t)object),
      object_mark_epoch(object[6], (uintptr_t)object)};
  memory[7] = object_mark((uintptr_t)&memory[1], counted, 40, 8);
}

CASE(mapped)
{
  void **page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *page = SHOW(hide(1001));
}

CASE(library)
{
  void *library = dlopen("./reachable.so", RTLD_NOW);
  void (*keep)(uintptr_t, uintptr_t) =
      (void (*)(uintptr_t, uintptr_t))dlsym(library, "keep");
  keep(hide(1001), hide(1002));
  wipe();
}

/* The frames of the cases are wiped before the end. */
int
main(int argc, char **argv)
{
  int status = run_case(argc, argv);
  wipe();
  return status;
}
#endif
