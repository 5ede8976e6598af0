/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Profiles that say what of a Lisp program was alive, by hand as those of
 * example_profiles.h.
 */

#ifndef LIVE_PROFILES_H
#define LIVE_PROFILES_H

#include "profile_builder.h"

/* A Lisp program of which each object was followed until COLLECTION: a cache
 * that holds ENTRIES entries, of twice as many and 20 more that were made, in
 * a table that has grown; conses of which few are left; floats, all dead. */
static inline struct builder *
example_followed(const char *collection, int64_t entries)
{
  char comment[64];
  struct builder *b = builder_new("lisp");
  snprintf(comment, sizeof comment, "mprof.live_collection=%s", collection);
  builder_comment(b, comment);
  builder_allocate(b, "APP::MAIN/APP::CACHE",
                   (struct allocation){2 * entries + 20,
                                       32 * (2 * entries + 20), 32, "struct",
                                       "INSTANCE", "APP::ENTRY", entries,
                                       32 * entries});
  builder_allocate(b, "APP::MAIN/APP::CACHE",
                   (struct allocation){1, 600, 600, "other", "HASH-TABLE",
                                       NULL, 1, 600});
  builder_allocate(b, "APP::MAIN/APP::CACHE",
                   (struct allocation){0, 60 * entries, 0, "other",
                                       "HASH-TABLE", NULL, 0, 40 * entries});
  builder_allocate(b, "APP::MAIN/APP::PARSE",
                   (struct allocation){200, 3200, 16, "cons", "CONS", NULL, 5,
                                       80});
  builder_allocate(
      b, "APP::MAIN/APP::PARSE/APP::READ/%ecl_double_float_for_value",
      (struct allocation){50, 800, 16, "float", "DOUBLE-FLOAT", NULL, 0, 0});
  builder_activate(b, "APP::MAIN", 1);
  builder_activate(b, "APP::MAIN/APP::CACHE", 100);
  builder_activate(b, "APP::MAIN/APP::PARSE", 20);
  builder_activate(b, "APP::MAIN/APP::PARSE/APP::READ", 50);
  return b;
}

/* 351 objects of 10,200 bytes, 46 of 3,560 alive; ... */
static inline struct builder *
example_live(void)
{
  return example_followed("7", 40);
}

/* ... 291 of 6,480 when 16 of 1,400 were; ... */
static inline struct builder *
example_live_before(void)
{
  return example_followed("3", 10);
}

/* COUNT allocations on CHAIN of SIZE bytes, of which it is known how many
 * collections they survive, as builder_survives has it. */
static inline void
allocate_mortals(struct builder *b, const char *chain, int64_t size,
                 const char *category, const char *type,
                 const int64_t objects[BUILDER_SURVIVAL])
{
  int64_t count = 0, kept = 0;
  for (int i = 0; i < BUILDER_SURVIVAL; i++) {
    count += objects[i];
    kept += i > BUILDER_SURVIVAL / 2 ? objects[i] : 0;
  }
  builder_allocate(b, chain,
                   (struct allocation){count, count * size, size, category,
                                       type, NULL, kept, kept * size});
  builder_survives(b, size, objects);
}

/* A server whose objects live as long as a request, a session, or for good:
 * 1,000 of 28,800 bytes.  Those of READ are in two samples. */
static inline struct builder *
example_survival(void)
{
  struct builder *b = builder_new("lisp");
  builder_comment(b, "mprof.live_collection=12");
  builder_has_survival(b);
  allocate_mortals(b, "APP::SERVE/APP::READ", 16, "cons", "CONS",
                   (int64_t[]){380, 15, 0, 0, 0, 5, 0, 0, 0, 0});
  allocate_mortals(b, "APP::MAIN/APP::SERVE/APP::READ", 16, "cons", "CONS",
                   (int64_t[]){100, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  allocate_mortals(b, "APP::MAIN/APP::SERVE/APP::SESSION", 48, "struct",
                   "INSTANCE",
                   (int64_t[]){10, 20, 160, 100, 10, 10, 20, 40, 20, 10});
  allocate_mortals(b, "APP::MAIN/APP::SERVE/%ecl_double_float_for_slot", 16,
                   "float", "DOUBLE-FLOAT",
                   (int64_t[]){0, 0, 0, 0, 0, 99, 0, 0, 0, 1});
  builder_activate(b, "APP::MAIN", 1);
  builder_activate(b, "APP::MAIN/APP::SERVE", 100);
  return b;
}

/* ... and before anything is known: there was no collection. */
static inline struct builder *
example_live_unknown(void)
{
  struct builder *b = builder_new("lisp");
  builder_comment(b, "mprof.live_collection=0");
  builder_cons(b, "APP::MAIN/APP::PARSE", 3);
  builder_activate(b, "APP::MAIN", 1);
  return b;
}

/* What holds what is alive: two variables, one list of both, and a stack. */
static inline struct builder *
example_held(void)
{
  static const struct {
    const char *chain;
    struct allocation objects;
  } held[] = {
      {"APP::*CACHE*/HASH-TABLE (from before)",
       {0, 640, 0, "other", "HASH-TABLE", NULL, 0, 0}},
      {"APP::*CACHE*/HASH-TABLE (from before)/APP::ROW by APP::PARSE",
       {20, 1600, 0, "struct", "STRUCTURE", "APP::ROW", 0, 0}},
      {"APP::*CACHE*/HASH-TABLE (from before)/APP::ROW by APP::PARSE/"
       "CONS by APP::PARSE",
       {60, 960, 0, "cons", "CONS", NULL, 0, 0}},
      {"APP::*CACHE* and APP::*INDEX*/APP::ROW by APP::PARSE",
       {5, 400, 0, "struct", "STRUCTURE", "APP::ROW", 0, 0}},
      {"APP::*INDEX*/CONS by APP::NOTE",
       {5, 80, 0, "cons", "CONS", NULL, 0, 0}},
      {"stack of worker/CONS by APP::NOTE",
       {2, 32, 0, "cons", "CONS", NULL, 0, 0}},
  };
  struct builder *b = builder_new("lisp");
  builder_comment(b, "mprof.live_collection=9");
  builder_column(b, "held_objects", "count");
  builder_column(b, "held_space", "bytes");
  builder_allocate(b, "APP::MAIN/APP::PARSE",
                   (struct allocation){50, 4000, 80, "struct", "STRUCTURE",
                                       "APP::ROW", 25, 2000});
  builder_allocate(b, "APP::MAIN/APP::PARSE",
                   (struct allocation){90, 1440, 16, "cons", "CONS", NULL, 60,
                                       960});
  builder_allocate(b, "APP::MAIN",
                   (struct allocation){0, 640, 0, "other", "HASH-TABLE", NULL,
                                       0, 640});
  builder_allocate(b, "APP::MAIN/APP::NOTE",
                   (struct allocation){7, 112, 16, "cons", "CONS", NULL, 7,
                                       112});
  builder_activate(b, "APP::MAIN", 1);
  builder_activate(b, "APP::MAIN/APP::PARSE", 50);
  builder_activate(b, "APP::MAIN/APP::NOTE", 7);
  for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
    struct allocation objects = held[i].objects;
    int64_t *values = b->values[b->profile.n_sample];
    objects.allocs = objects.bytes = 0;
    builder_allocate(b, held[i].chain, objects);
    values[BUILDER_COLUMNS] = held[i].objects.allocs;
    values[BUILDER_COLUMNS + 1] = held[i].objects.bytes;
  }
  return b;
}

#endif
