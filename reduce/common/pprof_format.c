/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The names of the sample types that mprof writes; Go's where it has them. */

#include "common/pprof_format.h"

const struct pprof_value_type pprof_columns[PPROF_COLUMNS] = {
    [PPROF_COUNT] = {"alloc_objects", "count"},
    [PPROF_BYTES] = {"alloc_space", "bytes"},
    [PPROF_KEPT_COUNT] = {"inuse_objects", "count"},
    [PPROF_KEPT_BYTES] = {"inuse_space", "bytes"},
    [PPROF_CALLS] = {"activations", "count"},
    [PPROF_PEAK_COUNT] = {"peak_objects", "count"},
    [PPROF_PEAK_BYTES] = {"peak_space", "bytes"},
    [PPROF_TEMPORARY] = {"temporary_objects", "count"},
    [PPROF_LOST_COUNT] = {"lost_objects", "count"},
    [PPROF_LOST_BYTES] = {"lost_space", "bytes"},
    [PPROF_INDIRECT_COUNT] = {"indirectly_lost_objects", "count"},
    [PPROF_INDIRECT_BYTES] = {"indirectly_lost_space", "bytes"},
    [PPROF_HELD_COUNT] = {"held_objects", "count"},
    [PPROF_HELD_BYTES] = {"held_space", "bytes"},
};
