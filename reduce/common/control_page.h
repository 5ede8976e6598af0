/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * control_page.h -- by what `mprof run' asks the monitor in a program that
 * runs.
 *
 * The two share memory, a file without a name, which the monitor finds in the
 * environment (MPROF_CONTROL), maps, and closes again: the program may
 * change its descriptors, root or user.  Its first page is this
 * struct; behind that is where a snapshot is written.
 *
 * A thread of the program answers.  As long as it lives it has the lock
 * `answerer', which the kernel opens when the process ends or becomes another
 * program, and which the thread of that other program takes then.
 *
 * One request at a time.  `state' says whose turn it is:
 *
 *     IDLE      free; the asking process writes a request and sets
 *     ASKED     the program's turn; the request may still be withdrawn: IDLE
 *     TAKEN     the program is working on it
 *     ANSWERED  the answer is there, until the next request
 */
#ifndef MPROF_CONTROL_PAGE_H
#define MPROF_CONTROL_PAGE_H

#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum control_state {
  CONTROL_IDLE,
  CONTROL_ASKED,
  CONTROL_TAKEN,
  CONTROL_ANSWERED
};

enum control_request {
  CONTROL_STATUS,   /* only its figures, as all others give them too */
  CONTROL_SNAPSHOT, /* a profile of now, not compressed */
  CONTROL_START,    /* count from now on */
  CONTROL_STOP,     /* count no more; what is freed is still taken note of */
  CONTROL_RESET     /* forget all figures; what is alive too */
};

struct control_figures {
  bool counting;
  uint64_t counting_since; /* that it does, or does not; ns, real time */
  uint64_t figures_since;  /* which the figures are of; the same */
  uint64_t allocations, bytes, peak_bytes;
  uint64_t live_objects, live_bytes;
  uint64_t contexts;
  uint64_t overflows;  /* paths that found no room within the budget */
  uint64_t lost;       /* not counted, as there was no memory for it */
  uint64_t stopped_ns; /* how long no thread could allocate for the answer */
};

struct control_page {
  pthread_mutex_t answerer; /* robust */
  uint32_t state;           /* who asks waits for that */
  uint32_t bell;            /* and the thread for that to be another number */
  uint32_t request;
  int status;      /* of the last answer: 0 or an errno value */
  uint64_t length; /* of the snapshot */
  pid_t process;   /* that answers, or did; 0: none has yet */
  char reason[96]; /* why it does so no longer, if it lives; else empty */
  struct control_figures figures;
};

enum {
  CONTROL_PAGE_BYTES = 4096,
  CONTROL_SNAPSHOT_BYTES = 1 << 30 /* at most; pages are those written to */
};

_Static_assert(sizeof(struct control_page) <= CONTROL_PAGE_BYTES, "one page");

/* Wait until *word is not `old', at most for so long (NULL: any time), or
 * less. */
static inline void
control_wait(uint32_t *word, uint32_t old, const struct timespec *longest)
{
  syscall(SYS_futex, word, FUTEX_WAIT, old, longest, NULL, 0);
}

static inline void
control_wake(uint32_t *word)
{
  syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* From one state to another, if it is that one. */
static inline bool
control_change(struct control_page *page, uint32_t from, uint32_t to)
{
  return __atomic_compare_exchange_n(&page->state, &from, to, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Have the thread look at the page again. */
static inline void
control_ring(struct control_page *page)
{
  __atomic_add_fetch(&page->bell, 1, __ATOMIC_RELEASE);
  control_wake(&page->bell);
}

/* The answer is there. */
static inline void
control_answer(struct control_page *page, int status)
{
  page->status = status;
  __atomic_store_n(&page->state, CONTROL_ANSWERED, __ATOMIC_RELEASE);
  control_wake(&page->state);
}

#endif
