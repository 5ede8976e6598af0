/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * number_map.h -- 64-bit keys numbered from 1 in the order of their first
 * use.  Not inside the hook.
 */
#ifndef MPROF_NUMBER_MAP_H
#define MPROF_NUMBER_MAP_H

#include <stddef.h>
#include <stdint.h>

struct number_map {      /* all zero: empty */
  uint64_t *keys;        /* keys[number - 1] */
  size_t count, room;
  uint32_t *slots;       /* open addressing: number, 0 is empty */
  size_t mask;
};

/* The number of `key', a new one when it is new; 0 when memory ran out. */
uint64_t number_map_add(struct number_map *map, uint64_t key);
void number_map_release(struct number_map *map);

#endif
