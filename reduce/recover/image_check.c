/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is right of a tree that was being written to: all that a counter leads
 * to.  Records are published before anything refers to them, and counters are
 * raised after that; so what nothing leads to may be half a record, or none.
 */

#include "recover/image_reader.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdio.h>

struct tree_check {
  const struct image *image;
  struct context_tree *tree;
  unsigned char *good; /* by context: it and all above it are complete */
  uint64_t count, bytes, calls; /* sums */
  struct mprof_error *error;
};

static bool
is_good(const struct tree_check *c, uint32_t context)
{
  return context < c->tree->context_count && c->good[context];
}

/* Parents come first. */
static void
check_contexts(const struct tree_check *c)
{
  struct context *contexts = c->tree->contexts;
  contexts[CONTEXT_ROOT].parent = contexts[CONTEXT_OVERFLOW].parent =
      CONTEXT_ROOT;
  contexts[CONTEXT_OVERFLOW].site = SITE_OVER;
  c->good[CONTEXT_ROOT] = c->good[CONTEXT_OVERFLOW] = 1;
  for (uint32_t i = CONTEXT_FIRST; i < c->tree->context_count; i++)
    c->good[i] = contexts[i].site != 0 && contexts[i].parent < i &&
                 c->good[contexts[i].parent];
}

static bool
add(uint64_t *sum, uint64_t more)
{
  return !__builtin_add_overflow(*sum, more, sum) && *sum <= INT64_MAX;
}

static bool
add_counts(struct tree_check *c, uint64_t count, uint64_t bytes,
           uint64_t calls)
{
  return (add(&c->count, count) && add(&c->bytes, bytes) &&
          add(&c->calls, calls)) ||
         image_damaged(c->image, c->error, "its sums overflow");
}

/* Where a record found no room in the file, what refers to it goes with what
 * is over the budget, and so does a leaf that counts nothing. */
static bool
check_leaf(struct tree_check *c, struct leaf *leaf)
{
  if (!is_good(c, leaf->up) || !is_good(c, leaf->target) ||
      leaf->kind >= c->tree->kind_count) {
    if (image_leaf_counts(leaf) &&
        (c->image->head.flags & IMAGE_INCOMPLETE) == 0)
      return image_damaged(c->image, c->error,
                           "a count belongs to no context");
    leaf->up = leaf->target = CONTEXT_OVERFLOW;
    leaf->kind = KIND_ANY;
  }
  return add_counts(c, leaf->count, leaf->bytes, leaf->activations);
}

static bool
check_tree(struct tree_check *c)
{
  struct context_tree *tree = c->tree;
  if (tree->context_count < CONTEXT_FIRST || tree->leaf_count < LEAF_FIRST ||
      tree->kind_count == 0)
    return image_damaged(c->image, c->error, "a tree has no root");
  check_contexts(c);
  for (uint32_t i = LEAF_OVERFLOW; i < tree->leaf_count; i++)
    if (!check_leaf(c, &tree->leaves[i]))
      return false;
  for (uint32_t i = CONTEXT_ROOT; i < tree->context_count; i++) {
    struct context *context = &tree->contexts[i];
    if (!c->good[i])
      *context = (struct context){0}; /* nothing leads to it */
    if (!add_counts(c, 0, 0, context->activations))
      return false;
  }
  return true;
}

bool
image_check_trees(struct image *image, struct mprof_error *error)
{
  struct tree_check c = {.image = image, .error = error};
  bool good = true;
  for (size_t i = 0; good && i < image->tree_count; i++) {
    c.tree = &image->trees[i].tree;
    c.good = array_zeroed(c.tree->context_count + CONTEXT_FIRST, 1);
    good = c.good != NULL ? check_tree(&c) : mprof_error_memory(error);
    pool_free(c.good);
  }
  return good;
}

/* ---- regions ----------------------------------------------------------- */

struct region_table
image_regions(const struct image *image)
{
  const struct image_array *array = image_array(image, IMAGE_REGIONS, 0);
  struct region_table regions = {0};
  if (array == NULL)
    return regions;
  regions.regions = (struct region *)array->bytes;
  regions.count = (uint32_t)(array->length / sizeof *regions.regions);
  for (uint32_t i = 0; i < regions.count; i++) {
    struct region *region = &regions.regions[i];
    region->path[REGION_PATH_BYTES - 1] = '\0';
    if (region->parent >= i) /* not complete */
      region->parent = 0;
  }
  return regions;
}

void
image_region_comments(const struct region_table *regions, bool frees,
                      void (*put)(void *, const char *), void *closure)
{
  char text[REGION_PATH_BYTES + 160], held[24] = "-";
  for (uint32_t i = 1; i < regions->count; i++) {
    const struct region *r = &regions->regions[i];
    if (r->entered == 0)
      continue;
    if (frees)
      snprintf(held, sizeof held, "%" PRIu64, r->held_bytes);
    snprintf(text, sizeof text,
             "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %s",
             r->entered, r->nanoseconds, r->first, r->last, held, r->path);
    put(closure, text);
  }
}

const char *
image_region_path(const struct region_table *regions, uint32_t number)
{
  return number < regions->count ? regions->regions[number].path
                                 : "[not named yet]";
}
