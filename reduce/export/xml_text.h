/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text within elements and attributes of XML. */

#ifndef MPROF_XML_TEXT_H
#define MPROF_XML_TEXT_H

#include "base/sink.h"

/* Writes LENGTH bytes of TEXT, which is UTF-8: what could be markup as
 * character references, and what XML does not allow, even so, as \xNN or
 * \uNNNN: control characters, U+FFFE and U+FFFF. */
void xml_text(struct sink *sink, const char *text, size_t length);

#endif
