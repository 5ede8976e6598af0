/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread_names.c -- the names of threads in the profile, where all threads of
 * one name are one.
 *
 * A thread that begins goes on with the state of one of its name that has
 * ended, if there is any.  Once MOST_ENDED states are of threads that have
 * ended, threads of further names are counted as one name.  So a program that
 * makes threads without end leaves no more states than that. */
#include "lisp/threads/threads.h"

#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "lisp/names/lisp_printer.h"

enum { MOST_ENDED = 256 };

/* Returns the name of the thread from malloc, or NULL without memory. */
static char *
name_of(cl_env_ptr env)
{
  const cl_object process = env->own_process;
  struct lisp_printer out = {0};
  const char *text = "?";
  char *name = NULL;
  if (process != OBJNULL && !Null(process)) {
    lisp_printer_name(&out, process->process.name, NAMED_THREAD);
    text = lisp_printer_end(&out);
  }
  if (text != NULL)
    name = strdup(text[0] != '\0' ? text : "[unnamed]");
  arena_release(&out.text);
  return name;
}

char *
thread_name_new(cl_env_ptr env, const struct thread_state *threads)
{
  char *const name = name_of(env);
  unsigned ended = 0;
  for (const struct thread_state *t = threads; t != NULL; t = t->next) {
    if (name == NULL || strcmp(t->name, name) == 0)
      return name;
    ended += t->env == NULL;
  }
  if (ended < MOST_ENDED)
    return name;
  free(name);
  return strdup("[other threads]");
}

struct thread_state *
thread_name_ended(const char *name, struct thread_state *threads)
{
  struct thread_state *t = threads;
  while (t != NULL && (t->env != NULL || strcmp(t->name, name) != 0))
    t = t->next;
  return t;
}

void
thread_name_note(const struct thread_state *t)
{
  image_note(NOTE_THREAD, t->tree.owner, 0, 0, t->name);
}
