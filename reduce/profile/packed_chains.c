/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "profile/packed_chains.h"

#include "common/pprof_format.h"

enum { ID_BYTES = 5 /* of an id, at most */ };
enum part { PART_SHOWS, PART_HIDDEN, PART_ROOT };

/* Returns by name whether it is that of a function that runs what is
 * profiled. */
static bool *
find_roots(const struct profile *profile)
{
  bool *roots = pool_zeroed(profile->names.count, sizeof *roots);
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *root = profile_comment_value(profile, i, PPROF_COMMENT_ROOT);
    uint32_t name =
        root == NULL ? NAMES_NONE : names_find(&profile->names, root);
    if (name != NAMES_NONE)
      roots[name] = true;
  }
  return roots;
}

/* Returns the part that each location of PROFILE is. */
static unsigned char *
find_parts(const struct profile *profile)
{
  uint32_t runtime = names_find(&profile->names, PPROF_RUNTIME_FILE);
  bool *roots = find_roots(profile);
  unsigned char *parts = pool_zeroed(profile->location_count, 1);
  for (size_t i = 0; i < profile->location_count; i++) {
    const struct profile_location *l = &profile->locations[i];
    uint32_t function = l->line_count == 0
                            ? INDEX_NONE
                            : profile->lines[l->first_line].function;
    if (function == INDEX_NONE)
      continue;
    const struct profile_function *f = &profile->functions[function];
    parts[i] = f->file == runtime ? PART_HIDDEN
               : roots[f->name]   ? PART_ROOT
                                  : PART_SHOWS;
  }
  pool_free(roots);
  return parts;
}

/* Allocates BYTES.  Returns their end. */
static uint8_t *
end_of(size_t bytes)
{
  return (uint8_t *)pool_alloc(bytes) + bytes;
}

/* Makes room for each node in the field of what shows, and five times in the
 * other: its id, once more where a root hides all, once more where nothing
 * shows, and the two numbers before a run. */
void
packed_chains_open(struct packed_chains *chains,
                   const struct profile *profile, bool plain)
{
  const size_t most = profile->tree.count * ID_BYTES;
  uint8_t *const shown = end_of(most), *const hidden = end_of(most * 5);
  *chains = (struct packed_chains){.profile = profile};
  ARRAY_ADD(chains, chain,
            (struct packed_chain){.node = TREE_ROOT,
                                  .shown = shown,
                                  .shown_end = shown,
                                  .hidden = hidden,
                                  .hidden_end = hidden});
  if (!plain && profile->by_mprof && profile->language == LANGUAGE_LISP)
    chains->parts = find_parts(profile);
}

/* Puts NUMBER, of at most 32 bits, before AT.  Returns where it begins. */
static uint8_t *
put_before(uint8_t *at, uint64_t number)
{
  uint8_t bytes[ID_BYTES];
  const size_t length = (size_t)(wire_varint(bytes, number) - bytes);
  return memcpy(at - length, bytes, length);
}

/* Hides all ids of CHAIN, which are those of the chains that are packed: one
 * run, before the runs of these. */
static void
hide_all(const struct packed_chains *chains, struct packed_chain *chain)
{
  const struct tree_node *nodes = chains->profile->tree.nodes;
  chain->shown_end = chain->shown;
  chain->hidden_end = chain->hidden;
  chain->before = 0;
  chain->run = (uint32_t)chains->chain_count - 1;
  for (size_t i = 1; i < chains->chain_count; i++)
    chain->hidden = put_before(chain->hidden,
                               wire_id(nodes[chains->chains[i].node].item));
}

/* Packs the chain of NODE, whose caller's is the last one that is packed.
 * What is hidden is in runs: how many ids that show are before it, its
 * length, its ids. */
static void
pack_chain(struct packed_chains *chains, uint32_t node)
{
  struct packed_chain chain = chains->chains[chains->chain_count - 1];
  const uint32_t item = chains->profile->tree.nodes[node].item;
  const enum part part =
      chains->parts == NULL ? PART_SHOWS : (enum part)chains->parts[item];
  chain.node = node;
  if (part == PART_ROOT && !chain.is_rooted) {
    hide_all(chains, &chain);
    chain.is_rooted = true;
  }
  if (part == PART_SHOWS) {
    chain.shown = put_before(chain.shown, wire_id(item));
    chain.before += chain.run > 0;
  } else {
    if (chain.before > 0) {
      chain.hidden = put_before(chain.hidden, chain.run);
      chain.hidden = put_before(chain.hidden, chain.before);
      chain.before = chain.run = 0;
    }
    chain.hidden = put_before(chain.hidden, wire_id(item));
    chain.run++;
  }
  ARRAY_ADD(chains, chain, chain);
}

/* Returns the packed chain of NODE.  Those of callers that it has in common
 * with the last one stay packed.  Nodes have larger numbers than their
 * callers. */
static const struct packed_chain *
find_chain(struct packed_chains *chains, uint32_t node)
{
  uint32_t last;
  while ((last = chains->chains[chains->chain_count - 1].node) != node)
    if (node > last) {
      numbers_push(&chains->nodes, node);
      node = chains->profile->tree.nodes[node].parent;
    } else {
      chains->chain_count--;
    }
  while (chains->nodes.count > 0)
    pack_chain(chains, (uint32_t)chains->nodes.items[--chains->nodes.count]);
  return &chains->chains[chains->chain_count - 1];
}

void
packed_chains_put(struct packed_chains *chains, uint32_t node,
                  struct wire_buffer *message)
{
  const struct packed_chain *const chain = find_chain(chains, node);
  if (chain->shown == chain->shown_end && chain->run > 0) {
    struct packed_chain whole = *chain;
    hide_all(chains, &whole);
    wire_put_bytes(message, PPROF_SAMPLE_LOCATIONS, whole.hidden,
                   (size_t)(whole.hidden_end - whole.hidden));
    return;
  }
  if (chain->shown < chain->shown_end)
    wire_put_bytes(message, PPROF_SAMPLE_LOCATIONS, chain->shown,
                   (size_t)(chain->shown_end - chain->shown));
  if (chain->run > 0) {
    uint8_t *const runs =
        put_before(put_before(chain->hidden, chain->run), chain->before);
    wire_put_bytes(message, PPROF_SAMPLE_HIDDEN, runs,
                   (size_t)(chain->hidden_end - runs));
  }
}
