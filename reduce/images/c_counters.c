/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The counters of leaves are sums over stripes: see stripes.h. */

#include "images/image_reader.h"

/* ---- counters ---------------------------------------------------------- */

/* Makes an impossible sum 0 or the WHOLE: an object that was being counted,
 * or its end, may have its count and not its bytes. */
static void
clamp(uint64_t *part, uint64_t whole)
{
  if (*part > whole)
    *part = (int64_t)*part < 0 ? 0 : whole;
}

/* Returns how many elements of SIZE bytes ARRAY has for the leaves. */
static uint32_t
length_for(const struct c_counters *c, const struct image_array *array,
           size_t size)
{
  const uint32_t leaves = c->tree->leaf_count;
  return array->length / size < leaves ? (uint32_t)(array->length / size)
                                       : leaves;
}

/* Completes the counts in the midst of which the process ended.  A new peak
 * may not have been noted as one yet. */
static void
complete_stripes(struct c_counters *c, const struct image *image)
{
  uint64_t live =
      0; /* without a sign, since a damaged image may overflow it */
  for (size_t i = 0; i < image->array_count; i++) {
    const struct image_array *const array = &image->arrays[i];
    struct stripe *stripe = &c->stripes.stripe[(array->owner - 1) % STRIPES];
    if (array->kind == IMAGE_COUNTERS && stripe->lock.holder != 0)
      stripe_complete(stripe, (struct leaf_counters *)array->bytes,
                      length_for(c, array, sizeof(struct leaf_counters)));
  }
  for (int i = 0; i < STRIPES; i++)
    live += (uint64_t)c->stripes.stripe[i].live;
  c->stripes.peak += (int64_t)live > (int64_t)c->stripes.peak_bytes;
}

/* Adds the counters of a stripe. */
static void
add_counters(struct c_counters *c, const struct image_array *array)
{
  const uint32_t count = length_for(c, array, sizeof(struct leaf_counters));
  for (uint32_t i = LEAF_OVERFLOW; i < count; i++) {
    struct leaf_counters own = ((struct leaf_counters *)array->bytes)[i];
    if (own.peak != c->stripes.peak) {
      own.at_peak.count = own.allocated.count - own.freed.count;
      own.at_peak.bytes = own.allocated.bytes - own.freed.bytes;
    }
    leaf_counters_add(&c->by_leaf[i], &own);
  }
}

static void
measure_records(struct c_counters *c)
{
  const struct context_tree *tree = c->tree;
  uint32_t contexts = CONTEXT_FIRST, leaves = LEAF_FIRST, kinds = 1;
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++)
    contexts += tree->contexts[i].site != 0;
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++) {
    const struct leaf *leaf = &tree->leaves[i];
    leaves += leaf->site != 0;
    if (leaf->kind >= kinds && leaf->kind < tree->kind_count)
      kinds = leaf->kind + 1;
  }
  c->contexts = contexts - CONTEXT_FIRST + leaves - LEAF_FIRST;
  c->bytes = contexts * sizeof(struct context) +
             leaves * sizeof(struct leaf) + kinds * sizeof(struct kind);
}

/* Gives the leaves of the tree their counts. */
static void
sum_up(struct c_counters *c, const struct image *image)
{
  struct context_tree *tree = c->tree;
  measure_records(c);
  for (uint32_t i = 0; i < tree->leaf_count; i++)
    tree->leaves[i].count = tree->leaves[i].bytes =
        tree->leaves[i].activations = 0;
  complete_stripes(c, image);
  for (size_t i = 0; i < image->array_count; i++)
    if (image->arrays[i].kind == IMAGE_COUNTERS)
      add_counters(c, &image->arrays[i]);
  for (uint32_t i = LEAF_OVERFLOW; i < tree->leaf_count; i++) {
    struct leaf *leaf = &tree->leaves[i];
    struct leaf_counters *sum = &c->by_leaf[i];
    clamp(&sum->freed.count, sum->allocated.count);
    clamp(&sum->freed.bytes, sum->allocated.bytes);
    clamp(&sum->at_peak.count, sum->allocated.count);
    clamp(&sum->at_peak.bytes, sum->allocated.bytes);
    clamp(&sum->temporary_count, sum->freed.count);
    leaf->count += sum->allocated.count;
    leaf->bytes += sum->allocated.bytes;
    c->total.count += leaf->count;
    c->total.bytes += leaf->bytes;
    c->total.peak_bytes += sum->at_peak.bytes;
  }
}

/* Takes what was lost, at most what is kept: the end may free more. */
static void
take_losses(struct c_counters *c, const struct losses *found)
{
  for (size_t i = LEAF_OVERFLOW; i < found->count && i < c->tree->leaf_count;
       i++) {
    struct leaf_loss *loss = &c->losses[i];
    const struct leaf_counters *counters = &c->by_leaf[i];
    const uint64_t objects =
        counters->allocated.count - counters->freed.count;
    const uint64_t bytes = counters->allocated.bytes - counters->freed.bytes;
    *loss = found->leaves[i];
    clamp(&loss->direct.count, objects);
    clamp(&loss->direct.bytes, bytes);
    clamp(&loss->indirect.count, objects - loss->direct.count);
    clamp(&loss->indirect.bytes, bytes - loss->direct.bytes);
  }
}

/* ---- the whole --------------------------------------------------------- */

/* Adds an empty tree to an image whose first tree is not there yet. */
static void
add_empty_tree(struct image *image)
{
  const struct image_tree empty = {
      .tree = {.contexts = pool_zeroed(CONTEXT_FIRST, sizeof(struct context)),
               .leaves = pool_zeroed(LEAF_FIRST, sizeof(struct leaf)),
               .kinds = pool_zeroed(1, sizeof(struct kind)),
               .context_count = CONTEXT_FIRST,
               .leaf_count = LEAF_FIRST,
               .kind_count = 1}};
  ARRAY_ADD(image, tree, empty);
}

void
c_counters_find(struct c_counters *c, struct image *image)
{
  size_t length;
  const void *all = image_array(image, IMAGE_STRIPES, 0, &length);
  *c = (struct c_counters){0};
  if (length >= sizeof c->stripes)
    memcpy(&c->stripes, all, sizeof c->stripes);
  if (image->tree_count == 0)
    add_empty_tree(image);
  c->tree = &image->trees[0].tree;
  c->by_leaf =
      pool_zeroed(c->tree->leaf_count + (size_t)1, sizeof *c->by_leaf);
  c->losses = pool_zeroed(c->tree->leaf_count, sizeof *c->losses);
  sum_up(c, image);
  image_check_trees(image);
  if (image->losses != NULL)
    take_losses(c, image->losses);
}
