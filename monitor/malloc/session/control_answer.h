/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * control_answer.h -- what is done when this process is asked (control.h).
 */
#ifndef MPROF_CONTROL_ANSWER_H
#define MPROF_CONTROL_ANSWER_H

#include <stddef.h>

#include "common/control_page.h"

/* Do what the page asks for, and put figures there; a snapshot goes to
 * `place', of `room' bytes, which may not be touched before and after.  Gives
 * back 0, or an errno value. */
int control_do(struct control_page *page, void *place, size_t room);

/* Around a fork: in this process, or in the child.  None comes while the
 * linker's lock may be the thread's that answers. */
void control_before_fork(void);
void control_after_fork(void);
void control_list_forked(void);

#endif
