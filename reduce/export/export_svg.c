/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A flame graph as a picture: one rectangle a chain, below that of its
 * caller, as wide as what it and all below it allocated.
 *
 *   y   row of the chain: its number of callers
 *   x   where its caller begins, and what its siblings before it take
 *
 * Each rectangle has a title, which viewers show under the pointer.  Colours
 * tell packages apart, ECL's own functions are grey; they depend on names
 * alone.  Frames that are too narrow, and what is below them, are left out,
 * as is what is too deep: a note below the picture says how many.  Linear in
 * the chains; positions are integers, in tenths of a pixel, so that the
 * picture is the same everywhere.
 */

#include "base/array.h"
#include "base/quote.h"
#include "export/export.h"
#include "export/frame_colours.h"
#include "tables/chain_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  DEFAULT_WIDTH = 1200, /* pixels, as all but x and widths of frames */
  DEFAULT_MIN_WIDTH = 1,
  LEAST_WIDTH = 100,
  MOST_WIDTH = 100000,
  MARGIN = 10,
  TITLE_HEIGHT = 34,
  ROW_HEIGHT = 18,
  NOTE_HEIGHT = 24,
  CHARACTER_TENTHS = 66, /* how wide a character is, in tenths of a pixel */
  MOST_ROWS = 1000
};

/* What is known of a chain. */
struct svg_frame {
  uint64_t x, width; /* tenths of a pixel */
  uint64_t next;     /* where its next callee begins, of the total */
  uint32_t row;
  bool drawn;
};

struct picture {
  const struct reduction *reduction;
  struct sink *sink;
  struct chain_tree tree;
  struct frame_colours colours;
  struct svg_frame *frames; /* by node */
  uint32_t row_count;
  uint64_t width, least; /* of the whole, of a frame: tenths of a pixel */
  uint64_t total;
  size_t left_out;
};

void
xml_text(struct sink *sink, const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'') {
      sink_format(sink, "&#%d;", c);
    } else if (c < ' ' || c == 0x7f) {
      sink_format(sink, "\\x%02x", c);
    } else if (length - i >= 3 && memcmp(text + i, "\xef\xbf", 2) == 0 &&
               (unsigned char)text[i + 2] >= 0xbe) {
      sink_format(sink, "\\u%04x", 0xff40 + (unsigned char)text[i + 2]);
      i += 2;
    } else {
      sink_bytes(sink, text + i, 1);
    }
  }
}

static uint64_t
value_of(const struct picture *picture, const struct chain_node *node)
{
  return reduction_measure(picture->reduction) == MEASURE_ALLOCS
             ? node->below_allocs
             : node->below_bytes;
}

/* OFFSET of the total, in tenths of a pixel. */
static uint64_t
place_of(const struct picture *picture, uint64_t offset)
{
  return (uint64_t)((unsigned __int128)offset * picture->width /
                    picture->total);
}

/* Parents come before children, and siblings in their order from the left. */
static void
lay_out(struct picture *picture)
{
  const struct chain_tree *tree = &picture->tree;
  picture->frames[0] =
      (struct svg_frame){.width = picture->width, .drawn = true};
  picture->row_count = 1;
  for (size_t i = 1; i < tree->count; i++) {
    const struct chain_node *node = &tree->nodes[i];
    struct svg_frame *frame = &picture->frames[i];
    struct svg_frame *caller = &picture->frames[node->parent];
    frame->row = caller->row + 1;
    frame->next = caller->next;
    caller->next += value_of(picture, node);
    if (caller->next == frame->next)
      continue;
    frame->x = place_of(picture, frame->next);
    frame->width = place_of(picture, caller->next) - frame->x;
    frame->drawn = caller->drawn && frame->width >= picture->least &&
                   frame->row < MOST_ROWS;
    if (!frame->drawn)
      picture->left_out++;
    else if (frame->row >= picture->row_count)
      picture->row_count = frame->row + 1;
  }
}

/* WANTED, or USUAL when that is not given, between LEAST and MOST_WIDTH; in
 * tenths of a pixel. */
static uint64_t
pixels(size_t wanted, size_t usual, size_t least)
{
  size_t width = wanted == WIDTH_AUTOMATIC ? usual : wanted;
  if (width < least)
    width = least;
  return 10 * (uint64_t)(width > MOST_WIDTH ? MOST_WIDTH : width);
}

/* Writes NUMBER with separators, 1,234,567, and what it is of. */
static void
write_count(struct sink *sink, uint64_t number, const char *one,
            const char *many)
{
  char digits[32];
  int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0)
      sink_text(sink, ",");
    sink_bytes(sink, digits + i, 1);
  }
  sink_text(sink, number == 1 ? one : many);
}

/* Writes the attribute NAME, a length. */
static void
write_tenths(struct sink *sink, const char *name, uint64_t tenths)
{
  sink_format(sink, " %s=\"%" PRIu64 ".%" PRIu64 "\"", name, tenths / 10,
              tenths % 10);
}

/* Writes as much of NAME as a frame of WIDTH tenths of a pixel has room for,
 * nothing when that is little. */
static void
write_label(struct sink *sink, const char *name, uint64_t width)
{
  size_t room = width < 40 ? 0 : (size_t)((width - 40) / CHARACTER_TENTHS);
  size_t shown = 0; /* bytes of all characters there is room for but one */
  size_t characters = 0;
  for (const char *c = name; *c != '\0';) {
    c += utf8_length(c);
    if (++characters + 1 == room)
      shown = (size_t)(c - name);
  }
  if (characters <= room) {
    xml_text(sink, name, strlen(name));
  } else if (room >= 4) {
    xml_text(sink, name, shown);
    sink_text(sink, "\xe2\x80\xa6");
  }
}

/* Writes NAME and what was allocated at NODE, with its share of the total in
 * hundredths of a per cent, rounded down. */
static void
write_meaning(const struct picture *picture, const struct chain_node *node,
              const char *name)
{
  struct sink *sink = picture->sink;
  unsigned __int128 part = value_of(picture, node);
  uint64_t share =
      picture->total == 0 ? 0 : (uint64_t)(part * 10000 / picture->total);
  xml_text(sink, name, strlen(name));
  sink_text(sink, ": ");
  write_count(sink, node->below_bytes, " bytes, ", " bytes, ");
  write_count(sink, node->below_allocs, " allocations", " allocations");
  sink_format(sink, ", %" PRIu64 ".%02" PRIu64 " %%", share / 100,
              share % 100);
  if (node->calls == CALLS_UNKNOWN) {
    sink_text(sink, ", calls unknown");
  } else if (node->calls > 0) {
    sink_text(sink, ", ");
    write_count(sink, node->calls, " call here", " calls here");
  }
}

/* Writes FRAME, of NODE, which has the NAME and the COLOUR. */
static void
write_frame(const struct picture *picture, const struct svg_frame *frame,
            const struct chain_node *node, const char *name, uint32_t colour)
{
  struct sink *sink = picture->sink;
  uint64_t y = TITLE_HEIGHT + (uint64_t)frame->row * ROW_HEIGHT;
  struct string_sink line;
  string_sink_init(&line);
  escape_name(&line.sink, name, "");
  name = string_sink_for(&line, sink);
  sink_text(sink, "<g><title>");
  write_meaning(picture, node, name);
  sink_text(sink, "</title><rect");
  write_tenths(sink, "x", frame->x + 10 * MARGIN);
  sink_format(sink, " y=\"%" PRIu64 "\"", y);
  write_tenths(sink, "width", frame->width);
  sink_format(sink, " height=\"%d\" fill=\"#%06" PRIx32 "\"/><text",
              ROW_HEIGHT, colour);
  write_tenths(sink, "x", frame->x + 10 * MARGIN + 30);
  sink_format(sink, " y=\"%" PRIu64 "\">", y + 13);
  write_label(sink, name, frame->width);
  sink_text(sink, "</text></g>\n");
  string_sink_release(&line);
}

static void
write_frames(const struct picture *picture)
{
  const struct chain_tree *tree = &picture->tree;
  write_frame(picture, &picture->frames[TREE_ROOT], &tree->nodes[TREE_ROOT],
              "all", frame_colour_of_whole());
  for (size_t i = 1; i < tree->count; i++) {
    const struct chain_node *node = &tree->nodes[i];
    if (picture->frames[i].drawn)
      write_frame(picture, &picture->frames[i], node,
                  chain_item_name(tree, node->item),
                  frame_colour_of_node(&picture->colours, node->item));
  }
}

/* Writes the heading: the program and the totals. */
static void
write_title(const struct picture *picture)
{
  struct sink *sink = picture->sink;
  const struct figures *total = &picture->reduction->selection.total;
  struct string_sink line;
  string_sink_init(&line);
  escape_name(&line.sink, program_name(picture->reduction, ""), "");
  const char *name = string_sink_for(&line, sink);
  sink_text(sink, "Allocation profile");
  if (*name != '\0') {
    sink_text(sink, " of ");
    xml_text(sink, name, strlen(name));
  }
  string_sink_release(&line);
  sink_text(sink, ": ");
  write_count(sink, total->bytes, " byte in ", " bytes in ");
  write_count(sink, total->allocs, " allocation", " allocations");
  sink_format(sink, "; as wide as %s",
              measure_row(picture->reduction->profile,
                          picture->reduction->options->value)
                  ->noun);
}

static void
write_picture(const struct picture *picture)
{
  struct sink *sink = picture->sink;
  uint64_t width = picture->width / 10 + 2 * MARGIN;
  uint64_t rows = (uint64_t)picture->row_count * ROW_HEIGHT;
  uint64_t height =
      TITLE_HEIGHT + rows + (picture->left_out > 0 ? NOTE_HEIGHT : MARGIN);
  sink_format(sink,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu64
              "\" height=\"%" PRIu64 "\" viewBox=\"0 0 %" PRIu64 " %" PRIu64
              "\">\n<title>",
              width, height, width, height);
  write_title(picture);
  sink_text(sink, "</title>\n<style>\n"
                  "text { font: 11px ui-monospace, Menlo, Consolas, "
                  "\"DejaVu Sans Mono\", monospace; fill: #16191d; "
                  "pointer-events: none; white-space: pre }\n"
                  "text.head { font: bold 14px sans-serif }\n"
                  "text.note { font: 12px sans-serif; fill: #5c6673 }\n"
                  "rect { stroke: #ffffff; stroke-width: 0.6 }\n"
                  "g:hover rect { stroke: #000000 }\n"
                  "</style>\n");
  sink_format(sink,
              "<rect width=\"%" PRIu64 "\" height=\"%" PRIu64
              "\" fill=\"#ffffff\"/>\n"
              "<text class=\"head\" x=\"%d\" y=\"22\">",
              width, height, MARGIN);
  write_title(picture);
  sink_text(sink, "</text>\n");
  write_frames(picture);
  if (picture->left_out > 0) {
    sink_format(sink, "<text class=\"note\" x=\"%d\" y=\"%" PRIu64 "\">",
                MARGIN, TITLE_HEIGHT + rows + 16);
    write_count(sink, picture->left_out, " frame is", " frames are");
    sink_text(sink, " too narrow or too deep to show</text>\n");
  }
  sink_text(sink, "</svg>\n");
}

void
export_svg(const struct reduction *reduction, struct sink *sink)
{
  const struct view_options *options = reduction->options;
  const struct figures *total = &reduction->selection.total;
  struct picture picture = {
      .reduction = reduction,
      .sink = sink,
      .width = pixels(options->width, DEFAULT_WIDTH, LEAST_WIDTH),
      .least = pixels(options->min_width, DEFAULT_MIN_WIDTH, 0),
      .total = total->counts[reduction_measure(reduction)]};
  bool good = frame_colours_init(&picture.colours, reduction) &&
              chain_tree_init(&picture.tree, reduction, ITEMS_ARE_FUNCTIONS);
  if (good)
    picture.frames =
        array_zeroed(picture.tree.count, sizeof *picture.frames);
  if (picture.frames != NULL) {
    lay_out(&picture);
    write_picture(&picture);
  } else {
    sink_fail(sink, ENOMEM);
  }
  free(picture.frames);
  frame_colours_release(&picture.colours);
  chain_tree_release(&picture.tree);
}
