/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One function for each kind.  Enumerations are stored as the unsigned
 * integers that they are.
 */

#include "command/options.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ------------------------------------------------------------- */

const char *
word_of(const struct word_list *words, size_t number)
{
  const char *first = (const char *)words->first;
  return *(const char *const *)(const void *)(first + number * words->stride);
}

void
words_text(const struct word_list *words, const char *conjunction, char *text,
           size_t size)
{
  size_t length = 0;
  const char *word = word_of(words, 0);
  text[0] = '\0';
  for (size_t i = 1; word != NULL && length < size; i++) {
    const char *next = word_of(words, i);
    const char *between = ", ";
    if (next == NULL)
      between = "";
    else if (word_of(words, i + 1) == NULL)
      between = conjunction;
    length +=
        (size_t)snprintf(text + length, size - length, "%s%s", word, between);
    word = next;
  }
}

/* Sets *NUMBER to that of the word that LENGTH bytes at TEXT are. */
static bool
find_word(const struct word_list *words, const char *text, size_t length,
          size_t *number)
{
  const char *word;
  for (*number = 0; (word = word_of(words, *number)) != NULL; ++*number)
    if (strlen(word) == length && memcmp(word, text, length) == 0)
      return true;
  return false;
}

static const char *
store_word(const struct option_row *row, void *field, const char *text)
{
  size_t number;
  if (!find_word(&row->words, text, strlen(text), &number))
    return text;
  *(unsigned *)field = (unsigned)(row->number + number);
  return NULL;
}

static const char *
store_row(const struct option_row *row, void *field, const char *text)
{
  size_t number;
  if (!find_word(&row->words, text, strlen(text), &number))
    return text;
  const char *found =
      (const char *)row->words.first + number * row->words.stride;
  memcpy(field, &found, sizeof found);
  return NULL;
}

static const char *
store_list(const struct option_row *row, void *field, const char *text)
{
  uint64_t *set = field;
  if (row->number == 0)
    *set = 0;
  for (;;) {
    size_t number;
    size_t length = strcspn(text, ",");
    if (!find_word(&row->words, text, length, &number))
      return text;
    *set |= UINT64_C(1) << number;
    if (text[length] == '\0')
      return NULL;
    text += length + 1;
  }
}

/* ---- flags and numbers ------------------------------------------------- */

static const char *
store_flag(const struct option_row *row, void *field, const char *text)
{
  *(bool *)field = row->number != 0;
  return text;
}

static const char *
store_choice(const struct option_row *row, void *field, const char *text)
{
  *(unsigned *)field = (unsigned)row->number;
  return text;
}

static const char *
store_number(const struct option_row *row, void *field, const char *text)
{
  size_t length = strlen(text);
  errno = 0;
  unsigned long long value = strtoull(text, NULL, 10);
  if (length == 0 || strspn(text, "0123456789") != length || errno != 0 ||
      (row->kind == &positive_value && value == 0) || value >= SIZE_MAX)
    return text;
  *(size_t *)field = (size_t)value;
  return NULL;
}

/* Digits with up to four decimals, at most 100, as millionths. */
static const char *
store_percent(const struct option_row *row, void *field, const char *text)
{
  static const char digits[] = "0123456789";
  char millionths[16];
  size_t whole = strspn(text, digits);
  const char *rest = text + whole + (text[whole] == '.');
  size_t decimals = strspn(rest, digits);
  (void)row;
  if (rest[decimals] != '\0' || whole > 8 || decimals > 4 ||
      whole + decimals == 0)
    return text;
  snprintf(millionths, sizeof millionths, "%.*s%s%.*s", (int)whole, text,
           rest, (int)(4 - decimals), "0000");
  unsigned long value = strtoul(millionths, NULL, 10);
  if (value > SHARE_WHOLE)
    return text;
  *(uint32_t *)field = (uint32_t)value;
  return NULL;
}

/* ---- text -------------------------------------------------------------- */

static const char *
store_text(const struct option_row *row, void *field, const char *text)
{
  if (row->kind == &file_value && *text == '\0')
    return text;
  *(const char **)field = text;
  return NULL;
}

static const char *
store_signal(const struct option_row *row, void *field, const char *text)
{
  const char *name = strncmp(text, "SIG", 3) == 0 ? text + 3 : text;
  char number[16];
  for (int i = 1; i < SIGRTMIN; i++) {
    snprintf(number, sizeof number, "%d", i);
    if (strcmp(text, number) == 0 ||
        (sigabbrev_np(i) != NULL && strcmp(sigabbrev_np(i), name) == 0))
      return store_text(row, field, text);
  }
  return text;
}

static const char *
store_growth(const struct option_row *row, void *field, const char *text)
{
  (void)row;
  return growth_limits_parse(field, text) ? NULL : text;
}

/* ---- all --------------------------------------------------------------- */

const struct value_kind flag_value = {store_flag, NULL, false};
const struct value_kind choice_value = {store_choice, NULL, false};
const struct value_kind number_value = {store_number, "a number", false};
const struct value_kind positive_value = {store_number, "a positive number",
                                          false};
const struct value_kind percent_value = {store_percent,
                                         "a number up to 100", false};
const struct value_kind text_value = {store_text, NULL, false};
const struct value_kind file_value = {store_text, "a file", false};
const struct value_kind signal_value = {store_signal, "the name of a signal",
                                        false};
const struct value_kind growth_value = {
    store_growth,
    "N%, Nallocs, N%allocs, or N with a unit such as KiB or MiB", false};
const struct value_kind word_value = {store_word, NULL, false};
const struct value_kind row_value = {store_row, NULL, false};
const struct value_kind list_value = {store_list, NULL, true};

bool
value_store(const struct option_row *row, void *field, const char *text,
            struct mprof_error *error)
{
  char words[WORDS_LENGTH];
  const struct value_kind *kind = row->kind;
  const char *wrong = kind->store(row, field, text);
  if (wrong == NULL)
    return true;
  if (kind->takes == NULL)
    words_text(&row->words, kind->list ? " and " : " or ", words,
               sizeof words);
  return mprof_fail(error, MPROF_USAGE, "%s%s takes %s, not '%.*s'",
                    OPTION_DASHES(row->name), row->name,
                    kind->takes == NULL ? words : kind->takes,
                    (int)(kind->list ? strcspn(wrong, ",") : strlen(wrong)),
                    wrong);
}
