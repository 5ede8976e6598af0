/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stress.c -- nothing but allocation: `mixed', sizes from 1 to 20,000 that
 * come and go at random; `loop', one object again and again; `live', a
 * million objects that stay; `threads', four of them with `mixed'.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 20000 };

static void *
mixed(void *data)
{
  uint64_t seed = 88172645463325252u + (uintptr_t)data;
  char **objects = calloc(OBJECTS, sizeof *objects);
  for (int i = 0; i < 1000000; i++) {
    unsigned j;
    size_t bytes;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    j = (unsigned)(seed >> 32) % OBJECTS;
    bytes = 1 + (size_t)((seed & 31) == 0 ? seed >> 40 : seed >> 56) % 20000;
    if (objects[j] != NULL && (seed & 3) == 0) {
      objects[j] = realloc(objects[j], bytes);
    } else {
      free(objects[j]);
      objects[j] = malloc(bytes);
    }
    objects[j][0] = 1;
  }
  for (int i = 0; i < OBJECTS; i++)
    free(objects[i]);
  free(objects);
  return NULL;
}

static void
loop(void)
{
  void *volatile p;
  for (int i = 0; i < 5000000; i++) {
    p = malloc(48);
    free(p);
  }
}

static void
live(void)
{
  static void *objects[1000000];
  for (int i = 0; i < 1000000; i++)
    objects[i] = malloc(24);
  for (int i = 0; i < 1000000; i++)
    free(objects[i]);
}

int
main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  pthread_t threads[4];
  if (strcmp(what, "loop") == 0)
    loop();
  else if (strcmp(what, "live") == 0)
    live();
  else if (strcmp(what, "mixed") == 0)
    mixed(NULL);
  else if (strcmp(what, "threads") == 0) {
    for (uintptr_t i = 0; i < 4; i++)
      pthread_create(&threads[i], NULL, mixed, (void *)i);
    for (int i = 0; i < 4; i++)
      pthread_join(threads[i], NULL);
  }
  return 0;
}
