/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a C program had lost at its end, which reach/ has found. */

#ifndef MPROF_RECOVER_LOSSES_H
#define MPROF_RECOVER_LOSSES_H

#include "c/count/stripes.h"

#include <stddef.h>
#include <stdint.h>

struct leaf_loss {
  struct object_count direct, indirect;
};

struct losses {             /* all zero: none */
  struct leaf_loss *leaves; /* owned: by number of the leaf */
  size_t count;
  uint64_t unfound; /* objects that were not found, and count as reachable */
};

#endif
