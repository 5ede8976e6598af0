/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What there is to know about the format html beyond export.h. */

#ifndef MPROF_EXPORT_HTML_H
#define MPROF_EXPORT_HTML_H

#include "base/mprof_error.h"

#include <stdbool.h>

/* Whether this program was built with the page; false: ERROR says so. */
bool export_html_ready(struct mprof_error *error);

#endif
