/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the parts have in common that make a profile of the image of a C
 * program: figures (recover_c.c), and what its sites are (c_locations.c).
 */

#ifndef MPROF_C_RECOVERY_H
#define MPROF_C_RECOVERY_H

#include "recover/building.h"
#include "recover/c_counters.h"
#include "recover/image_notes.h"

struct c_recovery {
  struct building building;
  const struct image *image;
  const struct image_notes *notes;
  struct c_counters counters;
  struct region_table regions;
  uint32_t *mappings;      /* owned: of the profile, by module */
  uint64_t unloaded_count; /* modules that were unloaded */
  bool lisp;               /* there is another heap, which is Lisp's */
};

/* Adds the files that code was from, and finds sites in such files that are
 * not known. */
void c_add_mappings(struct c_recovery *recovery);

/* For building_source: adds the location of a call at SITE in FUNCTION. */
uint32_t c_location(void *recovery, uint64_t site, uint32_t function);

/* And what ran between the call at SITE in FUNCTION and its CALLEE. */
uint64_t c_between(void *recovery, uint64_t site, uint32_t function,
                   uint32_t callee);

#endif
