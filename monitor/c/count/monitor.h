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
#include "c/count/object_table.h"
#include "c/count/stripes.h"
#include "code/code_objects.h"
#include "code/function_numbers.h"
#include "image/spin_lock.h"
#include "tree/context_tree.h"
#include "tree/region_table.h"

/* Parts of kind.origin: the label of the thread; a bit that is set if the
 * dynamic linker allocates, which the site of a leaf over the budget does not
 * tell. */
#define ORIGIN_THREAD(origin) ((uint32_t)(origin))
#define ORIGIN_LINKER (UINT64_C(1) << 63)

enum {
  LABELS = 256,
  NAME_BYTES = 16 /* of a name of a thread; the kernel's size */
};

/* See thread.h. */
struct threads {
  struct spin_lock lock; /* of `unused', the names and stripes_join */
  struct thread *unused; /* list of records that no thread has */
  char names[LABELS][NAME_BYTES]; /* by label, from 1 on */
  uint32_t name_count;            /* last label given */
  pthread_key_t key;              /* its destructor ends a thread's record */
  bool has_key;                   /* atomic */
};

/* See unloaded_code.c. */
struct unloaded_code {
  struct spin_lock lock;              /* held during a check */
  uintptr_t linker_start, linker_end; /* constant once the process began */
};

/* The page of the process whose figures are in memory.
 *
 * A copy of the process may be made without a handler of the parent's: by
 * _Fork, by clone, or by a system call.  So a page that the kernel empties in
 * each copy (MADV_WIPEONFORK, Linux 4.14) says whose the figures in memory
 * are.  A copy begins anew when it first counts or frees, and costs nothing
 * until then.  A child that shares its parent's memory (vfork, CLONE_VM) also
 * shares the page, and counts as a thread of the parent.
 *
 * Until the copy has begun, its counters are mapped from its parent's image.
 * So all but the hook's fast path, which finds neither `counting' nor
 * `known', call own_process_known before they use the monitor, the stripes or
 * any lock. */
union own_process {
  struct {
    bool known;            /* the figures in memory are this process's */
    bool counting;         /* allocations, now; any thread may read it */
    struct spin_lock lock; /* held by the thread that begins the process */
  };
  _Alignas(ARCH_PAGE) char page[ARCH_PAGE]; /* alone in it */
};

struct monitor {
  union own_process own;
  bool ready;            /* the tree is there, and no image is awaited */
  struct spin_lock lock; /* of what follows, but not of `objects',
                            `threads', `code' and the last fields */
  bool awaits_image;     /* an image is to be made at the next count */
  bool without_memory;   /* there was none for a tree, and a line said so */
  struct context_tree tree;
  struct function_numbers functions; /* that are in it */
  struct region_table regions;       /* live_bytes is atomic */
  struct object_table objects;       /* that have no mark; own lock */
  struct threads threads;
  struct unloaded_code code;
  /* For this process and for copies of it, without the lock: */
  bool begun, given_up;     /* the first process has begun; this one cannot
                               have figures of its own */
  bool stopped;             /* nothing is counted, as last asked for */
  pid_t process;            /* whose figures these are */
  bool (*begin_copy)(void); /* called when a copy begins, to forget what is
                               its parent's; false: it cannot.  NULL: no
                               session has begun */
};

extern struct monitor monitor HIDDEN;

/* ---- copies of the process ---- */

/* Begins in the first process, or in a copy of it.  Returns false in a copy
 * that cannot have counters of its own, and for a signal handler that
 * interrupted this function in its thread. */
bool own_process_begin(void);

/* Returns whether the figures in memory are this process's; may begin it. */
static inline bool
own_process_known(void)
{
  return __builtin_expect(
             __atomic_load_n(&monitor.own.known, __ATOMIC_ACQUIRE), 1) ||
         own_process_begin();
}

static inline bool
monitor_is_counting(void)
{
  return __atomic_load_n(&monitor.own.counting, __ATOMIC_RELAXED);
}

/* What the monitor knows of this thread without memory for it. */
extern __thread struct this_thread {
  struct thread *record; /* thread.h; NULL: none yet */
  uint32_t pool;    /* region of the pool's object that is being counted, or 0
                     */
  int inside;       /* calls that are in the monitor, or in the real allocator
                       for it */
  bool forking;     /* `inside' counts a fork, which has no frame in here */
  bool fork_locked; /* it has locked the monitor for a fork */
  bool seeking;     /* it looks for the real allocator */
} this_thread HIDDEN_THREAD;

/* ---- the hook ---- */

/* Counts an object of `bytes', as requested, that the program is given at
 * `address'; `frame' is the ARCH_FRAME of the interposed function.  Returns
 * leaf 0 if nothing was counted. */
struct counted monitor_allocated(uintptr_t address, size_t bytes,
                                 const uintptr_t *frame);

/* Makes the tree, and the image if one is awaited; prints a line if either
 * fails.  Returns false if there is no memory for the tree; without its image
 * the monitor counts in memory.  monitor_open takes the lock; the other is
 * called with it, which is held until a count that follows is done, or
 * another thread could leave the image. */
bool monitor_open(void);
bool monitor_open_locked(void);

/* Counts the end of the object that was at `address', with the `counted' and
 * the bytes of its allocation.  Does nothing if figures were forgotten since.
 * Locks the thread's stripe, unless it is in a handler of a signal that
 * interrupted a count there. */
void monitor_freed(uintptr_t address, struct counted counted, size_t bytes);

/* Counts an object as missed, for want of memory for its record. */
static inline void
monitor_miss(void)
{
  if (monitor_is_counting())
    __atomic_fetch_add(&stripes.missed, 1, __ATOMIC_RELAXED);
}

/* ---- counting, or not ---- */

/* Counts allocations from now on, or does not; frees always count.  Takes no
 * lock. */
void monitor_count(bool on);

/* Forgets all figures, and all live objects.  Takes the lock. */
void monitor_forget(void);

/* ---- all of it ---- */

/* Locks the monitor, then all stripes, none of which this thread holds. */
void monitor_lock(void);
void monitor_unlock(void);

/* Leaves the figures so far in the present image; those to come are for
 * another file (process_image_set).  Counts nothing any more if the kernel
 * refuses (image_leave).  Takes the lock. */
void monitor_leave_image(void);

/* Forgets all figures in the child of a fork, and opens the locks that
 * another thread had.  No other thread is left. */
void monitor_forked(void);

/* ---- code that goes away: unloaded_code.c ---- */

/* Returns whether `ip' is in the dynamic linker. */
static inline bool
unloaded_code_is_linker(uintptr_t ip)
{
  return ip >= monitor.code.linker_start && ip < monitor.code.linker_end;
}

/* Retires the sites in code that was unloaded since the last call.  Takes the
 * dynamic linker's lock and then the monitor's, of which the thread has none.
 * Does nothing in a handler of a signal that interrupted it.  Keeps errno. */
void unloaded_code_check(void);
