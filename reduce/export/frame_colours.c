/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The hue is one of ten, out of the package's name; where it is taken, the
 * package with less below it gets the next that is free.  The shade is one of
 * five, out of the function's name, so that neighbours differ.
 */

#include "export/frame_colours.h"

#include "analysis/grouping.h"
#include "base/array.h"
#include "common/system_functions.h"

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

/* The number of NODE's package among NAMES, 0 for none, by way of the string
 * PACKAGE. */
static uint32_t
package_of(const struct reduction *reduction, const struct graph_node *node,
           struct names *names, struct string_sink *package)
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
  string_sink_clear(package);
  if (by == BY_PACKAGE)
    sink_text(&package->sink, source.name);
  else
    group_name_write(BY_PACKAGE, language, &source, &package->sink);
  const char *text = string_sink_text(package);
  bool is_c = language != LANGUAGE_LISP && by == BY_FUNCTION &&
              *text != '\0' &&
              (strcmp(text, "[C]") == 0 || *source.name == '[');
  if (is_c || *text == '[' || strcmp(text, "COMMON-LISP") == 0)
    string_sink_clear(package);
  if (is_c)
    write_c_package(&source, &package->sink);
  return names_intern(names, string_sink_text(package));
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

/* Puts the packages in order, and gives NODE_COUNT nodes their places for
 * their ids. */
static void
sort_packages(struct frame_colours *colours, size_t node_count)
{
  struct frame_package *packages = colours->packages;
  uint32_t *places = pool_zeroed(colours->names.count, sizeof *places);
  size_t taken[HUE_COUNT] = {0};
  colours->count = colours->names.count - 1;
  array_sort(packages, colours->count, sizeof *packages, compare_packages);
  places[0] = INDEX_NONE;
  for (uint32_t i = 0; i < colours->count; i++) {
    places[packages[i].id] = i;
    packages[i].hue = choose_hue(taken, packages[i].name, i);
  }
  for (size_t i = 0; i < node_count; i++)
    colours->of_node[i] = places[colours->of_node[i]];
}

void
frame_colours_init(struct frame_colours *colours,
                   const struct reduction *reduction)
{
  const struct call_graph *graph = &reduction->graph;
  size_t count = graph->node_count;
  struct string_sink name;
  *colours = (struct frame_colours){
      .packages = pool_zeroed(count, sizeof *colours->packages),
      .of_node = pool_zeroed(count, sizeof *colours->of_node)};
  names_init(&colours->names);
  string_sink_init(&name);
  for (size_t i = 0; i < count; i++) {
    uint64_t bytes = graph->nodes[i].inclusive.bytes;
    uint32_t id =
        package_of(reduction, &graph->nodes[i], &colours->names, &name);
    colours->of_node[i] = id;
    if (id == 0)
      continue;
    struct frame_package *package = &colours->packages[id - 1];
    package->id = id;
    package->name = names_text(&colours->names, id);
    if (package->bytes < bytes)
      package->bytes = bytes;
  }
  sort_packages(colours, count);
}

int
frame_shade(const char *name)
{
  return (int)(hash(name) % 5) * 2 - 4;
}
