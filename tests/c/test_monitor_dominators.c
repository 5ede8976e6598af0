/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_dominators.c -- small heaps at random: what dominates an object
 * is what it can no longer be reached without, tried out one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "holders/dominators.h"
#include "holders/search.h"

enum { MOST = 24, HEAPS = 4000, WORDS = 8 };

/* Objects are numbered as the heap has them; 0 stands for all roots. */
struct sketch {
  uint32_t count; /* of objects that are no roots, the first ones */
  uint32_t roots;
  enum root_kind kinds[MOST];   /* of roots */
  bool edges[MOST][MOST];       /* also from roots, which come behind */
};

static uint64_t memory[MOST][WORDS]; /* that look like no objects of Lisp */
static uint32_t seed;

static uint32_t
below(uint32_t limit)
{
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % limit;
}

static struct sketch
draw(void)
{
  static const enum root_kind kinds[] = {ROOT_SYMBOL, ROOT_DATA, ROOT_STACK};
  struct sketch s = {.count = 1 + below(12), .roots = 1 + below(5)};
  const uint32_t chance = 1 + below(40);
  for (uint32_t i = 0; i < s.roots; i++)
    s.kinds[i] = kinds[below(3)];
  for (uint32_t i = 1; i <= s.count + s.roots; i++)
    for (uint32_t j = 1; j <= s.count; j++)
      s.edges[i][j] = below(100) < chance;
  return s;
}

/* The last root is the one for what no other reaches. */
static void
build(const struct sketch *s, struct heap *heap, struct roots *roots)
{
  const uint32_t all = s->count + s->roots + 1;
  assert_int_equal(arena_reserve(&roots->roots, MOST * sizeof(struct root)),
                   0);
  for (uint32_t i = 1; i <= all; i++)
    assert_int_equal(heap_add(heap, (uintptr_t)memory[i]), i);
  for (uint32_t i = s->count + 1; i <= all; i++) {
    heap_object(heap, i)->flags |= HEAP_ROOT;
    *roots_get(roots, roots->count++) = (struct root){
        .kind = i == all ? ROOT_OTHER : s->kinds[i - s->count - 1],
        .object = i};
  }
  for (uint32_t i = 1; i <= all; i++) {
    heap_begin_references(heap, i);
    for (uint32_t j = 1; i < all && j <= s->count; j++)
      if (s->edges[i][j])
        heap_refer(heap, (uintptr_t)memory[j]);
  }
  heap_begin_references(heap, all + 1);
}

/* Mark what can be reached from roots of `level' and is not in `before',
 * without going through `without'. */
static void
reach(const struct sketch *s, enum root_level level, const bool *before,
      uint32_t without, bool *reached)
{
  bool more = true;
  for (uint32_t i = 0; i < s->roots; i++)
    if (root_level(&(struct root){.kind = s->kinds[i]}) == level &&
        s->count + 1 + i != without)
      reached[s->count + 1 + i] = true;
  while (more) {
    more = false;
    for (uint32_t i = 1; i <= s->count + s->roots; i++)
      for (uint32_t j = 1; j <= s->count; j++)
        if (reached[i] && s->edges[i][j] && !reached[j] && !before[j] &&
            j != without)
          reached[j] = more = true;
  }
}

static bool
dominates(const struct search *search, const uint32_t *dominators, uint32_t u,
          uint32_t v)
{
  const uint32_t *const objects = search->objects.base;
  uint32_t node = 1;
  while (objects[node] != v)
    node++;
  while (objects[node] != u && node != 0)
    node = dominators[node];
  return node != 0;
}

static void
check(const struct sketch *s, const struct search *search,
      const uint32_t *dominators)
{
  bool before[MOST] = {false};
  for (int level = 0; level < LEVEL_OTHER; level++) {
    bool all[MOST] = {false};
    reach(s, (enum root_level)level, before, 0, all);
    for (uint32_t u = 1; u <= s->count + s->roots; u++) {
      bool rest[MOST] = {false};
      reach(s, (enum root_level)level, before, u, rest);
      for (uint32_t v = 1; v <= s->count + s->roots; v++)
        if (all[v] &&
            dominates(search, dominators, u, v) != (u == v || !rest[v]))
          fail_msg("%u and %u of %u objects and %u roots", u, v, s->count,
                   s->roots);
    }
    for (uint32_t v = 1; v < MOST; v++)
      before[v] |= all[v];
  }
  for (uint32_t v = 1; v <= s->count; v++)
    assert_int_equal(dominates(search, dominators, s->count + s->roots + 1, v),
                     !before[v]);
}

static void
as_when_one_is_taken_away(void **state)
{
  (void)state;
  for (uint32_t i = 1; i <= HEAPS; i++) {
    struct heap heap = {0};
    struct roots roots = {0};
    struct search search = {0};
    struct arena dominators = {0};
    struct sketch s;
    seed = i;
    s = draw();
    build(&s, &heap, &roots);
    assert_true(search_run(&search, &heap, &roots));
    assert_int_equal(search.count, s.count + s.roots + 2);
    assert_true(dominators_find(search.count, search.parents.base,
                                search.first.base, search.predecessors.base,
                                &dominators));
    check(&s, &search, dominators.base);
    arena_release(&dominators);
    search_release(&search);
    heap_release(&heap);
    roots_release(&roots);
  }
}

/* A list so long that no function may call itself for each cons. */
static void
a_long_list(void **state)
{
  enum { LENGTH = 3000000 };
  struct arena words = {0}, dominators = {0};
  struct heap heap = {0};
  struct roots roots = {0};
  struct search search = {0};
  uint64_t *word;
  (void)state;
  assert_int_equal(arena_reserve(&words, (LENGTH + 3) * 2 * sizeof *word), 0);
  assert_int_equal(arena_reserve(&roots.roots, 2 * sizeof(struct root)), 0);
  word = words.base;
  for (uint32_t i = 1; i <= LENGTH + 2; i++)
    heap_add(&heap, (uintptr_t)&word[2 * i]);
  for (uint32_t i = 0; i < 2; i++) {
    heap_object(&heap, LENGTH + 1 + i)->flags |= HEAP_ROOT;
    *roots_get(&roots, roots.count++) =
        (struct root){.kind = i == 0 ? ROOT_SYMBOL : ROOT_OTHER,
                      .object = LENGTH + 1 + i};
  }
  for (uint32_t i = 1; i <= LENGTH + 3; i++) {
    heap_begin_references(&heap, i);
    if (i < LENGTH)
      heap_refer(&heap, (uintptr_t)&word[2 * (i + 1)] | 1);
    else if (i == LENGTH + 1)
      heap_refer(&heap, (uintptr_t)&word[2] | 1);
  }
  assert_true(search_run(&search, &heap, &roots));
  assert_true(dominators_find(search.count, search.parents.base,
                              search.first.base, search.predecessors.base,
                              &dominators));
  for (uint32_t i = 2; i <= LENGTH + 1; i++)
    assert_int_equal(((const uint32_t *)dominators.base)[i], i - 1);
  assert_true((heap_object(&heap, LENGTH)->flags & HEAP_CONS) != 0);
  arena_release(&words);
  arena_release(&dominators);
  search_release(&search);
  heap_release(&heap);
  roots_release(&roots);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_when_one_is_taken_away),
      cmocka_unit_test(a_long_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
