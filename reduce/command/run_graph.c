/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof graph: the call graph in dot's language, drawn by dot.  The ending of
 * the file to write chooses among the kinds of picture that dot makes: SVG
 * unless it is .png or .pdf.
 */

#include "command/run.h"
#include "export/export.h"
#include "base/filter_program.h"
#include "base/output_file.h"

#include <stdlib.h>
#include <string.h>

static bool
ends_with(const char *text, const char *ending)
{
  size_t length = strlen(text);
  return length > strlen(ending) &&
         strcmp(text + length - strlen(ending), ending) == 0;
}

static const char *
picture_option(const char *path)
{
  if (path != NULL && ends_with(path, ".png"))
    return "-Tpng";
  if (path != NULL && ends_with(path, ".pdf"))
    return "-Tpdf";
  return "-Tsvg";
}

/* Lets dot draw TEXT into SINK. */
static bool
draw(const struct options *options, const struct sink_string *text,
     struct sink *sink, struct mprof_error *error)
{
  const char *const arguments[] = {"dot", picture_option(options->output),
                                   NULL};
  return filter_program(arguments, text->text, text->length,
                        "drawing needs Graphviz; install the package "
                        "graphviz, which has the program dot",
                        sink, error);
}

bool
run_graph(const struct options *options, struct sink *sink,
          struct mprof_error *error)
{
  struct profile profile;
  struct reduction reduction = {0};
  struct sink_string text = {0};
  struct sink dot;
  struct output_file file;
  sink_init(&dot, sink_write_string, &text);
  const struct profile *chosen = run_profile(options, &profile, error);
  bool good =
      chosen != NULL && reduction_init(&reduction, chosen, options, error);
  if (good) {
    export_dot(&reduction, &dot);
    good = sink_flush(&dot) || mprof_error_memory(error);
  }
  reduction_release(&reduction);
  profile_release(&profile);
  if (good && options->output == NULL) {
    good = draw(options, &text, sink, error);
  } else if (good) {
    good = output_file_open(&file, options->output, error);
    if (good) {
      good = draw(options, &text, &file.sink, error);
      good = output_file_close(&file, good, error);
    }
  }
  free(text.text);
  return good;
}
