/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How each format writes text that means something to its reader.
 *
 * Every character by itself, each ASCII one and those of Unicode that end a
 * line or are no characters, and pairs of them: what is written holds nothing
 * that the format or a line cannot, and undone by rules of its own, which are
 * short and stand here, it is the text again.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "base/quote.h"
#include "export/export.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 64 };

static const char *const wide[] = {
    "\xc2\x85", "\xc2\x9f", "\xc2\xa0",         "\xe2\x80\xa7",
    "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa", "\xef\xbf\xbd",
    "\xef\xbf\xbe", "\xef\xbf\xbf", "\xf0\x9f\x99\x82",
};
enum {
  WIDE = sizeof wide / sizeof wide[0],
  CHARACTERS = 127 + WIDE
};

/* Appends the N-th character. */
static void
add_character(char *text, int n)
{
  char ascii[2] = {(char)(n + 1), '\0'};
  strcat(text, n < 127 ? ascii : wide[n - 127]);
}

/* Appends the character with that number to what ends at OUT; its new end. */
static char *
put_unicode(char *out, unsigned long c)
{
  if (c < 0x80) {
    *out++ = (char)c;
  } else if (c < 0x800) {
    *out++ = (char)(0xc0 | c >> 6);
    *out++ = (char)(0x80 | (c & 0x3f));
  } else {
    *out++ = (char)(0xe0 | c >> 12);
    *out++ = (char)(0x80 | (c >> 6 & 0x3f));
    *out++ = (char)(0x80 | (c & 0x3f));
  }
  return out;
}

/* Undoes backslashes: \n \t \r, \xNN, \uNNNN, and others that stand for what
 * follows. */
static void
undo_backslashes(const char *from, char *out)
{
  static const char letters[] = "ntr";
  while (*from != '\0') {
    if (*from != '\\') {
      *out++ = *from++;
      continue;
    }
    const char *letter = strchr(letters, from[1]);
    int digits = from[1] == 'x' ? 2 : from[1] == 'u' ? 4 : 0;
    char number[5] = "";
    if (digits > 0) {
      memcpy(number, from + 2, (size_t)digits);
      out = put_unicode(out, strtoul(number, NULL, 16));
    } else {
      *out++ = letter == NULL ? from[1] : "\n\t\r"[letter - letters];
    }
    from += 2 + digits;
  }
  *out = '\0';
}

/* Undoes a string between double quotes that have such backslashes. */
static void
undo_quoted(const char *from, char *out)
{
  char inner[8 * TEXT_BYTES] = "";
  size_t length = strlen(from);
  assert_true(length >= 2 && from[0] == '"' && from[length - 1] == '"');
  memcpy(inner, from + 1, length - 2);
  undo_backslashes(inner, out);
}

/* Undoes a string as Lisp reads it. */
static void
undo_lisp(const char *from, char *out)
{
  size_t length = strlen(from);
  assert_true(length >= 2 && from[0] == '"' && from[length - 1] == '"');
  for (size_t i = 1; i < length - 1; i++) {
    assert_true(from[i] != '"');
    i += from[i] == '\\';
    *out++ = from[i];
  }
  *out = '\0';
}

static void
write_line(struct sink *sink, const char *text)
{
  escape_name(sink, text, "; ");
}

struct format {
  const char *name;
  void (*write)(struct sink *sink, const char *text);
  void (*undo)(const char *from, char *out);
  const char *never; /* what is written holds none of these characters, ... */
  bool one_line;     /* ... nor what could end a line */
  const char *not_undone; /* texts with one of these are not compared */
};

static const struct format formats[] = {
    {"JSON", json_string, undo_quoted, "<", true, ""},
    {"Lisp", lisp_string, undo_lisp, "", false, ""},
    {"lines", write_line, undo_backslashes, "; ", true, ""},
};

/* Whether WRITTEN could be taken for more than a line. */
static bool
has_line_end(const char *written)
{
  for (const char *c = written; *c != '\0'; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      return true;
  return strstr(written, "\xc2\x85") != NULL ||
         strstr(written, "\xe2\x80\xa8") != NULL ||
         strstr(written, "\xe2\x80\xa9") != NULL;
}

static void
check(const struct format *format, const char *text)
{
  struct string_sink sink;
  char back[8 * TEXT_BYTES];
  string_sink_init(&sink);
  format->write(&sink.sink, text);
  const char *written = string_sink_text(&sink);
  assert_non_null(written);
  if (strpbrk(written, format->never) != NULL ||
      (format->one_line && has_line_end(written)))
    fail_msg("%s: %s", format->name, written);
  if (strpbrk(text, format->not_undone) == NULL) {
    format->undo(written, back);
    if (strcmp(back, text) != 0)
      fail_msg("%s: %s is %s, not %s", format->name, written, back, text);
  }
}

static void
every_character_and_pair(void **state)
{
  (void)state;
  for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
    for (int a = 0; a < CHARACTERS; a++)
      for (int b = -1; b < CHARACTERS; b++) {
        char text[TEXT_BYTES] = "";
        add_character(text, a);
        if (b >= 0)
          add_character(text, b);
        check(&formats[f], text);
      }
}

/* What the forms look like; the rest follows from the other test. */
static void
forms(void **state)
{
  static const struct {
    void (*write)(struct sink *sink, const char *text);
    const char *text, *expected;
  } cases[] = {
      {json_string, "(SETF |a b|)", "\"(SETF |a b|)\""},
      {json_string, "\"\\</script>\x01", "\"\\\"\\\\\\u003c/script>\\u0001\""},
      {lisp_string, "say \"\\\"\n", "\"say \\\"\\\\\\\"\n\""},
      {write_line, "f;g\\ h", "f\\x3bg\\\\\\x20h"},
      {write_line, "Größe\xe2\x80\xa8λ🙂", "Größe\\u2028λ🙂"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct string_sink sink;
    string_sink_init(&sink);
    cases[i].write(&sink.sink, cases[i].text);
    assert_string_equal(string_sink_text(&sink), cases[i].expected);
  }
}

/* Without further characters to escape a backslash stays: such a name cannot
 * be undone, and is only kept on a line. */
static void
names_in_tables(void **state)
{
  struct string_sink sink;
  (void)state;
  string_sink_init(&sink);
  escape_name(&sink.sink, "a;b\\c\n\xc2\x85", "");
  assert_string_equal(string_sink_text(&sink), "a;b\\c\\n\\u0085");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms),
      cmocka_unit_test(every_character_and_pair),
      cmocka_unit_test(names_in_tables),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
