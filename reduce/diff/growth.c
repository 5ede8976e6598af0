/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers are kept in millionths, and products in 128 bits. */

#include "diff/growth.h"

#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum { MILLION = 1000000, DECIMALS = 6, WHOLE_PERCENTS = 100 };

static const struct {
  const char *name;
  enum growth_kind kind;
  uint64_t factor;
} units[] = {
    {"%", GROWTH_BYTE_SHARE, 1},
    {"%allocs", GROWTH_ALLOC_SHARE, 1},
    {"allocs", GROWTH_ALLOCS, 1},
    {"", GROWTH_BYTES, 1},
    {"B", GROWTH_BYTES, 1},
    {"kB", GROWTH_BYTES, 1000},
    {"MB", GROWTH_BYTES, 1000 * 1000},
    {"GB", GROWTH_BYTES, 1000 * 1000 * 1000},
    {"KiB", GROWTH_BYTES, 1 << 10},
    {"MiB", GROWTH_BYTES, 1 << 20},
    {"GiB", GROWTH_BYTES, 1 << 30},
};

static bool
is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Reads the number at *TEXT, which moves past it, in millionths. */
static bool
read_number(const char **text, uint64_t *millionths)
{
  const char *c = *text;
  uint64_t value = 0;
  int decimals = 0;
  if (!is_digit(*c))
    return false;
  for (; is_digit(*c); c++)
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
      return false;
  if (__builtin_mul_overflow(value, MILLION, &value))
    return false;
  if (*c == '.' && is_digit(c[1]))
    for (uint64_t place = MILLION / 10; is_digit(*++c); place /= 10) {
      if (++decimals > DECIMALS)
        return false;
      value += (uint64_t)(*c - '0') * place;
    }
  *text = c;
  *millionths = value;
  return true;
}

/* Reads one limit of LENGTH bytes at TEXT. */
static bool
read_limit(struct growth_limits *limits, const char *text, size_t length)
{
  const char *unit = text;
  uint64_t value;
  if (!read_number(&unit, &value) || unit > text + length)
    return false;
  size_t unit_length = length - (size_t)(unit - text);
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    if (strlen(units[i].name) == unit_length &&
        memcmp(units[i].name, unit, unit_length) == 0) {
      limits->set[units[i].kind] = true;
      return !__builtin_mul_overflow(value, units[i].factor,
                                     &limits->millionths[units[i].kind]);
    }
  return false;
}

bool
growth_limits_parse(struct growth_limits *limits, const char *text)
{
  *limits = (struct growth_limits){.text = text};
  for (;;) {
    size_t length = strcspn(text, ",");
    if (!read_limit(limits, text, length))
      return false;
    if (text[length] == '\0')
      return true;
    text += length + 1;
  }
}

bool
growth_exceeds(const struct growth_limits *limits, enum growth_kind kind,
               uint64_t old, uint64_t new, uint64_t whole)
{
  if (!limits->set[kind] || new <= old)
    return false;
  uint128 growth = (uint128)(new - old) * MILLION;
  uint128 limit = limits->millionths[kind];
  return kind == GROWTH_BYTE_SHARE || kind == GROWTH_ALLOC_SHARE
             ? growth * WHOLE_PERCENTS > limit * whole
             : growth > limit;
}
