/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tables as descriptions: what their columns are called, mean and hold, which
 * rows there are and in which order.  Each form of output has one encoder for
 * all of them: text_report.c, and writer.c for JSON, Lisp and CSV.  A new
 * table is one file here and one row for each form that has it: of texts and
 * CSV in outputs.c, of JSON and Lisp in export_data.c.
 *
 * A column can be for some forms only: those with keys have it where it has a
 * key, the text where it has a heading.  Encoders of keys write the columns
 * that stand first before all others.
 */

#pragma once

#include "analysis/view.h"
#include "tables/ranking.h"
#include "tables/writer.h"

/* Facts that the profile must have for a column of the text to be there;
 * averages are there where a line has room. */
enum column_use {
  USE_ALWAYS,
  USE_KEPT,     /* what was never freed, of C programs */
  USE_LOST,     /* which part of that was lost */
  USE_NOT_LOST, /* not that */
  USE_LIVE,     /* what was alive at the last collection, in Lisp */
  USE_CALLS,    /* how often functions were called */
  USE_AVERAGES,
  USE_AVERAGES_OF_CALLS
};

/* Contents of the cells of a column. */
enum content {
  CONTENT_OWN,        /* made by the table's `cell' */
  CONTENT_NAME,       /* of the row */
  CONTENT_FIGURE,     /* a measure of the row's figures */
  CONTENT_SHARE,      /* only that measure as a share of the total */
  CONTENT_AVERAGE,    /* bytes by that measure */
  CONTENT_OF_ALLOCS,  /* in the text: that measure as a share of the row's
                         allocations */
  CONTENT_CATEGORIES, /* in the text: four columns, shares of the total, or of
                         what `fraction' returns for `id' */
  CONTENT_CALLS,      /* of the row */
  CONTENT_PER_CALL,   /* bytes by these */
  CONTENT_COUNTS,     /* with keys: all measures that are known; in CSV
                         bytes and allocations */
  CONTENT_MORE,       /* in CSV: the other measures */
  CONTENT_BY_CATEGORY, /* with keys: bytes by category */
  /* fields of what the row stands for: */
  CONTENT_NUMBER,   /* uint64_t */
  CONTENT_OPTIONAL, /* the same; 0 when not known */
  CONTENT_TEXT,     /* const char *; NULL when not known */
  CONTENT_FUNCTION  /* uint32_t, a node of the graph */
};

/* Figures of a row that a column can have. */
enum figures_of { OF_ROW, OF_INCLUSIVE, OF_FREED };

struct column {
  enum content content;
  int id; /* of CONTENT_OWN: the number that `cell' gets; of a field: its
             offset; of CONTENT_CATEGORIES: what `fraction' gets, or 0 */
  enum figures_of of;
  enum measure measure;
  enum unit unit;

  /* Its key, by form; of CONTENT_COUNTS, the prefix of the key of each
   * measure.  NULL: the form does not have the column. */
  const char *keys[KEYED_FORMS];
  bool first;

  struct text_column text; /* heading; without a bottom: not in the text */
  bool share; /* followed by a column with its share of the total */
  enum column_use use;
  const char *term;         /* in the legend; NULL: the heading */
  const char *meaning;      /* NULL: another column's explains it, too */
  const char *meaning_in_c; /* for C programs; NULL: the same */
  bool weighs;       /* it is of the bytes or objects that --value counts: see
                        text_columns */
  unsigned spare;    /* see text_table.h */
  const char *total; /* of what is the item's alone: its text in the row of
                        the total */
};

/* The keys of all forms alike; and with other ones. */
#define KEY(key) KEYS(key, key)
#define KEYS(json, csv)                                                      \
  {                                                                          \
    json, json, csv                                                          \
  }

/* All measures, under keys that begin with PREFIX. */
#define COUNTS(whose, prefix)                                                \
  {                                                                          \
    .content = CONTENT_COUNTS, .of = whose, .keys = KEY(prefix)              \
  }
#define MORE(whose, prefix)                                                  \
  {                                                                          \
    .content = CONTENT_MORE, .of = whose, .keys = { [FORM_CSV] = prefix }    \
  }
#define ALL_COUNTS COUNTS(OF_ROW, "")
#define ALL_MORE MORE(OF_ROW, "")

/* Initialisers of the content, and of the measure or the id. */
#define CONTENT(what) .content = CONTENT_##what
#define OWN(own) .content = CONTENT_OWN, .id = own
#define FIELD(what, type, member)                                            \
  .content = CONTENT_##what, .id = (int)offsetof(type, member)
#define OF_MEASURE(what, name) .content = what, .measure = MEASURE_##name
#define FIGURE(name) OF_MEASURE(CONTENT_FIGURE, name)
#define SHARE(name) OF_MEASURE(CONTENT_SHARE, name)
#define AVERAGE(name) OF_MEASURE(CONTENT_AVERAGE, name)
#define CATEGORIES(name) OF_MEASURE(CONTENT_CATEGORIES, name)

/* Headings of numbers, in two lines, and of text. */
#define HEADING(gap, top, bottom) .text = {top, 0, bottom, gap, false}
#define LEFT_HEADING(gap, bottom) .text = {NULL, 0, bottom, gap, true}

/* Objects, and bytes, each with its share: in the text alone. */
#define ALLOCS_COLUMN(space, what)                                           \
  {                                                                          \
    FIGURE(ALLOCS), HEADING(space, NULL, "allocs"), .share = true,           \
                                                    .meaning = what          \
  }
#define BYTES_COLUMN(what)                                                   \
  {                                                                          \
    FIGURE(BYTES), HEADING(2, NULL, "bytes"), .share = true, .meaning = what \
  }

/* Live objects and their bytes, each with its share; WHOSE says which. */
#define LIVE_COLUMNS(whose)                                                  \
  {FIGURE(KEPT_ALLOCS),                                                      \
   HEADING(2, "live", "objects"),                                            \
   .share = true,                                                            \
   .use = USE_LIVE,                                                          \
   .term = "live objects",                                                   \
   .meaning = "objects " whose " that were alive at the last collection, "   \
              "and their share of all such objects"},                        \
  {                                                                          \
    FIGURE(KEPT_BYTES), HEADING(2, "live", "bytes"),                         \
        .share = true, .use = USE_LIVE,                                      \
        .meaning = "their bytes, and their share of all live bytes"          \
  }

/* Meanings of a function's calls: the monitor of C programs counts them as
 * the original did. */
#define CALLS_TEXT                                                           \
  "calls to the function that led to allocation, in it or below it"
#define CALLS_TEXT_IN_C                                                      \
  "allocations with the function on their chain, once for each of its "      \
  "callers there"
#define CALLS_MEANING .meaning = CALLS_TEXT, .meaning_in_c = CALLS_TEXT_IN_C

struct listing;

struct table {
  /* of the text */
  const char *title;
  const char *rows;   /* plural noun for the rows; NULL: that of --by */
  const char *object; /* noun for what they count; NULL: allocation */
  bool untotalled;    /* there is no row of the total */
  bool uncut;         /* small rows show, too */
  enum measure bytes; /* measure that rows are about; temporary objects have
                         no bytes */
  enum sort_key sort; /* unless another one is asked for; rows with a tenth
                         of all of this are heavy */

  /* Rows are listed as they come, unless an order is asked for; else by what
   * --value counts, of the inclusive figures if there are such. */
  bool in_place;
  bool drops_empty; /* rows of which nothing was allocated */

  const struct column *columns;
  size_t column_count;

  /* Sets ROW, which is zeroed but for `item' and an empty name, to the row of
   * ITEM.  Returns false if neither ITEM nor any item after it has one.
   * `cell' puts the cell of a column of CONTENT_OWN into OUT. */
  bool (*row)(const struct listing *listing, size_t item,
              struct ranking_row *row);
  void (*cell)(const struct listing *listing, const struct ranking_row *row,
               int id, struct writer *out);

  /* The rest is optional. */
  /* Returns what shares of categories are shares of; UNKNOWN_WHOLE: of
   * nothing. */
  uint64_t (*fraction)(const struct listing *listing,
                       const struct ranking_row *row, int id);
  /* Adds what is in ROW, of a table of groups, for lines below it, whose
   * shares are shares of the group. */
  void (*members)(const struct listing *listing,
                  const struct ranking_row *row, struct ranking *ranking);
  /* Returns a sentence that says why VIEW has no such rows, or NULL. */
  const char *(*lacks)(const struct view *view);
  /* Puts the rows of a text in order, those that show first. */
  void (*arrange)(struct listing *listing);
  size_t context_bytes; /* of the listing's context, which starts zeroed */
  void (*init)(
      struct listing *listing); /* fills the context, or sets another one */
  /* Returns the total, if it is not that of the selection. */
  const struct figures *(*total)(const struct listing *listing);
  void (*note)(const struct listing *listing,
               struct sink *sink); /* writes text below the rows */
  void (*legend)(const struct listing *listing,
                 struct sink *sink); /* writes the end of the legend */
};

enum { UNKNOWN_WHOLE = -1 };

/* The columns of a description. */
#define COLUMNS(list)                                                        \
  .columns = list, .column_count = sizeof list / sizeof list[0]

/* A table of one view in one form. */
struct listing {
  const struct table *table;
  const struct view *view;
  enum form form;
  struct ranking ranking;
  void *context;          /* of the table */
  struct column *columns; /* of a text: those that show, ... */
  size_t column_count;
  struct text_table *lines; /* ... and the lines that are written */
  struct string_sink *text; /* the text of the last cell that has been made */
};

/* Makes LISTING of TABLE for one form of output, with its rows, unless they
 * stay in place in a form with keys: then listing_row makes each. */
void listing_init(struct listing *listing, const struct table *table,
                  const struct view *view, enum form form);

/* Sets ROW, for forms with keys, to the row with the number INDEX; its
 * `left_out' may be set.  Returns false if there is none, nor any after it.
 */
bool listing_row(const struct listing *listing, size_t index,
                 struct ranking_row *row);

/* Returns the row of the total, whose item is NO_ITEM. */
enum { NO_ITEM = -1 };
struct ranking_row listing_total(const struct listing *listing);

/* Puts the cell of ROW in COLUMN into OUT; not for contents of the text only.
 */
void listing_cell(const struct listing *listing,
                  const struct ranking_row *row, const struct column *column,
                  struct writer *out);

/* Returns whether names are shortened: the text of a profile of C or C++. */
bool listing_has_cxx_names(const struct listing *listing);

/* Writes NAME as a table has room for it: of C++, a string is std::string,
 * and the arguments of other templates, if they are long, are three dots. */
void write_cxx_name(struct sink *sink, const char *name);

/* Returns the figure of ROW that COLUMN is about. */
uint64_t row_figure(const struct ranking_row *row,
                    const struct column *column);

/* The rest is for tables as text. */

/* Returns whether the profile of VIEW has columns of that USE. */
bool column_used(const struct view *view, enum column_use use);

/* Sets SHOWN, which has room for all, to the columns that the text of TABLE
 * has for VIEW, or for any profile if that is NULL; returns how many they
 * are. Where --value counts objects, the shares of bytes are of objects, and
 * headings say so. */
size_t text_columns(const struct table *table, const struct view *view,
                    struct column *shown);

/* Returns TEXT about such a column: with "objects" in the place of "bytes"
 * where the tables of VIEW, which may be NULL, count these. */
const char *weighed_words(const struct view *view, const char *text);

/* Writes the legend of TABLE: a line on shares if there are any, one for each
 * term, one on the letters of categories, and one on unknown calls if there
 * are any; nothing when legends are not wanted. */
void text_columns_explain(const struct table *table, const struct view *view,
                          struct sink *sink);

/* Makes the columns of LISTING, which is a text, and no lines. */
void text_report_begin(struct listing *listing);

/* Adds the cells of ROW to the lines, with shares of WHOLE. */
void text_report_row(const struct listing *listing,
                     const struct ranking_row *row,
                     const struct figures *whole);

/* Writes the total and the rows of LISTING that show. */
void text_report_rows(const struct listing *listing, struct sink *sink);

/* Writes TABLE with its heading. */
void text_report_write(const struct table *table, const struct view *view,
                       struct sink *sink);

/* Returns what the letters of the categories mean. */
const char *report_categories_meaning(enum language language);

extern const struct table advice_table, arcs_table, bins_table,
    contexts_by_size_table, contexts_table, cycles_table,
    function_types_table, functions_table, leaks_table, peak_table,
    phases_table, regions_table, temporary_table, threads_table,
    type_functions_table, types_table;
