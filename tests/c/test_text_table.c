/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text: shares, names, columns, and the one error path of output. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "tables/text_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void
shares(void **state)
{
  static const struct {
    uint64_t part, whole;
    const char *text;
  } cases[] = {
      {0, 100, "  "},
      {0, 0, "  "},
      {1, 101, " ."},
      {1, 1000000, " ."},
      {1, 100, " 1"},
      {199, 10000, " 1"},
      {9, 100, " 9"},
      {10, 100, "10"},
      {5019, 10000, "50"},
      {4981, 10000, "49"},
      {99, 100, "99"},
      {9999999, 10000000, "99"},
      {100, 100, "**"},
      {INT64_MAX, INT64_MAX, "**"},
      {INT64_MAX / 2, INT64_MAX, "49"},
      {INT64_MAX - 1, INT64_MAX, "99"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[3];
    share_text(text, cases[i].part, cases[i].whole);
    assert_string_equal(text, cases[i].text);
  }
}

/* Prints TABLE to a sink of such looks, and gives back the text, which the
 * caller frees. */
static char *
print_with(struct text_table *table, size_t line_width, bool color)
{
  struct string_sink string;
  string_sink_init(&string);
  string.sink.line_width = line_width;
  string.sink.color = color;
  text_table_print(table, &string.sink);
  assert_non_null(string_sink_text(&string));
  return string.text;
}

static char *
print(struct text_table *table)
{
  return print_with(table, 0, false);
}

/* Two columns of text beside numbers. */
static char *
print_names(size_t line_width)
{
  static const struct text_column columns[] = {
      {NULL, 0, "n", 0, false},
      {NULL, 0, "type", 2, true},
      {NULL, 0, "name", 2, true},
  };
  struct text_table table;
  text_table_init(&table, columns, 3);
  text_table_number(&table, 1);
  text_table_name(&table, "a type of exactly forty characters, here");
  table.indent = "  ";
  text_table_name(&table, "beginning, and what is between them, and end");
  table.indent = "";
  text_table_number(&table, 22);
  text_table_name(&table, "short");
  text_table_name(&table, "ÄÖÜäöüßÄÖÜäöüßÄÖÜäöüßÄÖÜäöüßÄÖÜäöüß");
  return print_with(&table, line_width, false);
}

/* 2 + 2 + 40 + 2 + 46 characters fit into 92. */
static void
names_are_cut_to_fit(void **state)
{
  static const struct {
    size_t width;
    const char *rows;
  } cases[] = {
      {0,
       " 1  a type of exactly forty characters, here    beginning, and what "
       "is between them, and end\n"
       "22  short                                     "
       "ÄÖÜäöüßÄÖÜäöüßÄÖÜäöüßÄÖÜäöüßÄÖÜäöüß\n"},
      {92,
       " 1  a type of exactly forty characters, here    beginning, and what "
       "is between them, and end\n"
       "22  short                                     "
       "ÄÖÜäöüßÄÖÜäöüßÄÖÜäöüßÄÖÜäöüßÄÖÜäöüß\n"},
      /* the widest column gives way alone: 41 are left */
      {87,
       " 1  a type of exactly forty characters, here    beginning, and wha…"
       "etween them, and end\n"
       "22  short                                     "
       "ÄÖÜäöüßÄÖÜäöüßÄÖÜäöüßÄÖÜäöüßÄÖÜäöüß\n"},
      /* then both by turns: 34 and 35 */
      {75, " 1  a type of exactly…characters, here    beginning, and "
           "…een them, and end\n"
           "22  short                               "
           "ÄÖÜäöüßÄÖÜäöüßÄÖÜäöüßÄÖÜäöüßÄÖÜäöüß\n"},
      /* down to 30 each */
      {1,
       " 1  a type of exact…aracters, here    beginning, an… them, and end\n"
       "22  short                           "
       "ÄÖÜäöüßÄÖÜäöüßÄ…ÄÖÜäöüßÄÖÜäöüß\n"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char *text = print_names(cases[i].width);
    const char *rows = strchr(text, '\n') + 1; /* headings and a rule */
    rows = strchr(rows, '\n') + 1;
    assert_string_equal(rows, cases[i].rows);
    pool_free(text);
  }
}

static void
styles(void **state)
{
  static const struct text_column columns[] = {
      {NULL, 0, "n", 0, false},
      {NULL, 0, "name", 2, true},
  };
  static const char *const expected[] = {
      "n  name\n--------\n1  light\n2  heavy\n--------\n3  first\n"
      "4  none\n",
      "\033[1mn  name\033[0m\n--------\n1  light\n"
      "\033[31m2  heavy\033[0m\n--------\n\033[1m3  first\033[0m\n"
      "4  none\n",
  };
  (void)state;
  for (int color = 0; color < 2; color++) {
    struct text_table table;
    text_table_init(&table, columns, 2);
    text_table_weigh(&table, 99, 1000);
    text_table_cell(&table, "1");
    text_table_name(&table, "light");
    text_table_weigh(&table, 100, 1000);
    text_table_cell(&table, "2");
    text_table_name(&table, "heavy");
    text_table_rule(&table);
    text_table_lead(&table);
    text_table_cell(&table, "3");
    text_table_name(&table, "first");
    text_table_weigh(&table, 0, 0);
    text_table_cell(&table, "4");
    text_table_name(&table, "none");
    char *text = print_with(&table, 0, color != 0);
    assert_string_equal(text, expected[color]);
    pool_free(text);
  }
}

static void
columns_fit(void **state)
{
  static const struct text_column columns[] = {
      {"group", 2, "n", 0, false},
      {NULL, 0, "%", 1, false},
      {NULL, 0, "name", 2, true},
  };
  struct text_table table;
  (void)state;
  text_table_init(&table, columns, 3);
  text_table_number(&table, UINT64_MAX);
  text_table_share(&table, 1, 2);
  text_table_name(&table,
                  "a long name (SETF |with blanks|) that stays whole");
  text_table_rule(&table);
  text_table_number(&table, 7);
  text_table_share(&table, 0, 2);
  text_table_name(&table, "ÄÖÜ");
  char *text = print(&table);
  assert_string_equal(
      text, "         group\n"
            "                   n  %  name\n"
            "-------------------------------------------------\n"
            "18446744073709551615 50  a long name (SETF |with blanks|) that "
            "stays whole\n"
            "-------------------------------------------------\n"
            "                   7     ÄÖÜ\n");
  pool_free(text);
}

/* Names are cut to 30 characters before a column is left out, and groups of
 * columns are left out together. */
static void
columns_left_out(void **state)
{
  static const struct text_column columns[] = {
      {NULL, 0, "n", 0, false},   {"group", 2, "a", 2, false},
      {NULL, 0, "b", 1, false},   {"some", 0, "bytes", 2, false},
      {NULL, 0, "name", 2, true},
  };
  static const unsigned spare[] = {0, 2, 2, 1, 0};
  static const struct {
    size_t width;
    const char *text;
  } cases[] = {
      {0, "   group   some\n"
          "n   a  b  bytes  name\n"
          "-----------------------------------------\n"
          "1  22 33  44444  a name of 32 characters, no more\n"},
      {48, "   group   some\n"
           "n   a  b  bytes  name\n"
           "-----------------------------------------\n"
           "1  22 33  44444  a name of 32 ch\xe2\x80\xa6"
           "acters, no more\n"},
      {46, "    some\n"
           "n  bytes  name\n"
           "----------------------------------\n"
           "1  44444  a name of 32 characters, no more\n"
           "\n"
           "  No room for the columns: group.\n"
           "  --width=0 shows them.\n"},
      {33, "n  name\n"
           "---------------------------\n"
           "1  a name of 32 ch\xe2\x80\xa6"
           "cters, no more\n"
           "\n"
           "  No room for the columns: group, some bytes.\n"
           "  --width=0 shows them.\n"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct text_table table;
    struct string_sink string;
    text_table_init(&table, columns, 5);
    memcpy(table.spare, spare, sizeof spare);
    text_table_number(&table, 1);
    text_table_number(&table, 22);
    text_table_number(&table, 33);
    text_table_number(&table, 44444);
    text_table_name(&table, "a name of 32 characters, no more");
    string_sink_init(&string);
    string.sink.line_width = cases[i].width;
    text_table_print(&table, &string.sink);
    assert_string_equal(string_sink_text(&string), cases[i].text);
  }
}

/* Fails the write that finds no more left in TARGET, a count of writes. */
static int
failing_write(void *target, const char *bytes, size_t length)
{
  int *left = target;
  (void)bytes;
  (void)length;
  return (*left)-- > 0 ? 0 : ENOSPC;
}

static void
failures_stick(void **state)
{
  char text[3 * SINK_BUFFER_BYTES];
  (void)state;
  memset(text, 'x', sizeof text);
  for (int n = 0; n < 6; n++) {
    int left = n;
    struct sink sink;
    sink_init(&sink, failing_write, &left);
    sink_bytes(&sink, text, sizeof text);
    sink_text(&sink, "the end");
    bool good = sink_flush(&sink);
    assert_int_equal(good, n >= 4);
    assert_int_equal(sink.error_number, n >= 4 ? 0 : ENOSPC);
    assert_int_equal(sink_flush(&sink), n >= 4);
    assert_int_equal(left, n >= 4 ? n - 4 : -1); /* no write after failure */
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares),
      cmocka_unit_test(columns_fit),
      cmocka_unit_test(columns_left_out),
      cmocka_unit_test(names_are_cut_to_fit),
      cmocka_unit_test(styles),
      cmocka_unit_test(failures_stick),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
