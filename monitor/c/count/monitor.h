/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor.h -- counts what a C program allocates and frees.
 *
 * Model.  Each allocation has a path: the calls that are active, from the
 * first function of the thread to the one that called the allocator.  All
 * threads share one context tree; a leaf is a path with the size of the
 * objects, the name of the thread and the region that it was in.  Its
 * counters are beside the tree, in stripes (stripes.h).
 *
 * Re-entry.  Nothing is counted that a thread does while it is in here, or in
 * the real allocator for a call that is counted.
 *
 * The hook keeps errno; all of it takes memory from the kernel alone. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/attributes.h"
#include "c/count/stripes.h"
#include "code/code_objects.h"
#include "code/function_numbers.h"
#include "image/spin_lock.h"
#include "tree/context_tree.h"
#include "tree/region_table.h"

/* In kind.origin: the label of the thread, and whether the dynamic linker
 * allocates, which a leaf over the budget does not tell otherwise. */
#define ORIGIN_THREAD(origin) ((uint32_t)(origin))
#define ORIGIN_LINKER (UINT64_C(1) << 63)

enum {
  LABELS = 256,
  NAME_BYTES = 16 /* of a name of a thread; the kernel's size */
};

/* See thread.h. */
struct threads {
  struct spin_lock lock; /* of what follows */
  struct thread *unused;
  char names[LABELS][NAME_BYTES];
  uint32_t name_count; /* 0: no name */
  pthread_key_t key;
  bool has_key;
};

/* See unloaded_code.c. */
struct unloaded_code {
  struct spin_lock lock;
  struct code_objects loaded; /* at the last check */
  struct code_objects
      other; /* has the memory for the next one, which so does
                not take the place of a library that is gone */
  uintptr_t linker_start, linker_end; /* 0: not asked for yet */
};

struct monitor {
  bool ready;            /* the tree is there, and in the image if there is to
                            be one */
  struct spin_lock lock; /* of all that follows */
  bool awaits_image;     /* it is made when something is counted */
  bool without_memory;   /* there was none for a tree, which was said */
  struct context_tree tree;
  struct function_numbers functions; /* that are in it */
  struct region_table regions; /* its lock does not guard what is live */
  struct spin_lock *objects;   /* that of interpose/; NULL: none */
  struct threads threads;
  struct unloaded_code code;
  /* For this process and for copies of it, without the lock: */
  bool begun, given_up;
  bool counting;            /* as last asked for */
  bool (*begin_copy)(void); /* called when a copy begins, to forget what is
                               its parent's; false: it cannot.  NULL: no
                               session has begun */
};

extern struct monitor monitor HIDDEN;

/* ---- copies of the process ----
 *
 * A copy may be made without a handler of the parent's: by _Fork, by
 * clone, or by a system call.  So a page that the kernel empties in each copy
 * (MADV_WIPEONFORK, Linux 4.14) says whose the figures in memory are.  A copy
 * begins anew when it first counts or frees, and costs nothing until then.  A
 * child that shares its parent's memory (vfork, CLONE_VM) also shares the
 * page, and counts as a thread of the parent.
 *
 * Until the copy has begun, its counters are mapped from its parent's image.
 * So all but the hook's fast path, which finds neither `counting' nor
 * `known', call own_process_known before they use the monitor, the stripes or
 * any lock. */

extern union own_process {
  struct {
    bool known;            /* the figures in memory are this process's */
    bool counting;         /* allocations, now; any thread may read it */
    struct spin_lock lock; /* held by the thread that begins the process */
  };
  _Alignas(ARCH_PAGE) char page[ARCH_PAGE]; /* alone in it */
} own_process HIDDEN;

/* Begins in the first process, or in a copy of it.  Returns false in a copy
 * that cannot have counters of its own, and for a signal handler that
 * interrupted this function in its thread. */
bool own_process_begin(void);

/* Returns whether the figures in memory are this process's; may begin it. */
static inline bool
own_process_known(void)
{
  return __builtin_expect(
             __atomic_load_n(&own_process.known, __ATOMIC_ACQUIRE), 1) ||
         own_process_begin();
}

/* Empties the page as the kernel does, where it does not. */
void own_process_forked(void);

static inline bool
monitor_is_counting(void)
{
  return __atomic_load_n(&own_process.counting, __ATOMIC_RELAXED);
}

/* What the monitor knows of this thread without memory for it. */
extern __thread struct this_thread {
  struct thread *record; /* thread.h; NULL: none yet */
  int inside;       /* calls that are in the monitor, or in the real allocator
                       for it */
  bool forking;     /* so it is, though no call may be active */
  bool fork_locked; /* it has locked the monitor for a fork */
  bool seeking;     /* it looks for the real allocator, and gets early
                       memory */
} this_thread HIDDEN_THREAD;

/* ---- the hook ---- */

/* What an object is known by until it is freed. */
struct counted {
  owned_leaf leaf; /* 0: it was not counted */
  uint32_t epoch;  /* of the figures that it is in */
};

/* Counts an object of `bytes' that the program is given at `address', if
 * allocations are counted; `frame' is that of the interposed function. */
struct counted monitor_allocated(uintptr_t address, size_t bytes,
                                 const uintptr_t *frame);

/* Be ready to count: make the tree, and the image if one is awaited, of which
 * a line is printed when that fails.  False: there is no memory. */
bool monitor_open(struct monitor *m);
bool monitor_open_locked(struct monitor *m);

/* Opens it if it is not.  Under the lock, or another thread leaves the image
 * before the first count in it. */
static inline bool
monitor_is_ready(struct monitor *m)
{
  return __builtin_expect(m->ready, 1) || monitor_open_locked(m);
}

/* Counts the end of the object that was at `address'. */
void monitor_freed(uintptr_t address, struct counted counted, size_t bytes);

/* Counts an object as missed, for want of memory for its record. */
static inline void
monitor_miss(void)
{
  if (monitor_is_counting())
    __atomic_fetch_add(&stripes.missed, 1, __ATOMIC_RELAXED);
}

/* ---- counting, or not ---- */

/* Count, or do not, from now on. */
void monitor_count(bool on);

/* Forget all figures and all live objects. */
void monitor_forget(struct monitor *m);

/* ---- all of it ---- */

/* Locks all of it, and all stripes, of which this thread has none. */
void monitor_lock(struct monitor *m);
void monitor_unlock(struct monitor *m);

/* Leaves the figures so far in the present image; those to come are for
 * another file (process_image_set). */
void monitor_leave_image(struct monitor *m);

/* Forgets all in the child of a fork, of which only this thread is left. */
void monitor_forked(struct monitor *m);

/* ---- code that goes away: unloaded_code.c ---- */

/* Returns whether `ip' is in the dynamic linker. */
bool unloaded_code_is_linker(uintptr_t ip);

/* Retire the sites in what is loaded no more. */
void unloaded_code_check(void);

/* Opens, in the child of a fork, what another thread had locked. */
void unloaded_code_forked(void);
