/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * other_program.h -- the environment of a program that is about to be
 * started: this library is not preloaded into one that starts without it
 * (common/program_start.h).
 *
 * Takes no memory but what the caller has, as it may be between vfork and
 * exec.
 */
#ifndef MPROF_OTHER_PROGRAM_H
#define MPROF_OTHER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/attributes.h"

/* How many words such an environment takes; 0: the program in the file `path'
 * is started with `environment' as it is.  Where it is this process that
 * becomes the program (`here'), a line may say why. */
size_t other_program_words(const char *path, char *const *environment,
                           bool here);

/* The environment, in so many words; or, if they are 0, as it is. */
char *const *other_program_environment(char *const *environment, char **words,
                                       size_t count);

/* Where exec finds the program: `path', of PATH_MAX bytes. */
void other_program_find(const char *name, char *path);

/* What is to be passed to exec, in the place of `environment'. */
#define ENVIRONMENT_OF(path, environment, here)                              \
  const size_t word_count = other_program_words(path, environment, here);    \
  char *words[word_count + 1];                                               \
  environment = other_program_environment(environment, words, word_count)

#endif
