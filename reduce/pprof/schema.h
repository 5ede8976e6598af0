/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The messages of the format, for wire_scan. */

#ifndef MPROF_PPROF_SCHEMA_H
#define MPROF_PPROF_SCHEMA_H

#include "pprof/wire.h"

extern const struct wire_schema pprof_profile_schema;

#endif
