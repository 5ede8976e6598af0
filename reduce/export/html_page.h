/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page that reduce/html/build.sh makes, as html_page.S puts it into the
 * program: what stands before the data, and what stands after it. */

#ifndef MPROF_HTML_PAGE_H
#define MPROF_HTML_PAGE_H

#include <stdint.h>

extern const char html_page_head[] __attribute__((visibility("hidden")));
extern const char html_page_tail[] __attribute__((visibility("hidden")));
extern const uint64_t html_page_head_length
    __attribute__((visibility("hidden")));
extern const uint64_t html_page_tail_length
    __attribute__((visibility("hidden")));

#endif
