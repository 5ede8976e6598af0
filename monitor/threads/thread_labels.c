/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread_labels.c -- see thread_labels.h.
 */
#include "threads/thread_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/lisp_name.h"
#include "threads/threads.h"

char *
thread_label_name(cl_env_ptr env)
{
  cl_object process = env->own_process;
  char *name;
  if (process == OBJNULL || Null(process))
    return strdup("?");
  name = lisp_name(process->process.name, NAMED_THREAD);
  if (name != NULL && name[0] == '\0') {
    free(name);
    return strdup("[unnamed]");
  }
  return name;
}

char *
thread_label_new(cl_env_ptr env)
{
  char *name = thread_label_name(env), *label;
  const uint32_t number =
      name == NULL ? 0 : intern_text(&monitor.names, name);
  uint32_t *counts;
  if (number == 0 || arena_grow(&monitor.name_counts,
                                (number + 1) * sizeof *counts) != 0)
    return name;
  counts = monitor.name_counts.base;
  if (++counts[number] == 1)
    return name;
  if (asprintf(&label, "%s#%u", name, counts[number]) < 0)
    label = NULL;
  free(name);
  return label;
}

void
threads_renew_labels(void)
{
  intern_table_release(&monitor.names);
  arena_release(&monitor.name_counts);
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    free(t->label);
    t->label = thread_label_new(t->env);
    t->shared = false;
  }
  threads_note_labels(NULL);
}
