/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The descriptions of tables beside the JSON schema: both have the same keys.
 * Whether exports are as the schema says, tests/formats/json.sh checks.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "tables/table.h"

#include <stdio.h>
#include <string.h>

static char schema[65536];

/* The definitions of the schema, a level of blanks in; their ends. */
static const struct {
  const char *begin;
  const struct table *table;
} definitions[] = {
    {"\n  \"function\": {\n", &functions_table},
    {"\n  \"arc\": {\n", &arcs_table},
    {"\n  \"cycle\": {\n", &cycles_table},
    {"\n  \"type\": {\n", &types_table},
    {"\n  \"context\": {\n", &contexts_table},
    {"\n  \"bin\": {\n", &bins_table},
    {"\n  \"region\": {\n", &regions_table},
    {"\n  \"phase\": {\n", &phases_table},
    {"\n  \"thread\": {\n", &threads_table},
};

/* How many properties, at most LENGTH bytes behind BEGIN, begin with TEXT. */
static size_t
count_properties(const char *begin, size_t length, const char *text)
{
  size_t count = 0;
  for (const char *c = begin; (c = strstr(c, text)) != NULL; c++)
    count += (size_t)(c - begin) < length &&
             strcspn(c + 1, "{") < strcspn(c + 1, "\n");
  return count;
}

static void
keys_are_those_of_the_schema(void **state)
{
  (void)state;
  FILE *file = fopen("reduce/tables/mprof-profile.schema.json", "r");
  assert_non_null(file);
  assert_true(fread(schema, 1, sizeof schema - 1, file) > 0);
  assert_true(feof(file));
  fclose(file);
  for (size_t i = 0; i < sizeof definitions / sizeof definitions[0]; i++) {
    const struct table *table = definitions[i].table;
    const char *begin = strstr(schema, definitions[i].begin);
    assert_non_null(begin);
    size_t length = (size_t)(strstr(begin, "\n  }") - begin);
    size_t keys = 0;
    for (size_t c = 0; c < table->column_count; c++) {
      char property[64];
      const struct column *column = &table->columns[c];
      const char *key = column->keys[FORM_JSON];
      if (key == NULL)
        continue;
      keys++;
      snprintf(property, sizeof property, "\n    \"%s%s%s",
               column->content == CONTENT_COUNTS ? "^" : "", key,
               column->content == CONTENT_COUNTS ? "(" : "\":");
      if (count_properties(begin, length, property) != 1)
        fail_msg("the schema has no%s in%s", property, definitions[i].begin);
    }
    assert_int_equal(count_properties(begin, length, "\n    \""), keys);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_are_those_of_the_schema),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
