/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * exec_environment.h -- the environment of a program that is about to be
 * started: this library is not preloaded into one that starts without it
 * (common/program_start.h).
 *
 * Takes no memory but what the caller has, as it may be between vfork and
 * exec.
 */
#ifndef MPROF_EXEC_ENVIRONMENT_H
#define MPROF_EXEC_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/attributes.h"

/* How many words such an environment takes; 0: the program in the file `path'
 * is started with `environment' as it is.  Where it is this process that
 * becomes the program (`here'), a line may say why. */
size_t exec_environment_words(const char *path, char *const *environment,
                              bool here);

/* The environment, in so many words; or, if they are 0, as it is. */
char *const *exec_environment_make(char *const *environment, char **words,
                                   size_t count);

/* Where exec finds the program: `path', of PATH_MAX bytes. */
void exec_environment_find_program(const char *name, char *path);

/* What is to be passed to exec, in the place of `environment'. */
#define ENVIRONMENT_OF(path, environment, here)                              \
  const size_t word_count = exec_environment_words(path, environment, here); \
  char *words[word_count + 1];                                               \
  environment = exec_environment_make(environment, words, word_count)

#endif
