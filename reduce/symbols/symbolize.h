/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gives the locations of a profile functions and lines, where it has only
 * addresses: what the monitor of C programs writes, which must not spend the
 * program's time on names, and what other programs write for pprof.
 *
 *   location -> mapping -> file, by build id -> symbols, call-frame
 *   information, debug information -> function, file and line
 *
 * All who use profiles see functions alone.  Besides, the names of the
 * program's types of each size that the profile has become comments
 * mprof.type, and what could not be found a comment mprof.symbol_note for
 * each file.
 *
 * A profile of another program must state build ids: without one nobody knows
 * whether the file is the one that ran.
 *
 * What was inlined is a line of its own, before that of the function that it
 * is in.  An address is in the call, not behind it.  Start-up functions get
 * the file [runtime], as do functions without a name that call the first
 * function of the program.  Where a function has no name it is
 * [FILE+0xSTART]; where the file cannot be read, in a profile by mprof, each
 * call is [FILE+0xOFFSET].
 *
 * Cost: symbols of each file are sorted, addresses looked up by halving; of
 * debug information the units with an address are read.  Files are read once
 * for several profiles with the same names (code_names.h).
 */

#pragma once

#include "base/pool.h"
#include "profile/profile.h"
#include "symbols/code_names.h"

/* Completes PROFILE, all of which was read, from NAMES and the files added
 * to them.  Nothing is done when no location lacks a function. */
void symbolize(struct code_names *names, struct profile *profile);
