/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * notes.h -- what the numbers in figures stand for: functions, types, classes,
 * threads, files of code.
 *
 * Not inside the hook.  Under the monitor's lock.
 */
#ifndef MPROF_SNAPSHOT_NOTES_H
#define MPROF_SNAPSHOT_NOTES_H

#include "snapshot/snapshot.h"
#include "tree/note_list.h"

/* Note all that is known, in `notes' or in the image of the process
 * (note_list.h): of compiled functions, of which there are thousands, those
 * only that have a bit in `used', by their numbers, unless that is NULL. */
void note_all(struct note_list *notes, const uint64_t *used);

/* Note totals, the reconciliation with the collector's sum, and what can be
 * missing, as comments. */
void note_comments(struct note_list *notes, const struct snapshot *snapshot);

#endif
