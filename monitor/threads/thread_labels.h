/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread_labels.h -- what tells a thread from all others in the profile: its
 * name, with a number where that is not unique.  Once given, a label stays
 * until the next reset: that of an ended thread is not given again.
 *
 * With the monitor's lock, not inside the hook; wait for the runtime's lock on
 * packages.  What is given back is from malloc; NULL when memory ran out.
 */
#ifndef MPROF_THREAD_LABELS_H
#define MPROF_THREAD_LABELS_H

#include <ecl/ecl.h>

/* The name of the thread with that environment. */
char *thread_label_name(cl_env_ptr env);

/* A label for it. */
char *thread_label_new(cl_env_ptr env);

#endif
