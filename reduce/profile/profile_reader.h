/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From a profile file to a checked profile, or to one line that says what is
 * wrong with the file and at which byte.
 *
 * Behind this stand gzip, protobuf and every rule of the format.  A profile
 * that this accepts holds the invariants of profile.h: references resolve,
 * no value is negative, sums do not overflow and agree with what the file
 * says of itself.  Not safe for two threads on one profile.
 */

#ifndef MPROF_PROFILE_READER_H
#define MPROF_PROFILE_READER_H

#include "io/input_list.h"
#include "io/mprof_error.h"
#include "profile/profile.h"

/* Reads the file PATH and adds what it holds to PROFILE, so that several
 * files can be read as one.  On false ERROR is filled in, and PROFILE is
 * good for nothing but profile_release. */
bool profile_reader_add(struct profile *profile, const char *path,
                        const struct input_limits *limits,
                        struct mprof_error *error);

/* What a visitor of a file gets: see profile_samples.h. */
struct reading;
typedef bool profile_visitor(void *context, struct reading *reading);

/* The same of INPUT; when it is good, VISIT (unless NULL) is called with
 * CONTEXT before what was decoded is forgotten.  False also when VISIT says
 * so, which then fills in ERROR. */
bool profile_reader_visit(struct profile *profile,
                          const struct input_name *input,
                          const struct input_limits *limits,
                          profile_visitor *visit, void *context,
                          struct mprof_error *error);

#endif
