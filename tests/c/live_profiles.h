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
  builder_allocate(b, "APP::MAIN/APP::PARSE/APP::READ",
                   (struct allocation){50, 800, 16, "float", "DOUBLE-FLOAT",
                                       NULL, 0, 0});
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

#endif
