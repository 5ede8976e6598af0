/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Heap profiles that gperftools, tcmalloc and jemalloc write as text:
 *
 *   heap profile:  3:  300 [  5:  500] @ heapprofile
 *        1:  100 [  2:  200] @ 0x55d0c0de1199 0x7f2e0c0de24a
 *   MAPPED_LIBRARIES:
 *   55d0c0de1000-55d0c0de2000 r-xp 00001000 08:01 1234 /home/me/program
 *
 *   heap_v2/524288
 *     t*: 3: 300 [5: 500]
 *   @ 0x55d0c0de1199 0x7f2e0c0de24a
 *     t*: 1: 100 [2: 200]
 *     t1: 1: 100 [2: 200]
 *   MAPPED_LIBRARIES: ...
 *
 * Objects and bytes are those in use and, in brackets, those allocated.  The
 * innermost address is the first.  Code of the allocator itself is left out
 * there, if it is in a library.  Threads (t1) are not told apart.
 *
 * A sampled profile, heap_v2/RATE, has an allocation about every RATE bytes.
 * An object of SIZE bytes was recorded with the probability
 * 1 - exp(-SIZE / RATE); the figures of a chain are divided by that of its
 * mean size, as pprof does.
 */

#include "profile/reading.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { COUNTS = 4 }; /* in use: objects, bytes; allocated: objects, bytes */

struct heap_text {
  struct reading *reading;
  char *start, *at;     /* the text, with a zero behind; the present line */
  char *next;           /* the line behind it */
  uint64_t rate;        /* 1: not sampled */
  struct numbers chain; /* addresses, the innermost first */
  struct mapped {
    uint64_t start, end;
    uint32_t number; /* of the profile's mapping */
    bool allocator;
  } *files; /* by address */
  size_t file_count, file_capacity;
  struct text_sample {
    uint64_t counts[COUNTS]; /* scaled */
    uint32_t node;           /* the end of its chain */
    size_t at;               /* offset of its line */
  } *samples;
  size_t sample_count, sample_capacity;
};

/* ---- lines ---- */

static _Noreturn void
refuse_line(const struct heap_text *text, const char *why)
{
  reading_fault_at(text->reading, (size_t)(text->at - text->start), "%s",
                   why);
}

/* Makes the next line, which ends with a zero then, the present one.  Returns
 * false at the end. */
static bool
next_line(struct heap_text *text)
{
  if (*text->next == '\0')
    return false;
  text->at = text->next;
  text->next += strcspn(text->next, "\n");
  if (*text->next != '\0')
    *text->next++ = '\0';
  return true;
}

/* Moves *AT behind blanks and WORD.  Returns false if that is not there. */
static bool
skip(const char **at, const char *word)
{
  *at += strspn(*at, " \t\r");
  if (strncmp(*at, word, strlen(word)) != 0)
    return false;
  *at += strlen(word);
  return true;
}

/* Reads a number without a sign, of at most 63 bits for base 10, at *AT. */
static bool
read_number(const char **at, int base, uint64_t *number)
{
  char *end;
  skip(at, "");
  errno = 0;
  *number = strtoull(*at, &end, base);
  if (end == *at || **at == '-' || **at == '+' || errno != 0 ||
      (base == 10 && *number > INT64_MAX))
    return false;
  *at = end;
  return true;
}

/* Returns whether nothing but blanks is left at AT. */
static bool
is_end(const char *at)
{
  skip(&at, "");
  return *at == '\0';
}

/* Reads "N: N [N: N]" at *AT. */
static bool
read_counts(const char **at, uint64_t counts[COUNTS])
{
  return read_number(at, 10, &counts[0]) && skip(at, ":") &&
         read_number(at, 10, &counts[1]) && skip(at, "[") &&
         read_number(at, 10, &counts[2]) && skip(at, ":") &&
         read_number(at, 10, &counts[3]) && skip(at, "]");
}

/* Reads the addresses from AT to the end of the line as the chain. */
static void
read_chain(struct heap_text *text, const char *at)
{
  uint64_t address;
  text->chain.count = 0;
  while (read_number(&at, 16, &address))
    if (address != 0)
      numbers_push(&text->chain, address - 1); /* in the call */
  if (!is_end(at))
    refuse_line(text, "an address is not a hexadecimal number");
}

/* ---- files of code ---- */

/* Adds the file that the line maps, if it is code. */
static void
add_file(struct heap_text *text)
{
  struct profile *profile = text->reading->profile;
  struct profile_mapping m;
  int length = 0;
  if (sscanf(text->at,
             "%" SCNx64 "-%" SCNx64 " r%*1[-w]x%*c %" SCNx64 " %*s %*u %n",
             &m.start, &m.end, &m.offset, &length) < 3 ||
      length == 0 || m.end <= m.start || m.end > INT64_MAX ||
      m.offset > INT64_MAX - m.end)
    return;
  const char *path = text->at + length, *name = basename(path);
  m = (struct profile_mapping){
      m.start, m.end, m.offset, names_intern(&profile->names, path), 0, 0};
  ARRAY_ADD(text, file,
            (struct mapped){m.start, m.end, profile_add_mapping(profile, m),
                            strstr(name, "jemalloc") != NULL ||
                                strstr(name, "tcmalloc") != NULL});
}

/* Adds all files of code, which stand behind the samples, and ends the text
 * before them. */
static void
read_files(struct heap_text *text)
{
  char *const maps = strstr(text->start, "MAPPED_LIBRARIES:");
  if (maps == NULL)
    return;
  text->next = maps;
  while (next_line(text))
    add_file(text);
  *maps = '\0';
  text->next = text->start;
  array_sort(text->files, text->file_count, sizeof *text->files,
             array_compare_numbers);
}

/* Returns the file with that address, or NULL. */
static const struct mapped *
file_at(const struct heap_text *text, uint64_t address)
{
  const size_t count = array_count_until(text->files, text->file_count,
                                         sizeof *text->files, address);
  return count > 0 && address < text->files[count - 1].end
             ? &text->files[count - 1]
             : NULL;
}

/* ---- samples ---- */

/* Estimates what was allocated by what was recorded of it. */
static void
scale(const struct heap_text *text, uint64_t *count, uint64_t *bytes)
{
  if (*count == 0 || *bytes == 0)
    *count = *bytes = 0;
  if (text->rate <= 1 || *count == 0)
    return;
  const double mean = (double)*bytes / (double)*count;
  const double factor = -1 / expm1(-mean / (double)text->rate);
  if ((double)*bytes * factor >= 0x1p62 || (double)*count * factor >= 0x1p62)
    refuse_line(text, "its estimate is beyond 62 bits");
  *count = (uint64_t)((double)*count * factor);
  *bytes = (uint64_t)((double)*bytes * factor);
}

/* Returns the node of the chain. */
static uint32_t
node_of_chain(const struct heap_text *text)
{
  struct profile *profile = text->reading->profile;
  const struct mapped *file;
  uint32_t node = TREE_ROOT;
  size_t first = 0;
  while (first < text->chain.count &&
         (file = file_at(text, text->chain.items[first])) != NULL &&
         file->allocator)
    first++;
  for (size_t i = text->chain.count; i-- > first;) {
    file = file_at(text, text->chain.items[i]);
    const struct profile_location location = {
        .mapping = file == NULL ? INDEX_NONE : file->number,
        .address = text->chain.items[i]};
    node = tree_child(&profile->tree, node,
                      profile_add_location(profile, location, NULL, 0));
  }
  return node;
}

static void
add_sample(struct heap_text *text, uint64_t counts[COUNTS])
{
  struct text_sample sample = {.node = node_of_chain(text),
                               .at = (size_t)(text->at - text->start)};
  scale(text, &counts[0], &counts[1]);
  scale(text, &counts[2], &counts[3]);
  memcpy(sample.counts, counts, sizeof sample.counts);
  ARRAY_ADD(text, sample, sample);
}

/* Reads a line of samples. */
static void
read_line(struct heap_text *text)
{
  const char *at = text->at;
  uint64_t counts[COUNTS];
  if (skip(&at, "@")) {
    read_chain(text, at);
  } else if (skip(&at, "t*:")) {
    if (!read_counts(&at, counts) || !is_end(at))
      refuse_line(text, "what follows t*: is not N: N [N: N]");
    add_sample(text, counts);
  } else if (!skip(&at, "t") && !is_end(at)) {
    if (!read_counts(&at, counts) || !skip(&at, "@"))
      refuse_line(text, "the line is not N: N [N: N] @ ADDRESSES");
    read_chain(text, at);
    add_sample(text, counts);
  }
}

/* ---- the whole ---- */

/* Reads the first line, and with jemalloc the totals behind it. */
static void
read_heading(struct heap_text *text)
{
  const char *at = next_line(text) ? text->at : "";
  uint64_t totals[COUNTS];
  bool good;
  text->rate = 1;
  if (skip(&at, "heap profile:")) {
    good = read_counts(&at, totals) && skip(&at, "@");
    if (good && !skip(&at, "heapprofile"))
      good = (skip(&at, "heap_v2/") || skip(&at, "heapz_v2/")) &&
             read_number(&at, 10, &text->rate);
  } else {
    good = skip(&at, "heap_v2/") && read_number(&at, 10, &text->rate) &&
           is_end(at) && next_line(text);
    at = text->at;
    good = good && skip(&at, "t*:") && read_counts(&at, totals);
  }
  if (!good || !is_end(at))
    refuse_line(text, "is no heap profile that mprof knows");
}

/* Gives the file its columns: those of what was allocated only where that is
 * not what is in use, as tcmalloc writes that twice. */
static void
set_columns(const struct heap_text *text, bool accumulates)
{
  static const enum pprof_column columns[COUNTS] = {
      PPROF_KEPT_COUNT, PPROF_KEPT_BYTES, PPROF_COUNT, PPROF_BYTES};
  struct names *names = &text->reading->profile->names;
  struct profile *heading = &text->reading->heading;
  heading->column_count = accumulates ? COUNTS : COUNTS / 2;
  heading->columns = pool_zeroed(COUNTS, sizeof *heading->columns);
  for (size_t i = 0; i < heading->column_count; i++)
    heading->columns[i] = (struct profile_value_type){
        names_intern(names, pprof_columns[columns[i]].type),
        names_intern(names, pprof_columns[columns[i]].unit)};
  heading->period_type = (struct profile_value_type){
      names_intern(names, "space"), names_intern(names, "bytes")};
  heading->period = (int64_t)text->rate;
  heading->file_count = 1;
}

/* Adds all samples to the profile. */
static void
add_all(const struct heap_text *text)
{
  struct reading *reading = text->reading;
  bool accumulates = false, apart = false;
  for (size_t i = 0; i < text->sample_count; i++) {
    const uint64_t *c = text->samples[i].counts;
    accumulates |= c[3] != 0 && (c[2] != c[0] || c[3] != c[1]);
    apart |= c[0] > c[2] || c[1] > c[3];
  }
  set_columns(text, accumulates);
  reading_columns(reading);
  reading->heading.gaps.apart = accumulates && apart;
  for (size_t i = 0; i < text->sample_count; i++, reading->sample++) {
    const struct text_sample *sample = &text->samples[i];
    uint32_t labels = 0;
    reading->sample_at = sample->at;
    sample_begin(reading);
    for (size_t c = 0; c < reading->heading.column_count; c++)
      numbers_push(&reading->values, sample->counts[c]);
    sample_check(reading);
    sample_add(reading, sample->node, &labels);
  }
}

void
heap_text_read(struct reading *reading)
{
  struct heap_text text = {.reading = reading};
  text.start = text.next =
      pool_text_part((const char *)reading->file.data, reading->file.length);
  text.at = text.start;
  if (strlen(text.start) < reading->file.length)
    refuse_line(&text, "the text has a zero byte");
  reading->profile->addresses_alone = true;
  read_files(&text);
  read_heading(&text);
  while (next_line(&text))
    read_line(&text);
  add_all(&text);
  pool_free(text.start);
  pool_free(text.files);
  pool_free(text.samples);
}
