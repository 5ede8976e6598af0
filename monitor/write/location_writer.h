/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * location_writer.h -- the sites of the monitor as the locations of a
 * profile, and the functions that they are in.
 *
 * A site becomes one location of one line: where the form of its function
 * begins, for ECL keeps no other.  Locations in one function share it.
 */
#ifndef MPROF_LOCATION_WRITER_H
#define MPROF_LOCATION_WRITER_H

#include "write/number_map.h"
#include "write/profile_output.h"

/* Write all that `locations' has numbered, and their functions. */
void location_writer_put(struct profile_output *output,
                         const struct number_map *locations);

#endif
