/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread_labels.h -- what tells a thread from all others in the profile.
 *
 * All functions: under the monitor's lock, not inside the hook.  Printing a
 * name waits for the runtime's lock on packages.
 */
#ifndef MPROF_THREAD_LABELS_H
#define MPROF_THREAD_LABELS_H

#include <ecl/ecl.h>

/* The name of the thread with this environment.  From malloc; NULL when
 * memory ran out. */
char *thread_name(cl_env_ptr env);

/* Its name, for the second with one name NAME#2, and so on.  From malloc;
 * NULL when memory ran out. */
char *thread_label(cl_env_ptr env);

/* Number the threads anew, the oldest first.  All of them live. */
void thread_labels_renew(void);

#endif
