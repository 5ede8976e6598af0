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
 * A list has a lock of its owner's, and holds its paths.  Memory is the
 * kernel's. */
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
  const char *path;     /* in the list's memory; NULL: none was left */
  uint32_t number;      /* among those that were unloaded, from 1 on; 0: it
                           is not among them */
};

struct code_objects { /* all zero: none */
  struct arena object_arena, text_arena;
  struct code_object *objects; /* the program is the first that is loaded */
  size_t count;
  size_t text_bytes;             /* of the paths, one after the other */
  unsigned long long adds, subs; /* files ever loaded, and ever unloaded */
  bool failed;                   /* one was not listed: there was no memory */
};

/* Lists all that are loaded now, in place of what LIST had.  Returns false if
 * there is no memory for some.  Takes the dynamic linker's lock: the thread
 * must hold none that another one may wait for in dlopen. */
bool code_objects_list(struct code_objects *list);
void code_objects_release(struct code_objects *list);

/* Returns whether no file has come or gone since they were listed; false
 * after code_objects_forked, as that is not known.  Takes that lock, too. */
bool code_objects_are_loaded(const struct code_objects *list);

/* Keeps the two above from taking the linker's lock: in the child of a fork
 * nobody may be left to open it. */
void code_objects_forked(void);

/* Appends a copy of OBJECT and its path, with its place in the list, from 1
 * on, as its number.  Returns the copy, which the next append may move; NULL
 * if there is no memory. */
const struct code_object *code_objects_copy(struct code_objects *list,
                                            const struct code_object *object);

/* Appends the objects of the file that has the address in its code, unless
 * they are listed; to an empty list the program's before.  Sets list->failed
 * if there is no memory.  Takes no lock; the code stays loaded meanwhile. */
void code_objects_add(struct code_objects *list, uintptr_t address);

/* Returns the object with the address in its code, or NULL.  The next append
 * may move it.  Takes no lock. */
static inline const struct code_object *
code_objects_find(const struct code_objects *list, uintptr_t address)
{
  for (size_t i = 0; i < list->count; i++)
    if (address >= list->objects[i].start && address < list->objects[i].end)
      return &list->objects[i];
  return NULL;
}

/* Calls `gone' with each object of `before' that is not loaded `now'. */
void code_objects_compare(const struct code_objects *before,
                          const struct code_objects *now,
                          void (*gone)(const struct code_object *object));

/* ---- code_notes.c ---- */

extern struct code_notes {
  struct spin_lock lock; /* of the three fields that follow */
  struct code_objects noted;
  struct code_objects unloaded; /* by their numbers less one */
  char text[NOTE_BYTES];        /* scratch: of a note that is made */
  char program[PATH_MAX]; /* path of the program, for all lists; empty: not
                             asked for yet */
  bool forked;            /* code_objects_forked was called */
} code_notes HIDDEN;

/* Notes the program, and the file with that address in its code, if that was
 * not done before.  Takes the lock; does nothing in a handler of a signal
 * that interrupted its holder.  May run inside the hook. */
void code_notes_add(uintptr_t address);

/* Notes that GONE, which is loaded still or was until now, is unloaded, and
 * forgets the rules of its addresses and its functions' numbers.  Takes the
 * lock.  Returns the object for code_object_retired_site; the caller has
 * locked all trees, and retires their sites before it unlocks them. */
struct code_object code_notes_retire(const struct code_object *gone,
                                     struct function_numbers *numbers);

/* Returns the retired site of a site in the object, a struct code_object from
 * code_notes_retire; any other site as it is. */
uint64_t code_object_retired_site(void *object, uint64_t site);
