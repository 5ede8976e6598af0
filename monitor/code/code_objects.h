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
 * Paths stay until the process ends.  Memory is the kernel's. */
#pragma once

#include <limits.h>
#include <link.h>
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
  CODE_OBJECTS = 1 << 16, /* unloaded, at most */
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
  const char *path;     /* "" if there was no memory for it */
  uint32_t number;      /* among those that were unloaded, from 1 on; 0: it
                           is not among them */
  unsigned check;       /* the last check that has met it; 0: none */
  bool is_noted;        /* images tell of it */
};

struct code_list {
  struct arena arena;
  struct code_object *objects;
  size_t count;
};

extern struct code_objects {
  struct spin_lock lock;     /* of all but `forked' */
  struct code_list loaded;   /* the program is the first */
  struct code_list unloaded; /* by their numbers less one */
  struct arena paths;        /* one after the other */
  size_t path_bytes;
  unsigned check; /* number of the present check, or the last */
  unsigned long long adds, subs; /* files ever loaded, and ever unloaded, when
                                    it began */
  bool failed;                   /* there was no memory for an object */
  bool forked;                   /* see code_objects_forked */
  char text[NOTE_BYTES];         /* scratch: of a note that is made */
} code_objects HIDDEN;

/* Adds all files that the dynamic linker has loaded.  Then takes those that
 * were loaded at a check before and are gone out of the list, and calls
 * `gone' with each of their objects.  Returns false, and takes none, without
 * memory.  Takes the linker's lock and then that of the list, and calls
 * `gone' without them: the thread must hold none that another one may wait
 * for in dlopen.  One thread at a time, with signals held. */
bool code_objects_check(void (*gone)(const struct code_object *object));

/* Takes the file at BASE, not 0, which is about to be unloaded, out of the
 * list, and calls `gone' with each of its objects; with one for all of it, if
 * there was no memory to list it. */
void code_objects_unload(uintptr_t base,
                         void (*gone)(const struct code_object *object));

/* Opens the lock in the child of a fork, and keeps checks from taking the
 * linker's, which nobody may be left to open. */
void code_objects_forked(void);

/* ---- for code_notes.c, under the lock ---- */

/* Sets *INFO to what dl_iterate_phdr tells of the file that has the address,
 * of the program for 0.  Returns false if there is none.  Takes no lock; the
 * code stays loaded meanwhile. */
bool code_file_find(uintptr_t address, struct dl_phdr_info *info);

/* Adds the objects of the file INFO, which were met at that check.  Sets
 * `failed' if there is no memory. */
void code_file_add(const struct dl_phdr_info *info, unsigned check);

/* Appends a copy of OBJECT.  Returns it, which the next one that is added may
 * move; NULL if there is no memory. */
struct code_object *code_list_add(struct code_list *list,
                                  const struct code_object *object);

/* ---- code_notes.c ---- */

/* Notes the program, and the file with that address in its code, if that was
 * not done before.  Takes the lock; does nothing in a handler of a signal
 * that interrupted its holder.  May run inside the hook. */
void code_notes_add(uintptr_t address);

/* Notes that GONE, which is loaded still or was until now, is unloaded, and
 * forgets the rules of its addresses and its functions' numbers, since
 * another file may get them.  Takes the lock.  Returns the object, with the
 * number that it keeps, for code_object_retired_site; the caller has locked
 * all trees, and retires their sites before it unlocks them. */
struct code_object code_notes_retire(const struct code_object *gone,
                                     struct function_numbers *numbers);

/* Returns the retired site of a site in the object, a struct code_object from
 * code_notes_retire; any other site as it is. */
uint64_t code_object_retired_site(void *object, uint64_t site);
