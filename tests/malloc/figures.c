/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * figures.c -- adds up what a profile of a C program says, by all labels, for
 * tests that know the totals.  It shares no code with the writer or with the
 * reducer, but the description of the format.
 *
 *     figures FILE [WORD]
 *
 * prints lines of
 *
 *     WHAT NAME ALLOCS BYTES KEPT BYTES PEAK BYTES TEMPORARY
 *
 * where WHAT is all, size, thread, region; of those the ones that begin with
 * WORD only; with the word "lost", of each size of what was kept
 *
 *     lost SIZE KEPT DIRECTLY INDIRECTLY
 *
 * as objects.  NAME is "-" where a sample has no such label.  Then the comments,
 * "comment KEY VALUE".  Any profile that is not as it should be ends it with
 * status 1.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "profile.pb-c.h"

typedef Mprof__Pprof__Profile Profile;
typedef Mprof__Pprof__Sample Sample;
typedef Mprof__Pprof__Label Label;

static const char *const columns[] = {
  "alloc_objects", "alloc_space",  "activations", "inuse_objects",
  "inuse_space",   "peak_objects", "peak_space",  "temporary_objects",
  "lost_objects",  "lost_space",   "indirectly_lost_objects",
  "indirectly_lost_space"
};

/* The last ones are there where what is lost was sought. */
enum { COLUMNS = 12, USUAL_COLUMNS = 8, ACTIVATIONS = 2, TEXT = 256 };

struct row {
  char name[TEXT];
  int64_t values[COLUMNS];
};

struct rows {
  struct row *rows;
  size_t count;
};

static const char *file, *word = "";
static size_t columns_there;

static void __attribute__((noreturn, format(printf, 1, 2)))
wrong(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  printf("wrong %s: ", file);
  vprintf(format, arguments);
  printf("\n");
  va_end(arguments);
  exit(1);
}

static Profile *
read_profile(void)
{
  gzFile from = gzopen(file, "rb");
  size_t size = 0, room = 1 << 20;
  uint8_t *bytes = malloc(room);
  Profile *profile;
  int n;
  if (from == NULL)
    wrong("cannot open");
  while ((n = gzread(from, bytes + size, (unsigned)(room - size))) > 0) {
    size += (size_t)n;
    if (size == room)
      bytes = realloc(bytes, room *= 2);
  }
  gzclose(from);
  profile = mprof__pprof__profile__unpack(NULL, size, bytes);
  if (n < 0 || size == 0 || profile == NULL)
    wrong("no profile");
  free(bytes);
  return profile;
}

static const char *
string(const Profile *p, int64_t number)
{
  if (number < 0 || (size_t)number >= p->n_string_table)
    wrong("no string %lld", (long long)number);
  return p->string_table[number];
}

static void
add(struct rows *rows, const char *name, const int64_t *values)
{
  size_t i = 0;
  while (i < rows->count && strcmp(rows->rows[i].name, name) != 0)
    i++;
  if (i == rows->count) {
    rows->rows = realloc(rows->rows, ++rows->count * sizeof *rows->rows);
    memset(&rows->rows[i], 0, sizeof *rows->rows);
    snprintf(rows->rows[i].name, TEXT, "%s", name);
  }
  for (size_t c = 0; c < columns_there; c++)
    rows->rows[i].values[c] += values[c];
}

/* That label of a sample as text. */
static const char *
label(const Profile *p, const Sample *s, const char *key)
{
  static char text[TEXT];
  strcpy(text, "-");
  for (size_t i = 0; i < s->n_label; i++) {
    const Label *l = s->label[i];
    if (strcmp(string(p, l->key), key) == 0) {
      if (l->str != 0)
        snprintf(text, TEXT, "%s", string(p, l->str));
      else
        snprintf(text, TEXT, "%lld", (long long)l->num);
    }
  }
  return text;
}

static int
by_name(const void *a, const void *b)
{
  const struct row *x = a, *y = b;
  const long long m = atoll(x->name), n = atoll(y->name);
  return m != n ? (m > n) - (m < n) : strcmp(x->name, y->name);
}

static void
print(const char *what, struct rows *rows)
{
  if (strncmp(what, word, strlen(word)) != 0)
    return;
  qsort(rows->rows, rows->count, sizeof *rows->rows, by_name);
  for (size_t i = 0; i < rows->count; i++) {
    const struct row *r = &rows->rows[i];
    printf("%s %s", what, r->name);
    for (int c = 0; c < USUAL_COLUMNS; c++)
      if (c != ACTIVATIONS)
        printf(" %lld", (long long)r->values[c]);
    printf("\n");
  }
}

static void
print_lost(struct rows *rows)
{
  qsort(rows->rows, rows->count, sizeof *rows->rows, by_name);
  for (size_t i = 0; i < rows->count; i++) {
    const int64_t *v = rows->rows[i].values;
    if (v[3] != 0)
      printf("lost %s %lld %lld %lld\n", rows->rows[i].name,
             (long long)v[3], (long long)v[8], (long long)v[10]);
  }
}

static void
print_comments(const Profile *p)
{
  if (strncmp("comment", word, strlen(word)) != 0)
    return;
  for (size_t i = 0; i < p->n_mprof_comment; i++) {
    const char *text = string(p, p->mprof_comment[i]);
    const char *value = strchr(text, '=');
    if (strncmp(text, "mprof.", 6) == 0 && value != NULL)
      printf("comment %.*s %s\n", (int)(value - text - 6), text + 6,
             value + 1);
  }
}

/* What holds for every profile of a C program. */
static void
check(const Profile *p, const struct row *all)
{
  for (size_t c = 0; c < columns_there; c++)
    if (strcmp(string(p, p->sample_type[c]->type), columns[c]) != 0)
      wrong("column %zu is %s", c, string(p, p->sample_type[c]->type));
  for (size_t i = 0; i < p->n_mprof_comment; i++) {
    const char *text = string(p, p->mprof_comment[i]);
    unsigned long long n;
    if ((sscanf(text, "mprof.allocations=%llu", &n) == 1 &&
         n != (unsigned long long)all->values[0]) ||
        (sscanf(text, "mprof.bytes=%llu", &n) == 1 &&
         n != (unsigned long long)all->values[1]) ||
        (sscanf(text, "mprof.peak_bytes=%llu", &n) == 1 &&
         n != (unsigned long long)all->values[6]))
      wrong("%s, but samples say otherwise", text);
  }
}

static void
check_sample(const Sample *s)
{
  if (s->n_value != columns_there)
    wrong("a sample of %zu values", s->n_value);
  for (size_t c = 0; c < columns_there; c++)
    if (s->value[c] < 0)
      wrong("a negative value");
  if (s->value[3] > s->value[0] || s->value[4] > s->value[1] ||
      s->value[5] > s->value[0] || s->value[6] > s->value[1] ||
      s->value[7] > s->value[0] - s->value[3])
    wrong("more kept or freed than allocated");
  if (columns_there == COLUMNS &&
      (s->value[8] + s->value[10] > s->value[3] ||
       s->value[9] + s->value[11] > s->value[4]))
    wrong("more lost than kept");
}

int
main(int argc, char **argv)
{
  static struct rows all, sizes, threads, regions;
  static const int64_t none[COLUMNS];
  Profile *p;
  file = argc > 1 ? argv[1] : "";
  word = argc > 2 ? argv[2] : "";
  p = read_profile();
  columns_there = p->n_sample_type;
  if (columns_there != COLUMNS && columns_there != USUAL_COLUMNS)
    wrong("%zu columns", p->n_sample_type);
  add(&all, "-", none);
  for (size_t i = 0; i < p->n_sample; i++) {
    const Sample *s = p->sample[i];
    check_sample(s);
    add(&all, "-", s->value);
    if (s->value[0] == 0)
      continue;
    add(&sizes, label(p, s, "bytes"), s->value);
    add(&threads, label(p, s, "thread"), s->value);
    add(&regions, label(p, s, "region"), s->value);
  }
  check(p, all.rows);
  if (strcmp(word, "lost") == 0)
    print_lost(&sizes);
  print("all", &all);
  print("size", &sizes);
  print("thread", &threads);
  print("region", &regions);
  print_comments(p);
  return 0;
}
