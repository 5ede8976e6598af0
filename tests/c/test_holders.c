/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_holders.c -- small heaps at random: what dominates an object
 * is what it can no longer be reached without, tried out one by one.
 */

#include "attempting.h"
#include "holders/dominators.h"
#include "holders/search.h"

enum { MOST = 24, HEAPS = 4000 };

/* Objects are numbered as the heap has them; 0 stands for all roots. */
struct sketch {
  uint32_t count; /* of objects that are no roots, the first ones */
  uint32_t roots;
  uint32_t levels[MOST];        /* of roots */
  bool edges[MOST][MOST];       /* also from roots, which come behind */
};

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
  struct sketch s = {.count = 1 + below(12), .roots = 1 + below(5)};
  const uint32_t chance = 1 + below(40);
  for (uint32_t i = 0; i < s.roots; i++)
    s.levels[i] = below(IMAGE_LEVELS - 1);
  for (uint32_t i = 1; i <= s.count + s.roots; i++)
    for (uint32_t j = 1; j <= s.count; j++)
      s.edges[i][j] = below(100) < chance;
  return s;
}

/* The arrays of a graph, as an image has them. */
struct arrays {
  struct image_object *objects;
  uint32_t *references;
  struct image_root *roots;
  struct image_body bodies[1];
  size_t object_count, reference_count, root_count;
};

static void
make_arrays(struct arrays *a, size_t objects, size_t references, size_t roots)
{
  *a = (struct arrays){.object_count = objects, .root_count = roots};
  a->objects = pool_zeroed(objects + 2, sizeof *a->objects);
  a->references = pool_zeroed(references + 1, sizeof *a->references);
  a->roots = pool_zeroed(roots + 1, sizeof *a->roots);
  a->objects->bytes = objects;
  a->roots->object = (uint32_t)roots;
}

/* The roots are the last objects. */
static void
set_root(struct arrays *a, uint32_t i, uint32_t level)
{
  const uint32_t object = (uint32_t)(a->object_count - a->root_count) + i + 1;
  a->objects[object].flags = IMAGE_ROOT_OBJECT;
  a->objects[object].leaf = i;
  a->roots[i + 1] = (struct image_root){.object = object, .level = level};
}

static bool
graph_of(struct heap_graph *graph, const struct arrays *a)
{
  return heap_graph_init(
      graph,
      (struct heap_array){a->objects,
                          (a->object_count + 2) * sizeof *a->objects},
      (struct heap_array){a->references,
                          a->reference_count * sizeof *a->references},
      (struct heap_array){a->bodies, sizeof a->bodies},
      (struct heap_array){a->roots, (a->root_count + 1) * sizeof *a->roots});
}

/* The last root is the one for what no other reaches. */
static void
build(const struct sketch *s, struct arrays *a)
{
  const uint32_t all = s->count + s->roots + 1;
  make_arrays(a, all, (size_t)MOST * MOST, s->roots + 1);
  for (uint32_t i = 0; i <= s->roots; i++)
    set_root(a, i, i == s->roots ? IMAGE_LEVELS - 1 : s->levels[i]);
  for (uint32_t i = 1; i <= all; i++) {
    a->objects[i].references = (uint32_t)a->reference_count;
    for (uint32_t j = 1; i < all && j <= s->count; j++)
      if (s->edges[i][j])
        a->references[a->reference_count++] = j;
  }
  a->objects[all + 1].references = (uint32_t)a->reference_count;
}

/* Mark what can be reached from roots of `level' and is not in `before',
 * without going through `without'. */
static void
reach(const struct sketch *s, uint32_t level, const bool *before,
      uint32_t without, bool *reached)
{
  bool more = true;
  for (uint32_t i = 0; i < s->roots; i++)
    if (s->levels[i] == level && s->count + 1 + i != without)
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
  const uint32_t *const objects = search->objects;
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
  for (uint32_t level = 0; level < IMAGE_LEVELS - 1; level++) {
    bool all[MOST] = {false};
    reach(s, level, before, 0, all);
    for (uint32_t u = 1; u <= s->count + s->roots; u++) {
      bool rest[MOST] = {false};
      reach(s, level, before, u, rest);
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

static uint32_t *
find(struct search *search, const struct heap_graph *graph)
{
  search_run(search, graph);
  return dominators_find(search->count, search->parents, search->first,
                         search->predecessors);
}

TEST(as_when_one_is_taken_away)
{
  for (uint32_t i = 1; i <= HEAPS; i++) {
    struct arrays arrays;
    struct heap_graph graph;
    struct search search;
    struct sketch s;
    uint32_t *dominators;
    seed = i;
    s = draw();
    build(&s, &arrays);
    assert_true(graph_of(&graph, &arrays));
    dominators = find(&search, &graph);
    assert_int_equal(search.count, s.count + s.roots + 2);
    check(&s, &search, dominators);
  }
}

/* A list so long that no function may call itself for each cons. */
TEST(a_long_list)
{
  enum { LENGTH = 3000000 };
  struct arrays a;
  struct heap_graph graph;
  struct search search;
  uint32_t *dominators;
  make_arrays(&a, LENGTH + 2, LENGTH, 2);
  set_root(&a, 0, 0);
  set_root(&a, 1, IMAGE_LEVELS - 1);
  for (uint32_t i = 1; i <= LENGTH + 3; i++) {
    a.objects[i].references = (uint32_t)a.reference_count;
    if (i < LENGTH)
      a.references[a.reference_count++] = i + 1;
    else if (i == LENGTH + 1)
      a.references[a.reference_count++] = 1;
  }
  assert_true(graph_of(&graph, &a));
  dominators = find(&search, &graph);
  for (uint32_t i = 2; i <= LENGTH + 1; i++)
    assert_int_equal(dominators[i], i - 1);
}

/* One number of a graph is another: it is refused, or something is found. */
TEST(numbers_at_random)
{
  for (uint32_t i = 1; i <= HEAPS; i++) {
    struct arrays a;
    struct heap_graph graph;
    struct search search;
    struct sketch s;
    seed = i;
    s = draw();
    build(&s, &a);
    const uint32_t number = below(4) == 0 ? UINT32_MAX : below(MOST);
    const uint32_t object = 1 + below((uint32_t)a.object_count + 1);
    switch (below(5)) {
    case 0: a.objects[0].bytes = number; break;
    case 1: a.objects[object].references = number; break;
    case 2: a.objects[object].flags = number; break;
    case 3: a.references[0] = number; break;
    default: a.roots[below((uint32_t)a.root_count + 1)].object = number;
    }
    if (graph_of(&graph, &a))
      find(&search, &graph);
  }
}

RUN_TESTS_IN_ATTEMPT(NULL, NULL)
