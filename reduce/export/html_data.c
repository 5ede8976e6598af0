/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "export/html_data.h"

#include "export/json_text.h"
#include "report/text_table.h"

#include <inttypes.h>
#include <stdlib.h>

void
page_begin(struct page *page, const char *key, const char *bracket)
{
  if (key != NULL)
    json_key(page->sink, page->first, key);
  else if (!page->first)
    sink_text(page->sink, ",");
  sink_text(page->sink, bracket);
  page->first = true;
}

void
page_end(struct page *page, const char *bracket)
{
  sink_text(page->sink, bracket);
  page->first = false;
}

void
page_optional(struct page *page, const char *key, bool known, uint64_t number)
{
  page_begin(page, key, "");
  if (known)
    sink_format(page->sink, "%" PRIu64, number);
  else
    sink_text(page->sink, "null");
  page->first = false;
}

void
page_number(struct page *page, const char *key, uint64_t number)
{
  page_optional(page, key, true, number);
}

void
page_index(struct page *page, const char *key, uint32_t index)
{
  page_optional(page, key, index != INDEX_NONE, index);
}

void
page_calls(struct page *page, const char *key, uint64_t calls)
{
  page_optional(page, key, calls != CALLS_UNKNOWN, calls);
}

void
page_text(struct page *page, const char *key, const char *text)
{
  page_begin(page, key, "");
  json_string(page->sink, text);
  page->first = false;
}

void
page_name(struct page *page, const char *key, const char *name)
{
  struct sink_string shown = {0};
  struct sink sink;
  sink_init(&sink, sink_write_string, &shown);
  escape_name(&sink, name, "");
  if (!sink_flush(&sink))
    sink_fail(page->sink, sink.error_number);
  page_text(page, key, shown.text == NULL ? "" : shown.text);
  free(shown.text);
}

bool
page_knows(const struct page *page, int measure)
{
  return reduction_knows(page->reduction, (enum measure)measure);
}

void
page_counts(struct page *page, const struct figures *figures)
{
  for (int i = 0; i < MEASURE_COUNT; i++)
    if (page_knows(page, i))
      page_number(page, measure_rows[i].word,
                  figures->counts[i]);
}

void
page_figures(struct page *page, const char *key,
             const struct figures *figures)
{
  page_begin(page, key, "{");
  page_counts(page, figures);
  page_begin(page, "categories", "[");
  for (size_t i = 0; i < CATEGORY_COUNT; i++)
    page_number(page, NULL, figures->category_bytes[i]);
  page_end(page, "]");
  page_end(page, "}");
}
