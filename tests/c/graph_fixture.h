/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A profile made by hand, written to a file, read and reduced, and checks of
 * its call graph: for tests that compare it with figures worked out by hand.
 */

#ifndef GRAPH_FIXTURE_H
#define GRAPH_FIXTURE_H

#include "analysis/reduction.h"
#include "command/load.h"
#include "profile_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

/* What --hide and its like ask for, in view options. */
#define SELECT(option, regex)                                                \
  .select.expressions[EXPRESSION_##option] = regex

/* One test's profile, written, read and reduced. */
struct fixture {
  char paths[3][64];
  const char *files[3];
  struct view_options options;
  struct profile profile;
  struct reduction reduction;
};

static inline void
add_file(struct fixture *f, struct builder *b)
{
  char *path = f->paths[f->options.file_count];
  strcpy(path, "/tmp/mprof-test-XXXXXX");
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  builder_write(b, path);
  builder_free(b);
  f->files[f->options.file_count++] = path;
  f->options.files = f->files;
}

static inline void
reduce(struct fixture *f)
{
  f->options.limit = SIZE_MAX;
  profile_load(&f->profile, f->options.files, f->options.file_count,
               HEAP_BOTH, NULL);
  reduction_init(&f->reduction, &f->profile, &f->options, NULL);
}

static inline void
done(struct fixture *f)
{
  for (size_t i = 0; i < f->options.file_count; i++)
    unlink(f->paths[i]);
}

/* INDEX_NONE: there is no such function. */
static inline uint32_t
node_index(const struct fixture *f, const char *name)
{
  const struct call_graph *graph = &f->reduction.graph;
  for (size_t i = 0; i < graph->node_count; i++)
    if (strcmp(graph->nodes[i].name, name) == 0)
      return (uint32_t)i;
  return INDEX_NONE;
}

static inline const struct graph_node *
node(const struct fixture *f, const char *name)
{
  uint32_t index = node_index(f, name);
  if (index == INDEX_NONE)
    fail_msg("no function %s", name);
  return &f->reduction.graph.nodes[index];
}

static inline const struct graph_arc *
find_arc(const struct fixture *f, const char *caller, const char *callee)
{
  const struct graph_node *from = node(f, caller);
  for (size_t i = 0; i < from->arc_count; i++) {
    const struct graph_arc *arc =
        &f->reduction.graph.arcs[from->first_arc + i];
    if (arc->callee == node_index(f, callee))
      return arc;
  }
  return NULL;
}

static inline void
check_node(const struct fixture *f, const char *name, uint64_t self_bytes,
           uint64_t inclusive_bytes, uint64_t calls)
{
  const struct graph_node *n = node(f, name);
  if (n->self.bytes != self_bytes || n->inclusive.bytes != inclusive_bytes ||
      n->calls != calls)
    fail_msg("%s: %llu self, %llu inclusive, %llu calls", name,
             (unsigned long long)n->self.bytes,
             (unsigned long long)n->inclusive.bytes,
             (unsigned long long)n->calls);
}

static inline void
check_arc(const struct fixture *f, const char *caller, const char *callee,
          uint64_t bytes, uint64_t calls)
{
  const struct graph_arc *arc = find_arc(f, caller, callee);
  if (arc == NULL)
    fail_msg("no arc from %s to %s", caller, callee);
  if (arc->inclusive.bytes != bytes || arc->calls != calls)
    fail_msg("%s -> %s: %llu bytes, %llu calls", caller, callee,
             (unsigned long long)arc->inclusive.bytes,
             (unsigned long long)arc->calls);
}

#endif
