/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * system_call_filter.c -- a program limits its own system calls (seccomp),
 * and is ended if it makes another one.  The monitor makes some as well: for
 * memory, and to open files.
 *
 * A filter is a program of a simple machine, which the kernel runs at each
 * call: it may look at the call's number and arguments.  Here it is run for
 * the calls of the monitor before it is set.  If one would end the process,
 * the monitor makes none of its kind any more.  Without files no image begins,
 * and threads share a stripe.  Without memory, room is made for what is still
 * to come, and what then finds none is counted over the budget.  Calls that
 * only fail are borne as elsewhere. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "c/count/monitor.h"
#include "c/count/thread.h"
#include "c/session/session.h"
#include "code/frame_step.h"
#include "image/arena.h"
#include "image/image_file.h"

enum {
  SPARE_RECORDS = 1 << 16, /* of contexts, at least, for what is to come */
  SPARE_THREADS = 32
};

static const struct sock_filter kill_all =
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
const struct sock_fprog system_call_filter_strict = {
    1, (struct sock_filter *)&kill_all};

/* ---- a filter ---- */

static bool
compare(uint16_t code, uint32_t a, uint32_t b)
{
  switch (BPF_OP(code)) {
  case BPF_JEQ:
    return a == b;
  case BPF_JGT:
    return a > b;
  case BPF_JGE:
    return a >= b;
  default:
    return (a & b) != 0;
  }
}

/* Returns what the filter says to the call, SECCOMP_RET_...; where it has
 * instructions that filters of system calls have no need of, that the process
 * is ended. */
static uint32_t
run(const struct sock_fprog *filter, const struct seccomp_data *call)
{
  uint32_t a = 0;
  for (unsigned i = 0; i < filter->len; i++) {
    const struct sock_filter *const f = &filter->filter[i];
    switch (f->code) {
    case BPF_LD | BPF_W | BPF_ABS:
      if (f->k > sizeof *call - sizeof a)
        return SECCOMP_RET_KILL_PROCESS;
      memcpy(&a, (const char *)call + f->k, sizeof a);
      break;
    case BPF_ALU | BPF_AND | BPF_K:
      a &= f->k;
      break;
    case BPF_JMP | BPF_JA:
      i += f->k;
      break;
    case BPF_JMP | BPF_JEQ | BPF_K:
    case BPF_JMP | BPF_JGT | BPF_K:
    case BPF_JMP | BPF_JGE | BPF_K:
    case BPF_JMP | BPF_JSET | BPF_K:
      i += compare(f->code, a, f->k) ? f->jt : f->jf;
      break;
    case BPF_RET | BPF_K:
      return f->k;
    default:
      return SECCOMP_RET_KILL_PROCESS;
    }
  }
  return SECCOMP_RET_KILL_PROCESS;
}

/* ---- the calls of the monitor ---- */

enum { SOME = ARCH_PAGE, PRIVATE = MAP_PRIVATE | MAP_ANONYMOUS };
enum { READ_WRITE = PROT_READ | PROT_WRITE };

struct call {
  int number;
  uint64_t arguments[6];
};

static const struct call memory_calls[] = {
    {SYS_mmap, {0, SOME, READ_WRITE, PRIVATE | MAP_NORESERVE, UINT64_MAX, 0}},
    {SYS_munmap, {SOME, SOME}},
    {SYS_mremap, {SOME, SOME, 2 * SOME, 0}},
    {SYS_mremap, {SOME, SOME, 2 * SOME, MREMAP_MAYMOVE}},
    {SYS_madvise, {SOME, SOME, MADV_DONTNEED}},
    {SYS_madvise, {SOME, SOME, MADV_NORMAL}},
    {SYS_mincore, {SOME, 1, SOME}},
    {SYS_rt_sigprocmask, {SIG_BLOCK, 0, SOME, sizeof(uint64_t)}},
    {SYS_rt_sigprocmask, {SIG_SETMASK, SOME, 0, sizeof(uint64_t)}},
    {SYS_sched_yield, {0}},
    {SYS_futex, {SOME, FUTEX_WAIT_PRIVATE, 0, SOME}},
    {SYS_prctl, {PR_GET_NAME, SOME}},
    {SYS_clock_gettime, {CLOCK_REALTIME, SOME}}};

/* Calls that make an image, or report why it could not be made. */
static const struct call file_calls[] = {
    {SYS_openat, {(uint64_t)AT_FDCWD, SOME, O_RDWR | O_CREAT | O_EXCL, 0600}},
    {SYS_close, {3}},
    {SYS_newfstatat, {3, SOME, SOME, AT_EMPTY_PATH}},
    {SYS_fstatfs, {3, SOME}},
    {SYS_ftruncate, {3, SOME}},
    {SYS_fallocate, {3, 0, 0, SOME}},
    {SYS_prlimit64, {0}},
    {SYS_mmap, {0, SOME, READ_WRITE, MAP_SHARED, 3, 0}},
    {SYS_mremap, {SOME, SOME, SOME, MREMAP_MAYMOVE | MREMAP_FIXED, SOME}},
    {SYS_madvise, {SOME, SOME, MADV_RANDOM}},
    {SYS_readlinkat, {(uint64_t)AT_FDCWD, SOME, SOME, SOME}},
    {SYS_unlinkat, {(uint64_t)AT_FDCWD, SOME}},
#ifdef SYS_unlink
    {SYS_readlink, {SOME, SOME, SOME}},
    {SYS_unlink, {SOME}},
#endif
    {SYS_getpid, {0}},
    {SYS_rt_sigpending, {SOME, sizeof(uint64_t)}},
    {SYS_rt_sigtimedwait, {SOME, 0, SOME, sizeof(uint64_t)}},
    {SYS_writev, {2, SOME, 1}}};

/* Returns true if the process goes on after each of the COUNT calls. */
static bool
bears(const struct sock_fprog *filter, const struct call *calls, size_t count)
{
  bool goes_on = true;
  for (size_t i = 0; goes_on && i < count; i++) {
    struct seccomp_data call = {.nr = calls[i].number,
#ifdef __x86_64__
                                .arch = AUDIT_ARCH_X86_64};
#else
                                .arch = AUDIT_ARCH_AARCH64};
#endif
    memcpy(call.args, calls[i].arguments, sizeof call.args);
    const uint32_t action = run(filter, &call) & SECCOMP_RET_ACTION_FULL;
    goes_on = action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG ||
              action == SECCOMP_RET_ERRNO;
  }
  return goes_on;
}

#define BEARS(filter, calls) bears(filter, calls, sizeof calls / sizeof *calls)

/* ---- before a filter ---- */

/* Returns true if the kernel, too, can read all of the filter. */
static bool
is_filter(const struct sock_fprog *filter)
{
  if (!frame_is_readable((const uintptr_t *)filter) ||
      !frame_is_readable((const uintptr_t *)filter + 1))
    return false;
  for (unsigned i = 0; i < filter->len; i++)
    if (!frame_is_readable((const uintptr_t *)(filter->filter + i)))
      return false;
  return true;
}

static void
make_room(struct malloc_monitor *m)
{
  struct context_tree *const tree = &m->tree;
  this_thread.inside++;
  spin_lock(&m->lock);
  while (tree->room < tree->context_count + SPARE_RECORDS ||
         tree->room < tree->leaf_count + SPARE_RECORDS)
    if (!context_tree_make_room(tree))
      break;
  spin_unlock(&m->lock);
  malloc_threads_reserve(SPARE_THREADS);
  this_thread.inside--;
}

void
system_call_filter_before(const struct sock_fprog *filter, bool asks)
{
  const int saved = errno;
  if (!is_filter(filter))
    return; /* nor will the kernel take it */
  session.has_filter = true;
  if (asks)
    filter = &system_call_filter_strict;
  const bool open = own_process_known() && session_is_ours() &&
                    malloc_monitor_open(&malloc_monitor);
  if (!BEARS(filter, file_calls))
    image_file.forbidden = true;
  if (!open || !BEARS(filter, memory_calls)) {
    if (open)
      make_room(&malloc_monitor);
    arenas_seal();
  }
  errno = saved;
}
