/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The hue is one of ten, out of the package's name; where it is taken, the
 * package with less below it gets the next that is free.  The lightness is
 * one of five, out of the function's name, so that neighbours differ.
 */

#include "export/frame_colours.h"

#include "analysis/grouping.h"
#include "base/array.h"
#include "common/system_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  HUE_COUNT = 10,
  SATURATION = 60,
  GREY_HUE = 215,
  GREY_SATURATION = 15,
  LIGHTNESS = 77
};

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

/* HUE in degrees, SATURATION and LIGHTNESS in per cents. */
static struct frame_colour
colour_of(int hue, int saturation, int lightness)
{
  double light = lightness / 100.0;
  double chroma = saturation / 100.0 * (light < 0.5 ? light : 1 - light);
  unsigned char parts[3];
  for (int i = 0; i < 3; i++) {
    double turn = fmod((i == 0 ? 0 : i == 1 ? 8 : 4) + hue / 30.0, 12);
    double part = fmin(fmin(turn - 3, 9 - turn), 1);
    parts[i] = (unsigned char)lround(255 * (light - chroma * fmax(part, -1)));
  }
  return (struct frame_colour){parts[0], parts[1], parts[2]};
}

struct frame_colour
frame_colour_of_whole(void)
{
  return colour_of(GREY_HUE, 14, 88);
}

/* Writes what stands for the package of the C function SOURCE: its file, the
 * library that it is in when that is all that is known of it, or the first
 * part of its name, as C programs name what belongs together: sqlite3 for
 * sqlite3_malloc, PyList for _PyList_Extend. */
static void
write_c_package(const struct group_source *source, struct sink *sink)
{
  const char *name = source->name;
  const char *slash = strrchr(source->file, '/');
  if (*source->file != '\0') {
    sink_text(sink, slash == NULL ? source->file : slash + 1);
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

/* Writes the name of FUNCTION's package; "" for one that is nobody's. */
static void
write_package(const struct reduction *reduction,
              const struct function *function, struct sink *sink)
{
  const struct profile *profile = reduction->profile;
  const struct group_source source = {
      .name = names_text(&reduction->frames.names, function->name),
      .file = names_text(&reduction->frames.names, function->file),
      .line = function->start_line,
      .runtime = function->runtime};
  struct string_sink package;
  string_sink_init(&package);
  if (reduction->options->by == BY_PACKAGE)
    sink_text(&package.sink, source.name);
  else
    group_name_write(BY_PACKAGE, profile->language, &source, &package.sink);
  const char *text = string_sink_for(&package, sink);
  bool plain_c = profile->language != LANGUAGE_LISP &&
                 reduction->options->by == BY_FUNCTION && *text != '\0' &&
                 (strcmp(text, "[C]") == 0 || *source.name == '[');
  if (plain_c)
    write_c_package(&source, sink);
  else if (*text != '[' && strcmp(text, "COMMON-LISP") != 0)
    sink_text(sink, text);
  string_sink_release(&package);
}

/* The number of NODE's package among NAMES, 0 for none; NAMES_NONE when
 * memory runs out. */
static uint32_t
package_of(const struct reduction *reduction, const struct graph_node *node,
           struct names *names)
{
  struct string_sink package;
  if (node->function == INDEX_NONE ||
      (reduction->profile->language == LANGUAGE_LISP &&
       is_system_function(node->name, node_file(reduction, node))))
    return 0;
  string_sink_init(&package);
  write_package(reduction, &reduction->frames.functions[node->function],
                &package.sink);
  const char *name = string_sink_text(&package);
  uint32_t id = name == NULL ? NAMES_NONE : names_intern(names, name);
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

static void
choose_hues(struct frame_colours *colours)
{
  size_t taken[HUE_COUNT] = {0};
  for (size_t i = 0; i < colours->count; i++) {
    size_t place = hash(colours->packages[i].name) % HUE_COUNT;
    while (taken[place] > i / HUE_COUNT)
      place = (place + 1) % HUE_COUNT;
    taken[place]++;
    colours->packages[i].hue = hues[place];
  }
}

/* Fills the packages, of which the nodes have the numbers of their names. */
static bool
sort_packages(struct frame_colours *colours)
{
  const struct call_graph *graph = colours->graph;
  size_t name_count = colours->names.count;
  uint32_t *places = array_zeroed(name_count, sizeof *places);
  colours->packages = array_zeroed(name_count, sizeof *colours->packages);
  if (places == NULL || colours->packages == NULL) {
    free(places);
    return false;
  }
  /* the first name stands for none */
  colours->count = name_count - 1;
  for (uint32_t i = 1; i < name_count; i++)
    colours->packages[i - 1].name = names_text(&colours->names, i);
  for (size_t i = 0; i < graph->node_count; i++) {
    uint32_t id = colours->of_node[i];
    if (id != 0 &&
        colours->packages[id - 1].bytes < graph->nodes[i].inclusive.bytes)
      colours->packages[id - 1].bytes = graph->nodes[i].inclusive.bytes;
  }
  array_sort(colours->packages, colours->count, sizeof *colours->packages,
             compare_packages);
  places[0] = INDEX_NONE;
  for (uint32_t i = 0; i < colours->count; i++)
    places[names_intern(&colours->names, colours->packages[i].name)] = i;
  for (size_t i = 0; i < graph->node_count; i++)
    colours->of_node[i] = places[colours->of_node[i]];
  free(places);
  return true;
}

bool
frame_colours_init(struct frame_colours *colours,
                   const struct reduction *reduction)
{
  const struct call_graph *graph = &reduction->graph;
  memset(colours, 0, sizeof *colours);
  colours->graph = graph;
  colours->of_node =
      array_zeroed(graph->node_count, sizeof *colours->of_node);
  bool good = colours->of_node != NULL && names_init(&colours->names);
  for (size_t i = 0; good && i < graph->node_count; i++) {
    colours->of_node[i] =
        package_of(reduction, &graph->nodes[i], &colours->names);
    good = colours->of_node[i] != NAMES_NONE;
  }
  good = good && sort_packages(colours);
  if (good)
    choose_hues(colours);
  return good;
}

void
frame_colours_release(struct frame_colours *colours)
{
  names_release(&colours->names);
  free(colours->packages);
  free(colours->of_node);
  memset(colours, 0, sizeof *colours);
}

int
frame_shade(const char *name)
{
  return (int)(hash(name) % 5) * 2 - 4;
}

struct frame_colour
frame_colour_of_node(const struct frame_colours *colours, uint32_t node)
{
  int lightness = LIGHTNESS + frame_shade(colours->graph->nodes[node].name);
  uint32_t package = colours->of_node[node];
  return package == INDEX_NONE
             ? colour_of(GREY_HUE, GREY_SATURATION, lightness)
             : colour_of(colours->packages[package].hue, SATURATION,
                         lightness);
}
