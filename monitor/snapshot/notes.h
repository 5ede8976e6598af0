/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * notes.h -- what the numbers stand for that are in figures: functions, types,
 * classes, threads, files of code.
 *
 * Not inside the hook.  Under the monitor's lock.
 */
#ifndef MPROF_SNAPSHOT_NOTES_H
#define MPROF_SNAPSHOT_NOTES_H

#include "holders/holder_names.h"
#include "snapshot/figures.h"
#include "tree/note_list.h"

/* Note all that the figures need, and no more; the owner of a tree is the place
 * of its thread, from 1 on.  Names of Lisp are printed. */
void snapshot_notes(struct note_list *notes,
                    const struct lisp_figures *figures);

/* Note totals, the reconciliation with the collector's sum, and what can be
 * missing, as comments. */
void snapshot_comments(struct note_list *notes,
                       const struct lisp_figures *figures);

/* Note the names of holders, and what objects they are. */
void snapshot_holders(struct note_list *notes,
                      const struct holder_names *names);

/* Note whose figures they are, a type, and the allocator of its objects, if one
 * shows; in the image of the process where `notes' is NULL. */
void note_program(struct note_list *notes);
void note_type(struct note_list *notes, uint32_t what);
void note_allocator(struct note_list *notes, uint32_t what);

#endif
