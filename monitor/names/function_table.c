/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * function_table.c -- functions by number: names that outlive the code.
 *
 * Model.  Records lie in blocks that never move, so that the hook reads them
 * without a lock; a hash index over the names, open addressing, finds them
 * again when they are interned.  The table grows only: what was unloaded and
 * is loaded again gets its old number.
 *
 * Invariant: a number is given out when its record is complete.  What changes
 * later is `passes_on' (see clos_dispatch.h), before the number is published
 * in the index.
 */
#include "names/function_table.h"

#include <stdlib.h>
#include <string.h>

#include "monitor.h"
#include "tree/sizes.h"

enum { BLOCK = SIZE_FUNCTIONS_IN_BLOCK, MAX_BLOCKS = SIZE_FUNCTION_BLOCKS };

static struct code_function *blocks[MAX_BLOCKS];
static uint32_t function_count = 1; /* 0: not known */
static uint32_t *function_hash;     /* open addressing over names */
static uint32_t function_hash_mask;

struct code_function *
function_table_at(uint32_t number)
{
  return &blocks[number / BLOCK][number % BLOCK];
}

static uint32_t
text_hash(uint32_t h, const char *s)
{
  while (*s != '\0')
    h = (h ^ (unsigned char)*s++) * 16777619u;
  return (h ^ 0xFF) * 16777619u;
}

static bool
same_text(const char *a, const char *b)
{
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool
function_hash_grow(void)
{
  uint32_t slots = function_hash_mask == 0 ? 65536
                                           : (function_hash_mask + 1) * 2;
  uint32_t *bigger;
  if (function_hash != NULL && function_count * 2 <= function_hash_mask)
    return true;
  bigger = calloc(slots, sizeof *bigger);
  if (bigger == NULL)
    return false;
  for (uint32_t n = 1; n < function_count; n++) {
    const struct code_function *f = function_table_at(n);
    uint32_t i = text_hash(text_hash(2166136261u, f->name), f->system_name);
    while (bigger[i & (slots - 1)] != 0)
      i++;
    bigger[i & (slots - 1)] = n;
  }
  free(function_hash);
  function_hash = bigger;
  function_hash_mask = slots - 1;
  return true;
}

uint32_t
function_table_intern(const char *name, const char *system_name,
                      const char *file, int file_position, bool runtime)
{
  struct code_function *f;
  uint32_t i, number;
  if (!function_hash_grow())
    return 0;
  i = text_hash(text_hash(2166136261u, name), system_name);
  for (; (number = function_hash[i & function_hash_mask]) != 0; i++) {
    f = function_table_at(number);
    if (strcmp(f->name, name) == 0 &&
        strcmp(f->system_name, system_name) == 0 &&
        same_text(f->file, file) && f->runtime == runtime)
      return number;
  }
  number = function_count;
  if (number >= FUNCTION_OBJECT_BASE || number / BLOCK >= MAX_BLOCKS)
    return 0;
  if (blocks[number / BLOCK] == NULL) {
    blocks[number / BLOCK] = calloc(BLOCK, sizeof(struct code_function));
    if (blocks[number / BLOCK] == NULL)
      return 0;
  }
  f = function_table_at(number);
  f->name = strdup(name);
  f->system_name = strdup(system_name);
  f->file = file != NULL ? strdup(file) : NULL;
  f->file_position = file_position;
  f->runtime = runtime;
  f->root = strcmp(name, MPROF_ROOT_FUNCTION) == 0;
  f->phase_role = phase_role_of(name, file != NULL ? file : "", runtime);
  if (f->name == NULL || f->system_name == NULL)
    return 0;
  function_hash[i & function_hash_mask] = number;
  function_count++;
  return number;
}
