/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* No command takes more memory than mprof-formats(5) says for a file of that
 * size, nor long, whatever is in it: it does its work, or it refuses the file
 * with one line.  Of each kind of file which of both is known.
 */

#include "profile_builder.h"
#include "stress_files.h"

/* Writes the file S, and tries it. */
static void
try_stress(struct stress *s, const char *refused)
{
  stress_end(s);
  builder_write_bytes(scratch, s->whole.bytes, s->whole.count);
  check_file(s->whole.count, s->whole.count, refused);
  stress_release(s);
}

static const char chains[] = "the chains up to sample ";
static const char names[] = "too long for a file of this size";

/* ---- sample types, samples, labels ---- */

TEST(sample_types)
{
  struct stress s;
  stress_begin(&s, NULL);
  uint64_t values[400] = {1, 16};
  for (size_t i = 2; i < 400; i++)
    stress_send(&s, PPROF_SAMPLE_TYPE);
  while (stress_room(&s, 1)) {
    wire_put_packed(&s.part, PPROF_SAMPLE_VALUES, values, 400);
    stress_send(&s, PPROF_SAMPLE);
  }
  try_stress(&s, NULL);
}

/* Sets of labels, each other than all before: sizes, threads, types; many
 * labels in one set. */
TEST(labels)
{
  static const char *const keys[] = {"bytes", "thread", "type", "class",
                                     "region"};
  struct stress s;
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
    stress_begin(&s, "lisp");
    stress_both(&s, 1, stress_text(&s, "f"));
    uint64_t key = stress_text(&s, keys[k]);
    for (uint64_t i = 1; stress_room(&s, 1); i++) {
      stress_label(&s, key, k == 0 ? 0 : stress_name(&s, i), i);
      stress_deep(&s, 1, 1);
    }
    try_stress(&s, NULL);
  }
  stress_begin(&s, "lisp");
  stress_both(&s, 1, stress_text(&s, "f"));
  for (uint64_t i = 1; s.part.count < STRESS_BYTES; i++)
    stress_label(&s, 1, 0, i);
  stress_deep(&s, 1, 1);
  try_stress(&s, NULL);
}

/* One long text in all sets. */
TEST(long_labels)
{
  struct stress s;
  stress_begin(&s, "lisp");
  uint64_t key = stress_text(&s, "type");
  uint64_t text = stress_long(&s, "t", STRESS_BYTES / 2);
  stress_both(&s, 1, stress_text(&s, "f"));
  for (uint64_t i = 1; stress_room(&s, 1); i++) {
    stress_label(&s, key, text, i);
    stress_deep(&s, 1, 1);
  }
  try_stress(&s, names);
}

TEST(nested_regions)
{
  struct stress s;
  stress_begin(&s, "lisp");
  stress_both(&s, 1, stress_text(&s, "f"));
  stress_label(&s, stress_text(&s, "region"),
               stress_long(&s, "a;", STRESS_BYTES / 2), 0);
  stress_deep(&s, 1, 1);
  try_stress(&s, "nested regions");
}

/* ---- chains ---- */

/* One chain of two functions by turns; the same with calls that are not
 * written out. */
TEST(deep_chains)
{
  struct stress s;
  stress_begin(&s, "c");
  stress_both(&s, 1, stress_text(&s, "f"));
  stress_both(&s, 2, stress_text(&s, "g"));
  stress_deep(&s, STRESS_BYTES, 2);
  try_stress(&s, NULL);
}

/* A chain of functions that are all different. */
TEST(many_functions)
{
  struct stress s;
  uint64_t count = 0;
  stress_begin(&s, "lisp");
  for (; stress_room(&s, 1); count++)
    stress_both(&s, count + 1, stress_name(&s, count));
  stress_deep(&s, (size_t)count, count);
  try_stress(&s, NULL);
}

/* Chains that share little: all pairs of functions, and a node with very many
 * children. */
TEST(many_chains)
{
  struct stress s;
  uint64_t count;
  stress_begin(&s, "lisp");
  for (count = 1; count <= 200; count++)
    stress_both(&s, count, stress_name(&s, count));
  for (uint64_t i = 0; stress_room(&s, 1); i++)
    stress_call(&s, i / 200 % 200 + 1, i % 200 + 1);
  try_stress(&s, NULL);
  stress_begin(&s, "lisp");
  stress_function(&s, 1, stress_text(&s, "f"), 0);
  for (count = 1; stress_room(&s, 2); count++)
    stress_location(&s, count, 1, count, 1);
  for (uint64_t i = 1; i < count; i++)
    stress_call(&s, 1, i);
  try_stress(&s, NULL);
}

/* One location of very many lines, again and again: below each other, or in
 * one sample each; and as many as are within the limit. */
TEST(inlined_lines)
{
  static const struct {
    size_t lines, deep, samples;
    const char *refused;
  } cases[] = {{STRESS_BYTES / 16, STRESS_BYTES / 2, 1, chains},
               {STRESS_BYTES / 16, 1, STRESS_BYTES / 32, names},
               {100, 10000, 1, NULL}};
  struct stress s;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    stress_begin(&s, NULL);
    stress_function(&s, 1, stress_text(&s, "f"), 0);
    stress_location(&s, 1, 1, 1, cases[i].lines);
    for (size_t j = 0; j < cases[i].samples; j++)
      stress_deep(&s, cases[i].deep, 1);
    try_stress(&s, cases[i].refused);
  }
}

/* ---- names ---- */

/* A long name: all of a chain, the caller of all, a file of all. */
TEST(long_names)
{
  struct stress s;
  stress_begin(&s, NULL);
  stress_both(&s, 1, stress_long(&s, "f", STRESS_BYTES / 2));
  stress_deep(&s, STRESS_BYTES / 2, 1);
  try_stress(&s, names);
  stress_begin(&s, NULL);
  stress_both(&s, 1, stress_long(&s, "f", STRESS_BYTES / 2));
  for (uint64_t i = 2; stress_room(&s, 1); i++) {
    stress_both(&s, i, stress_name(&s, i));
    stress_call(&s, 1, i);
  }
  try_stress(&s, names);
  stress_begin(&s, NULL);
  uint64_t file = stress_long(&s, "f", STRESS_BYTES / 2);
  for (uint64_t i = 1; stress_room(&s, 1); i++)
    stress_function(&s, i, stress_name(&s, i), file);
  try_stress(&s, names);
}

/* Names that are called after files, all of one name; names as long as can
 * be, of parentheses and of bytes that are no UTF-8. */
TEST(odd_names)
{
  static const char *const parts[] = {"(", "(A :IN ", "\xff", "a::", "\\"};
  struct stress s;
  char path[32];
  stress_begin(&s, "lisp");
  uint64_t name = stress_text(&s, "(LAMBDA :IN (LOAD \"x.lisp\"))");
  for (uint64_t i = 1; stress_room(&s, 1); i++) {
    sprintf(path, "/%llx/x.lisp", (unsigned long long)i);
    stress_function(&s, i, name, stress_text(&s, path));
    stress_location(&s, i, i, 1, 1);
    stress_sample(&s, &i, 1);
  }
  try_stress(&s, NULL);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    stress_begin(&s, i == 3 ? "c" : "lisp");
    stress_both(&s, 1,
                stress_long(&s, parts[i], STRESS_BYTES / strlen(parts[i])));
    stress_deep(&s, 1, 1);
    try_stress(&s, NULL);
  }
}

/* ---- mappings, comments ---- */

/* Mappings of one file that is there, each with an address in it. */
TEST(mappings)
{
  struct stress s;
  stress_begin(&s, "c");
  uint64_t file = stress_text(&s, getenv("MPROF"));
  for (uint64_t i = 1; stress_room(&s, 1); i++) {
    wire_put_number(&s.part, PPROF_MAPPING_ID, i << 40);
    wire_put_number(&s.part, PPROF_MAPPING_START, i << 32);
    wire_put_number(&s.part, PPROF_MAPPING_FILE, file);
    stress_send(&s, PPROF_MAPPING);
    wire_put_number(&s.part, PPROF_LOCATION_ID, i);
    wire_put_number(&s.part, PPROF_LOCATION_MAPPING, i << 40);
    wire_put_number(&s.part, PPROF_LOCATION_ADDRESS, (i << 32) + i);
    stress_send(&s, PPROF_LOCATION);
    stress_sample(&s, &i, 1);
  }
  try_stress(&s, NULL);
}

/* Comments that functions are compared with; one on a region, with a long
 * name, many times. */
TEST(comments)
{
  static const char *const keys[] = {"root", "calls_unknown", "symbol_note",
                                     "residual_note", "type", "program"};
  struct stress s;
  char text[48];
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
    stress_begin(&s, k < 4 ? "lisp" : "c");
    for (uint64_t i = 1; stress_room(&s, 1); i++) {
      stress_both(&s, i, stress_name(&s, i));
      sprintf(text, "mprof.%s=%llx", keys[k], (unsigned long long)i);
      stress_comment(&s, text);
      stress_sample(&s, &i, 1);
    }
    try_stress(&s, NULL);
  }
  stress_begin(&s, "lisp");
  uint64_t region =
      stress_long(&s, "mprof.region=1 1 1 1 - a", STRESS_BYTES / 48);
  while (stress_room(&s, 1))
    wire_put_number(&s.whole, PPROF_COMMENT, region);
  try_stress(&s, names);
}

/* ---- compression ---- */

/* A chain, and samples, that are nearly nothing on the disk. */
TEST(compressed)
{
  struct stress s;
  size_t length;
  for (int many = 0; many < 2; many++) {
    stress_begin(&s, NULL);
    stress_both(&s, 1, stress_text(&s, "f"));
    for (int i = 0; many && i < 3000000; i++)
      stress_deep(&s, 1, 1);
    stress_deep(&s, 2000000, 1);
    stress_end(&s);
    uint8_t *packed = builder_gzip(s.whole.bytes, s.whole.count, &length);
    builder_write_bytes(scratch, packed, length);
    check_file(s.whole.count, length, chains);
    free(packed);
    stress_release(&s);
  }
}

/* The number that once had the golden ratio's hash HASH. */
static uint64_t
unhashed(uint64_t hash)
{
  const uint64_t inverse = UINT64_C(0xf1de83e19937733d);
  hash *= inverse;
  return (hash ^ hash >> 32) * inverse;
}

/* Ids that all meet in one place of a table, but for a hash that is another
 * one in each process; and a chain of the last of them. */
TEST(colliding_ids)
{
  enum { IDS = 60000, DEPTH = 1000000 };
  struct stress s;
  size_t length;
  static uint64_t ids[DEPTH];
  stress_begin(&s, NULL);
  for (uint64_t i = 1; i <= IDS; i++)
    stress_both(&s, unhashed(i), 0);
  for (size_t i = 0; i < DEPTH; i++)
    ids[i] = unhashed(IDS - i % 2);
  stress_sample(&s, ids, DEPTH);
  stress_end(&s);
  uint8_t *packed = builder_gzip(s.whole.bytes, s.whole.count, &length);
  builder_write_bytes(scratch, packed, length);
  check_command(commands[0], s.whole.count, length, NULL);
  free(packed);
  stress_release(&s);
}

RUN_TESTS_IN_ATTEMPT(make_files, remove_files)
