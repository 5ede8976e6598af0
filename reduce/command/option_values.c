/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One function for each kind.  Enumerations are stored as the unsigned
 * integers that they are.
 */

#include "command/options.h"

#include "base/names.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

/* ---- words ------------------------------------------------------------- */

/* Returns the word of ROW with that NUMBER, or NULL behind the last. */
static const char *
word_of(const struct option_row *row, size_t number)
{
  const char *first = (const char *)row->words;
  return *(const char *const *)(const void *)(first + number * row->stride);
}

const char *
option_words(const struct option_row *row)
{
  const char *text = "", *word, *next = word_of(row, 0);
  for (size_t i = 1; (word = next) != NULL; i++) {
    next = word_of(row, i);
    text = pool_format("%s%s%s", text,
                       i == 1                     ? ""
                       : next != NULL             ? ", "
                       : row->store == store_list ? " and "
                                                  : " or ",
                       word);
  }
  return text;
}

/* Says that V is to be WHAT, not what MEANT is for. */
static _Noreturn void
refuse_part(const struct option_value *v, const char *what,
            const struct suggestion *meant)
{
  const char *name = v->row->name;
  fail_with(MPROF_USAGE, "%s%s takes %s, not '%.*s'%s", OPTION_DASHES(name),
            name, what, (int)meant->length, meant->unknown,
            suggestion_text(meant, ""));
}

static _Noreturn void
refuse(const struct option_value *v, const char *what)
{
  const struct suggestion none = suggestion_for(v->text, strlen(v->text));
  refuse_part(v, what, &none);
}

/* Returns the number of the word that LENGTH bytes at TEXT are. */
static size_t
find_word(const struct option_value *v, const char *text, size_t length)
{
  const char *word;
  struct suggestion meant = suggestion_for(text, length);
  for (size_t i = 0; (word = word_of(v->row, i)) != NULL; i++) {
    if (strlen(word) == length && memcmp(word, text, length) == 0)
      return i;
    suggestion_offer(&meant, word);
  }
  refuse_part(v, option_words(v->row), &meant);
}

void
store_word(const struct option_value *v)
{
  *(unsigned *)v->field =
      (unsigned)(v->row->number + find_word(v, v->text, strlen(v->text)));
}

void
store_granularity(const struct option_value *v)
{
  static const char label[] = "label:";
  struct view_options *view = v->field;
  view->by_label = strncmp(v->text, label, sizeof label - 1) == 0
                       ? v->text + sizeof label - 1
                       : NULL;
  view->by = view->by_label != NULL && *view->by_label != '\0'
                 ? BY_LABEL
                 : (enum granularity)find_word(v, v->text, strlen(v->text));
}

void
store_row(const struct option_value *v)
{
  const char *found = (const char *)v->row->words +
                      find_word(v, v->text, strlen(v->text)) * v->row->stride;
  memcpy(v->field, &found, sizeof found);
}

void
store_list(const struct option_value *v)
{
  uint64_t *set = v->field;
  const char *text = v->text;
  if (v->row->number == 0)
    *set = 0;
  for (;; text++) {
    size_t length = strcspn(text, ",");
    *set |= UINT64_C(1) << find_word(v, text, length);
    text += length;
    if (*text == '\0')
      return;
  }
}

/* ---- flags and numbers ------------------------------------------------- */

void
store_flag(const struct option_value *v)
{
  *(bool *)v->field = v->row->number != 0;
}

void
store_choice(const struct option_value *v)
{
  *(unsigned *)v->field = (unsigned)v->row->number;
}

void
store_number(const struct option_value *v)
{
  const size_t most = v->row->number, length = strlen(v->text);
  errno = 0;
  const size_t number = strtoull(v->text, NULL, 10);
  *(size_t *)v->field = number;
  if (length == 0 || strspn(v->text, "0123456789") < length || errno != 0 ||
      number == SIZE_MAX || (most != SIZE_MAX && number - 1 >= most))
    refuse(v, most == SIZE_MAX ? "a number"
              : most == SIZE_MAX - 1
                  ? "a positive number"
                  : pool_format("a positive number of at most %zu", most));
}

/* Reads the digits at TEXT, with a point among them or not.  Sets *END to
 * what follows the number, or to TEXT without one. */
static double
read_decimal(const char *text, const char **end)
{
  char *stop;
  const double number = strtod(text, &stop);
  *end = stop == text + strspn(text, "0123456789.") ? stop : text;
  return number;
}

/* Stores at most 100 %, with up to four decimals, as millionths. */
void
store_percent(const struct option_value *v)
{
  const char *end, *point = strchr(v->text, '.');
  const double percents = read_decimal(v->text, &end);
  if (end == v->text || *end != '\0' || percents > 100 ||
      (point != NULL && strlen(point) > sizeof ".1234" - 1))
    refuse(v, "a number up to 100");
  *(uint32_t *)v->field = (uint32_t)(percents * (SHARE_WHOLE / 100) + 0.5);
}

/* Stores a number, with a fraction or not, and a unit; seconds if that is
 * missing.  The time is no less than the number of the row. */
void
store_time(const struct option_value *v)
{
  static const struct {
    const char *unit;
    double seconds;
  } units[] = {{"", 1},     {"s", 1},  {"ms", 1e-3},
               {"min", 60}, {"m", 60}, {"h", 3600}};
  const char *text = v->text == NULL ? "1s" : v->text;
  const char *end;
  const double number = read_decimal(text, &end);
  for (size_t i = 0; end > text && i < sizeof units / sizeof *units; i++) {
    const double value = number * units[i].seconds * 1e9 + 0.5;
    if (strcmp(end, units[i].unit) == 0 && value < 9e18 &&
        value >= (double)v->row->number) {
      *(uint64_t *)v->field = (uint64_t)value;
      return;
    }
  }
  refuse(v, v->row->number > 1 ? "a time from 1ms on, such as 10s or 2min"
                               : "a time such as 10s, 500ms or 2min");
}

/* ---- text -------------------------------------------------------------- */

void
store_text(const struct option_value *v)
{
  *(const char **)v->field = v->text;
  if (v->row->number != 0 && *v->text == '\0')
    refuse(v, "a file");
}

/* Returns the name of SIGNAL without SIG, or NULL if this C library cannot
 * tell. */
static const char *
name_of_signal(int signal)
{
#ifdef __GLIBC__
  return sigabbrev_np(signal);
#else
  (void)signal;
  return NULL;
#endif
}

void
store_signal(const struct option_value *v)
{
  const char *text = v->text;
  const char *name = strncmp(text, "SIG", 3) == 0 ? text + 3 : text;
  char number[16];
  *(const char **)v->field = v->text;
  for (int i = 1; i < SIGRTMIN; i++) {
    snprintf(number, sizeof number, "%d", i);
    if (i != SIGKILL && i != SIGSTOP &&
        (strcmp(text, number) == 0 ||
         (name_of_signal(i) != NULL && strcmp(name_of_signal(i), name) == 0)))
      return;
  }
  refuse(v, "the name of a signal other than KILL and STOP");
}

void
store_growth(const struct option_value *v)
{
  if (!growth_limits_parse(v->field, v->text))
    refuse(v, "N%, Nallocs, N%allocs, or N with a unit such as KiB or "
              "MiB, each with function: or kept: in front or not");
}

void
store_leaks(const struct option_value *v)
{
  struct growth_limits *limits = v->field;
  const char *text = v->text == NULL ? "0" : v->text;
  if (!growth_limits_parse(limits, text) || strchr(text, ',') != NULL ||
      !limits->of[GROWTH_OF_TOTAL][GROWTH_BYTES].set)
    refuse(v, "N bytes, or N with a unit such as KiB or MiB");
}
