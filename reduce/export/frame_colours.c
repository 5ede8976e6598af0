/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The hue is one of ten, out of the package's name; where it is taken, the
 * package with less below it gets the next that is free.  The shade is one of
 * five, out of the function's name, so that neighbours differ.
 */

#include "export/frame_colours.h"

#include "analysis/grouping.h"
#include "base/array.h"
#include "common/system_functions.h"

#include <stdlib.h>
#include <string.h>

enum { HUE_COUNT = 10 };

static const int hues[HUE_COUNT] = {205, 150, 42,  262, 18,
                                    95,  178, 232, 66,  345};

static uint32_t
hash(const char *text)
{
  uint32_t value = 2166136261u;
  for (; *text != '\0'; text++)
    value = (value ^ (unsigned char)*text) * 16777619u;
  return value;
}

/* Writes what stands for the package of the C function SOURCE: its file, the
 * library that it is in when that is all that is known of it, or the first
 * part of its name, as C programs name what belongs together: sqlite3 for
 * sqlite3_malloc, PyList for _PyList_Extend. */
static void
write_c_package(const struct group_source *source, struct sink *sink)
{
  const char *name = source->name;
  if (*source->file != '\0') {
    sink_text(sink, basename(source->file));
    return;
  }
  if (*name == '[') {
    size_t length = strcspn(name, "+");
    if (name[length] == '+')
      sink_bytes(sink, name + 1, length - 1);
    return;
  }
  name += strspn(name, "_");
  size_t length = strcspn(name, "_");
  if (length > 1 && name[length] == '_')
    sink_bytes(sink, name, length);
}

/* The number of NODE's package among NAMES, 0 for none; NAMES_NONE when
 * memory runs out. */
static uint32_t
package_of(const struct reduction *reduction, const struct graph_node *node,
           struct names *names)
{
  enum granularity by = reduction->options->by;
  enum language language = reduction->profile->language;
  const char *file = node_file(reduction, node);
  if (node->function == INDEX_NONE ||
      (language == LANGUAGE_LISP && is_system_function(node->name, file)))
    return 0;
  const struct group_source source = {
      .name = function_name(&reduction->frames, node->function),
      .file = file,
      .runtime = reduction->frames.functions[node->function].runtime};
  struct string_sink package;
  string_sink_init(&package);
  if (by == BY_PACKAGE)
    sink_text(&package.sink, source.name);
  else
    group_name_write(BY_PACKAGE, language, &source, &package.sink);
  const char *text = string_sink_text(&package);
  bool is_c = text != NULL && language != LANGUAGE_LISP &&
              by == BY_FUNCTION && *text != '\0' &&
              (strcmp(text, "[C]") == 0 || *source.name == '[');
  if (text != NULL &&
      (is_c || *text == '[' || strcmp(text, "COMMON-LISP") == 0))
    string_sink_clear(&package);
  if (is_c)
    write_c_package(&source, &package.sink);
  text = string_sink_text(&package);
  uint32_t id = text == NULL ? NAMES_NONE : names_intern(names, text);
  string_sink_release(&package);
  return id;
}

/* By bytes, descending, then by name. */
static int
compare_packages(const void *left, const void *right)
{
  const struct frame_package *a = left;
  const struct frame_package *b = right;
  if (a->bytes != b->bytes)
    return a->bytes > b->bytes ? -1 : 1;
  return strcmp(a->name, b->name);
}

/* The hue of NAME, the package with the number I, when so many packages as
 * TAKEN says have each. */
static int
choose_hue(size_t taken[HUE_COUNT], const char *name, size_t i)
{
  size_t place = hash(name) % HUE_COUNT;
  while (taken[place] > i / HUE_COUNT)
    place = (place + 1) % HUE_COUNT;
  taken[place]++;
  return hues[place];
}

/* Puts the packages in order, and gives nodes their places for their ids. */
static bool
sort_packages(struct frame_colours *colours)
{
  struct frame_package *packages = colours->packages;
  uint32_t *places = array_zeroed(colours->names.count, sizeof *places);
  size_t taken[HUE_COUNT] = {0};
  if (places == NULL)
    return false;
  colours->count = colours->names.count - 1;
  array_sort(packages, colours->count, sizeof *packages, compare_packages);
  places[0] = INDEX_NONE;
  for (uint32_t i = 0; i < colours->count; i++) {
    places[packages[i].id] = i;
    packages[i].hue = choose_hue(taken, packages[i].name, i);
  }
  for (size_t i = 0; i < colours->graph->node_count; i++)
    colours->of_node[i] = places[colours->of_node[i]];
  pool_free(places);
  return true;
}

bool
frame_colours_init(struct frame_colours *colours,
                   const struct reduction *reduction)
{
  const struct call_graph *graph = &reduction->graph;
  size_t count = graph->node_count;
  *colours = (struct frame_colours){.graph = graph};
  colours->packages = array_zeroed(count, sizeof *colours->packages);
  colours->of_node = array_zeroed(count, sizeof *colours->of_node);
  if (colours->packages == NULL || colours->of_node == NULL ||
      !names_init(&colours->names))
    return false;
  for (size_t i = 0; i < count; i++) {
    uint64_t bytes = graph->nodes[i].inclusive.bytes;
    uint32_t id = package_of(reduction, &graph->nodes[i], &colours->names);
    colours->of_node[i] = id;
    if (id == NAMES_NONE)
      return false;
    if (id == 0)
      continue;
    struct frame_package *package = &colours->packages[id - 1];
    package->id = id;
    package->name = names_text(&colours->names, id);
    if (package->bytes < bytes)
      package->bytes = bytes;
  }
  return sort_packages(colours);
}

void
frame_colours_release(struct frame_colours *colours)
{
  names_release(&colours->names);
  pool_free(colours->packages);
  pool_free(colours->of_node);
}

int
frame_shade(const char *name)
{
  return (int)(hash(name) % 5) * 2 - 4;
}
