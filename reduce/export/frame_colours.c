/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The hue is one of ten, out of the package's name; where it is taken, the
 * package with less below it gets the next that is free.  The lightness is
 * one of five, out of the function's name, so that neighbours differ.
 * reduce/html/src/colours.js does the same.
 */

#include "export/frame_colours.h"

#include "export/listing.h"
#include "analysis/group_names.h"
#include "base/array.h"
#include "common/system_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  HUE_COUNT = 10,
  SATURATION = 60,
  GREY_HUE = 215,
  GREY_SATURATION = 15
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

void
frame_package_write(const struct reduction *reduction,
                    const struct function *function,
                    struct sink *sink)
{
  const struct profile *profile = reduction->profile;
  const struct names *names = &reduction->frames.names;
  const struct group_source source = {
      .name = names_text(names, function->name),
      .file = names_text(names, function->file),
      .line = function->start_line,
      .runtime = function->runtime};
  struct sink_string text = {0};
  struct sink package;
  sink_init(&package, sink_write_string, &text);
  if (reduction->options->by == BY_PACKAGE)
    sink_text(&package, source.name);
  else
    group_name_write(BY_PACKAGE, profile->language, &source, &package);
  if (!sink_flush(&package))
    sink_fail(sink, package.error_number);
  bool plain_c = profile->language != LANGUAGE_LISP &&
                 reduction->options->by == BY_FUNCTION && text.text != NULL &&
                 (strcmp(text.text, "[C]") == 0 || *source.name == '[');
  if (plain_c)
    write_c_package(&source, sink);
  else if (text.text != NULL && text.text[0] != '[' &&
           strcmp(text.text, "COMMON-LISP") != 0)
    sink_text(sink, text.text);
  free(text.text);
}

/* The place of NODE's package among PACKAGES, 0 for none; NAMES_NONE when
 * memory runs out. */
static uint32_t
package_of(const struct reduction *reduction, const struct graph_node *node,
           struct names *packages)
{
  struct sink_string text = {0};
  struct sink sink;
  if (node->function == INDEX_NONE ||
      (reduction->profile->language == LANGUAGE_LISP &&
       is_system_function(node->name, listed_file(reduction, node))))
    return 0;
  sink_init(&sink, sink_write_string, &text);
  frame_package_write(reduction,
                      &reduction->frames.functions[node->function], &sink);
  uint32_t id =
      !sink_flush(&sink)
          ? NAMES_NONE
          : names_intern(packages, text.text == NULL ? "" : text.text);
  free(text.text);
  return id;
}

struct package {
  const char *name;
  uint32_t id;
  uint64_t bytes; /* most of any function, with all below it */
};

/* By bytes, descending, then by name. */
static int
compare_packages(const void *left, const void *right)
{
  const struct package *a = left;
  const struct package *b = right;
  if (a->bytes != b->bytes)
    return a->bytes > b->bytes ? -1 : 1;
  return strcmp(a->name, b->name);
}

/* Gives each of COUNT packages, sorted, a hue in HUE_OF, by id. */
static void
choose_hues(const struct package *packages, size_t count, int *hue_of)
{
  size_t taken[HUE_COUNT] = {0};
  for (size_t i = 0; i < count; i++) {
    size_t place = hash(packages[i].name) % HUE_COUNT;
    for (; taken[place] > i / HUE_COUNT; place = (place + 1) % HUE_COUNT)
      ;
    taken[place]++;
    hue_of[packages[i].id] = hues[place];
  }
}

/* Fills COLOURS; OF_NODE, by node, is the id of its package among NAMES. */
static bool
colour_nodes(const struct call_graph *graph, const uint32_t *of_node,
             const struct names *names, struct frame_colour *colours)
{
  struct package *packages = array_zeroed(names->count, sizeof *packages);
  int *hue_of = array_zeroed(names->count, sizeof *hue_of);
  bool good = packages != NULL && hue_of != NULL;
  for (uint32_t i = 0; good && i < names->count; i++)
    packages[i] = (struct package){names_text(names, i), i, 0};
  for (size_t i = 0; good && i < graph->node_count; i++)
    if (packages[of_node[i]].bytes < graph->nodes[i].inclusive.bytes)
      packages[of_node[i]].bytes = graph->nodes[i].inclusive.bytes;
  if (good) {
    /* The first stands for none. */
    array_sort(packages + 1, names->count - 1, sizeof *packages,
               compare_packages);
    choose_hues(packages + 1, names->count - 1, hue_of);
  }
  for (size_t i = 0; good && i < graph->node_count; i++) {
    int lightness = 73 + (int)(hash(graph->nodes[i].name) % 5) * 2;
    colours[i] = of_node[i] == 0
                     ? colour_of(GREY_HUE, GREY_SATURATION, lightness)
                     : colour_of(hue_of[of_node[i]], SATURATION, lightness);
  }
  free(packages);
  free(hue_of);
  return good;
}

struct frame_colour *
frame_colours(const struct reduction *reduction)
{
  const struct call_graph *graph = &reduction->graph;
  struct names names = {0};
  struct frame_colour *colours =
      array_zeroed(graph->node_count, sizeof *colours);
  uint32_t *of_node = array_zeroed(graph->node_count, sizeof *of_node);
  bool good = colours != NULL && of_node != NULL && names_init(&names);
  for (size_t i = 0; good && i < graph->node_count; i++) {
    of_node[i] = package_of(reduction, &graph->nodes[i], &names);
    good = of_node[i] != NAMES_NONE;
  }
  good = good && colour_nodes(graph, of_node, &names, colours);
  names_release(&names);
  free(of_node);
  if (!good) {
    free(colours);
    colours = NULL;
  }
  return colours;
}
