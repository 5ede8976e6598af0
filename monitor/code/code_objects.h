/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_objects.h -- the program and the libraries whose code is or was in the
 * process, so that an address in a call chain has a meaning when they are
 * gone.
 *
 * A file has an object for each of its executable segments: nearly always
 * one, but BOLT, lld and linker scripts make several.  Each has its own
 * offset in the file.
 *
 * When a library is unloaded its addresses are used again.  So call sites in
 * it are *retired*: in trees of C programs they become numbers, SITE_RETIRED
 * with the number of the library among all that were unloaded and the offset
 * in it.  (Trees of Lisp programs have no addresses.)  A library that comes
 * back to its place and goes again has the same number.  Beyond CODE_OBJECTS
 * of them, all have the number 0: their sites are one.
 *
 * Lists are made under the dynamic linker's lock: not with a lock held that
 * another thread may wait for in dlopen.  Memory is the kernel's. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "code/function_numbers.h"
#include "image/arena.h"
#include "image/spin_lock.h"
#include "tree/context_tree.h"

enum {
  BUILD_ID_BYTES = 32,
  CODE_OBJECTS = 1 << 16, /* at once, or unloaded, at most */
  NOTE_BYTES = PATH_MAX + 2 * BUILD_ID_BYTES + 32
};

struct code_object {
  uintptr_t start, end; /* of its code in memory */
  uintptr_t base;       /* what is added to the addresses in its file */
  uintptr_t data_start, data_end; /* of the file's variables; 0: it has none,
                                     or another object of the file tells */
  uint64_t file_offset;           /* of `start' */
  uint8_t build_id[BUILD_ID_BYTES];
  size_t build_id_size; /* 0: it has none */
  const char *path;     /* the list's */
  uint32_t number;      /* among those that were unloaded, from 1 on; 0: it
                           is not among them */
};

struct code_objects { /* all zero: none */
  struct arena object_arena, text_arena;
  struct code_object *objects; /* the program is the first that is loaded */
  size_t count;
  size_t text_bytes;             /* of the paths, one after the other */
  unsigned long long adds, subs; /* of all that ever were loaded, unloaded */
  bool failed;                   /* one was not listed: there was no memory */
};

/* Lists all that are loaded now.  Returns false when there is no memory. */
bool code_objects_list(struct code_objects *list);
void code_objects_release(struct code_objects *list);

/* Returns whether none has come or gone since they were listed; false where
 * that is not known, in the child of a fork. */
bool code_objects_are_loaded(const struct code_objects *list);

/* Takes no lock of the linker's from now on, as nobody will open it in the
 * child of a fork. */
void code_objects_forked(void);

/* Appends a copy of OBJECT, with its number in the list from 1 on.  Returns
 * it, or NULL without memory. */
const struct code_object *code_objects_copy(struct code_objects *list,
                                            const struct code_object *object);

/* Appends those of the file with that address in its code, if there is one
 * that the list lacks, and before them, if they are the first, the program's.
 * Takes no lock; the code is not unloaded meanwhile. */
void code_objects_add(struct code_objects *list, uintptr_t address);

/* Returns the one with that address in its code, or NULL.  Takes no lock. */
static inline const struct code_object *
code_objects_find(const struct code_objects *list, uintptr_t address)
{
  for (size_t i = 0; i < list->count; i++)
    if (address >= list->objects[i].start && address < list->objects[i].end)
      return &list->objects[i];
  return NULL;
}

/* Call `gone' with each of `before' that is not loaded `now'. */
void code_objects_compare(const struct code_objects *before,
                          const struct code_objects *now,
                          void (*gone)(const struct code_object *object));

/* ---- code_notes.c ---- */

extern struct code_notes {
  struct spin_lock lock; /* of all that follows */
  struct code_objects noted;
  struct code_objects unloaded; /* by their numbers less one */
  char text[NOTE_BYTES];        /* of a note that is made */
  char program[PATH_MAX]; /* path of the program; empty: not asked for yet */
  bool
      forked; /* so the linker's lock may be taken for ever; without `lock' */
} code_notes HIDDEN;

/* Notes the program, and the file with that address in its code, if that was
 * not done before.  May run inside the hook. */
void code_notes_add(uintptr_t address);

/* Notes that GONE, which is loaded still or was until now, is unloaded, and
 * forgets the rules of its addresses and its functions' numbers.  Returns
 * what code_object_retired_site needs to retire the sites of trees, which are
 * locked. */
struct code_object code_notes_retire(const struct code_object *gone,
                                     struct function_numbers *numbers);

/* Returns what a site becomes when the object (a struct code_object) is
 * unloaded: another one if it is in it. */
uint64_t code_object_retired_site(void *object, uint64_t site);
