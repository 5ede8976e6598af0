/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text that is compressed (zlib) and written as base64 while it comes in: of
 * the 65 characters of base64 none means anything to a reader of HTML, so
 * whatever the text holds can stand in a page.
 *
 * Errors go to the sink that the result is written to, and are sticky there.
 */

#ifndef MPROF_PACKED_TEXT_H
#define MPROF_PACKED_TEXT_H

#include "base/sink.h"

#include <zlib.h>

struct packed_text {
  struct sink sink; /* write the text here */
  struct sink *target;
  z_stream stream;
  unsigned char rest[3]; /* bytes that wait to be three */
  size_t rest_count;
};

/* Begins to write to TARGET, which must outlive TEXT. */
void packed_text_begin(struct packed_text *text, struct sink *target);

/* Writes what is left, and releases TEXT. */
void packed_text_end(struct packed_text *text);

#endif
