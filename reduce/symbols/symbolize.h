/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gives the locations of a profile functions and lines, where it has only
 * addresses: what the monitor of C programs writes, which must not spend the
 * program's time on names, and what other programs write for pprof.
 *
 *   location -> mapping -> file, by build id -> symbols, call-frame
 *   information, debug information -> function, file and line
 *
 * The message is changed in place, so that all who read profiles or write
 * them see functions alone.  Besides, the names of the program's types of
 * each size that the profile has become comments mprof.type, and what could
 * not be found a comment mprof.symbol_note for each file.
 *
 * A profile of another program must state build ids: without one nobody knows
 * whether the file is the one that ran.
 *
 * What was inlined is no function of its own: a chain holds activations.  An
 * address is in the call, not behind it.  Start-up functions get the file
 * [runtime], as do functions without a name that call the first function of
 * the program.  Where a function has no name it is [FILE+0xSTART]; where the
 * file cannot be read, in a profile by mprof, each call is [FILE+0xOFFSET].
 *
 * Cost: symbols of each file are sorted, addresses looked up by halving; of
 * debug information the units with an address are read.
 */

#ifndef MPROF_SYMBOLIZE_H
#define MPROF_SYMBOLIZE_H

#include "io/input_file.h"
#include "io/mprof_error.h"

#include "profile.pb-c.h"

#include <stdbool.h>

/* Completes MESSAGE, the profile in FILE without its samples, of which no
 * reference has been checked.  Nothing is done when no location lacks a
 * function.  False when memory runs out. */
bool symbolize(Mprof__Pprof__Profile *message, const struct input_file *file,
               struct mprof_error *error);

#endif
