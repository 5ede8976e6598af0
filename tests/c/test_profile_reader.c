/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files that are profiles all the same: with hidden locations, more samples
 * than would fit in memory decoded, in several pieces, of another program.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analysis/frames.h"
#include "profile_text.h"
#include "profile_invariants.h"
#include "scratch_file.h"

/* Puts the locations whose bits in MASK are set where only mprof looks. */
static void
hide_locations(Mprof__Pprof__Sample *sample, unsigned mask, uint64_t *runs)
{
  size_t shown = 0;
  size_t before = 0;
  sample->mprof_hidden = runs;
  for (size_t i = 0; i < sample->n_location_id; i++) {
    if ((mask >> i & 1) == 0) {
      sample->location_id[shown++] = sample->location_id[i];
      continue;
    }
    runs[sample->n_mprof_hidden++] = shown - before;
    runs[sample->n_mprof_hidden++] = 1;
    runs[sample->n_mprof_hidden++] = sample->location_id[i];
    before = shown;
  }
  sample->n_location_id = shown;
}

/* Whatever is hidden of a chain, the whole is read. */
static void
hidden_locations(void **state)
{
  enum { DEPTH = 5 };
  (void)state;
  for (unsigned mask = 0; mask < 1U << DEPTH; mask++) {
    struct profile profile;
    uint64_t runs[3 * DEPTH];
    uint64_t ids[DEPTH];
    struct builder *b = builder_new(NULL);
    builder_allocate(b, "main/f/g/h/i",
                     (struct allocation){.allocs = 1, .bytes = 16});
    assert_int_equal(b->samples[0].n_location_id, DEPTH);
    memcpy(ids, b->samples[0].location_id, sizeof ids);
    hide_locations(&b->samples[0], mask, runs);
    builder_write(b, scratch);
    check_read(&profile, scratch, &input_limits_default);
    uint32_t node = profile.samples[0].node;
    for (size_t i = 0; i < DEPTH; node = profile.tree.nodes[node].parent, i++)
      assert_int_equal(profile.tree.nodes[node].item + 1, ids[i]);
    assert_int_equal(node, TREE_ROOT);
    profile_release(&profile);
    builder_free(b);
  }
}

/* Samples are decoded one at a time: what all of them together would take
 * does not count.  One of those below decodes to more than 250 bytes. */
static void
many_samples(void **state)
{
  enum { SAMPLES = BUILDER_MOST };
  const struct input_limits narrow = {.data_bytes = 1 << 20,
                                      .free_bytes = 1 << 20,
                                      .ratio = 400,
                                      .memory_free = SAMPLES * 250};
  struct builder *b = builder_new(NULL);
  struct profile profile;
  (void)state;
  for (int i = 0; i < SAMPLES; i++)
    builder_allocate(b, "main/f/g/h",
                     (struct allocation){.allocs = 1, .bytes = 16});
  builder_write(b, scratch);
  builder_free(b);
  check_read(&profile, scratch, &narrow);
  assert_int_equal(profile.sample_count, SAMPLES);
  assert_int_equal(profile.total[MEASURE_BYTES], SAMPLES * 16);
  profile_release(&profile);
}

/* What gzip -c a >>b makes is one file. */
static void
joined_members(void **state)
{
  struct builder *b = example("widgets");
  struct profile profile;
  size_t length;
  size_t first_length;
  size_t second_length;
  uint8_t *data = builder_pack(b, &length);
  uint8_t *first = builder_gzip(data, 100, &first_length);
  uint8_t *second = builder_gzip(data + 100, length - 100, &second_length);
  uint8_t *both = malloc(first_length + second_length + 1);
  (void)state;
  memcpy(both, first, first_length);
  memcpy(both + first_length, second, second_length);
  builder_write_bytes(scratch, both, first_length + second_length);
  check_read(&profile, scratch, &input_limits_default);
  profile_release(&profile);
  both[first_length + second_length] = 'x';
  builder_write_bytes(scratch, both, first_length + second_length + 1);
  check_refused(scratch, "compressed data is cut short");
  free(both);
  free(first);
  free(second);
  free(data);
  builder_free(b);
}

/* A heap profile of another program: fewer columns, no comments, no size
 * labels, frames without a function, a name that is no UTF-8. */
static void
foreign_profile(void **state)
{
  struct builder *b = builder_new(NULL);
  struct profile profile;
  (void)state;
  builder_allocate(b, "main/f\xffg",
                   (struct allocation){.allocs = 4, .bytes = 400});
  b->types[0].type = builder_string(b, "objects");
  b->types[1].type = builder_string(b, "space");
  b->profile.n_sample_type = 2;
  b->samples[0].n_value = 2;
  b->locations[0].n_line = 0;
  builder_write(b, scratch);
  builder_free(b);
  check_read(&profile, scratch, &input_limits_default);
  assert_int_equal(profile.total[MEASURE_BYTES], 400);
  assert_int_equal(profile.language, LANGUAGE_C);
  assert_false(profile_has(&profile, COLUMN_OF_CALLS));
  struct sample_count count;
  profile_count(&profile, 0, &count);
  assert_int_equal(count.object_bytes, 100);
  assert_int_equal(profile.types[count.type].category, 1);
  struct frame_table frames;
  assert_true(frame_table_init(&frames, &profile));
  const struct tree_node *leaf = &profile.tree.nodes[profile.samples[0].node];
  const struct tree_node *root = &profile.tree.nodes[leaf->parent];
  assert_int_equal(root->parent, TREE_ROOT);
  uint32_t leaf_frame = frames.first_frames[leaf->item];
  uint32_t root_frame = frames.first_frames[root->item];
  assert_string_equal(
      function_name(&frames, frames.frames[leaf_frame].function), "f\\xffg");
  assert_string_equal(
      function_name(&frames, frames.frames[root_frame].function), "0x1000");
  frame_table_release(&frames);
  profile_release(&profile);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hidden_locations),
      cmocka_unit_test(many_samples),
      cmocka_unit_test(joined_members),
      cmocka_unit_test(foreign_profile),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
