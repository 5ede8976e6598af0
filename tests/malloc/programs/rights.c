/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rights.c -- a program gives up what it may do.  Each case allocates 5
 * objects of 10 bytes before and one of 100 after it.  Arguments: a folder,
 * which some of them need, and cases, of which each gives up more.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "cases.h"

static const char *folder;

static void
need(int good)
{
  if (!good)
    _exit(97);
}

/* ---- what is given up ---- */

CASE(none) {}
CASE(chroot) { need(chroot(folder) == 0 && chdir("/") == 0); }
CASE(setuid) { need(setuid(65534) == 0); }
CASE(moved) { need(rename(folder, "away") == 0); }

/* All descriptors that a process may have. */
CASE(EMFILE)
{
  while (dup(0) >= 0)
    ;
  need(errno == EMFILE);
}

/* As daemons do; then they have files of their own there. */
CASE(closed)
{
  for (int i = 3; i < 2000; i++)
    close(i);
  case_EMFILE();
}

static void
limit_memory(rlim_t bytes)
{
  const struct rlimit both = {bytes, RLIM_INFINITY};
  need(setrlimit(RLIMIT_AS, &both) == 0);
}

CASE(poor) { limit_memory(1); }
CASE(rich) { limit_memory(RLIM_INFINITY); }

/* ---- system calls ---- */

/* All calls but `count' of these become OTHERS, and these ACTION. */
static void
filter(const int *calls, int count, unsigned others, unsigned action)
{
  struct sock_filter code[40];
  struct sock_fprog program = { 0, code };
  code[program.len++] = (struct sock_filter)BPF_STMT(
      BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < count; i++)
    code[program.len++] = (struct sock_filter)BPF_JUMP(
        BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], count - i, 0);
  code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, others);
  code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
  need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0);
}

#define COUNT(array) ((int)(sizeof array / sizeof *array))
#define FORBID(calls)                                                        \
  filter(calls, COUNT(calls), SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS)
#define FORBID_ALL_BUT(calls)                                                \
  filter(calls, COUNT(calls), SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW)

CASE(filter_nothing)
{
  filter(NULL, 0, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW);
}

/* What the monitor does for files, memory and locks. */
CASE(filter_calls)
{
  static const int calls[] = {
#ifdef SYS_open /* newer processors have the calls that take a folder alone */
      SYS_open, SYS_rename, SYS_unlink, SYS_readlink,
#endif
      SYS_openat, SYS_renameat, SYS_renameat2, SYS_fsync, SYS_mremap,
      SYS_mincore, SYS_ftruncate, SYS_clock_gettime, SYS_sched_yield};
  FORBID(calls);
}

CASE(filter_signals)
{
  static const int calls[] = {SYS_rt_sigpending, SYS_rt_sigprocmask};
  FORBID(calls);
}

CASE(filter_most)
{
  static const int calls[] = {
      SYS_write, SYS_mmap,  SYS_munmap,  SYS_brk,           SYS_exit_group,
      SYS_exit,  SYS_futex, SYS_madvise, SYS_rt_sigprocmask};
  FORBID_ALL_BUT(calls);
}

/* As libseccomp does, what the kernel knows. */
CASE(filter_asked)
{
  need(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) < 0 &&
       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
               SECCOMP_FILTER_FLAG_NEW_LISTENER, NULL) < 0);
}

/* What is no filter is refused, and forbids nothing. */
CASE(filter_wrong)
{
  const struct sock_fprog program = {3, (struct sock_filter *)64};
  need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 64) < 0 &&
       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 &&
       errno == EFAULT);
}

/* A thread is there before, allocates, and ends. */
static int go_on;

static void *
allocate_there(void *data)
{
  for (int i = 0; i < 10; i++)
    kept[10] = malloc(44);
  while (__atomic_load_n(&go_on, __ATOMIC_ACQUIRE) == 0)
    ;
  for (int i = 0; i < 2000; i++) {
    free(kept[10 + i % 8]);
    kept[10 + i % 8] = malloc(i % 2 == 0 ? 44 : 8000);
  }
  return data;
}

CASE(filter_thread)
{
  pthread_t thread;
  pthread_create(&thread, NULL, allocate_there, NULL);
  case_filter_most();
  __atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
}

/* Then a process has no end by exit_group. */
CASE(strict)
{
  need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
  free(malloc(100));
  write(1, "done\n", 5);
  syscall(SYS_exit, 0);
}

/* ---- more of them ---- */

#define FOUR_TIMES(statement) statement statement statement statement

/* 30,400 paths that were not met before. */
CASE(sizes)
{
  for (size_t bytes = 101; bytes <= 2000; bytes++) {
    FOUR_TIMES(FOUR_TIMES(free(malloc(bytes));))
  }
}

CASE(fork)
{
  const pid_t child = fork();
  if (child == 0) {
    char process[16];
    write(1, process, (size_t)sprintf(process, "%d\n", (int)getpid()));
    allocate(2, 30);
    exit(0);
  }
  await(child);
}

/* What comes next is done in a child. */
CASE(child)
{
  const pid_t child = fork();
  if (child == 0)
    return;
  await(child);
  allocate(1, 100);
  exit(0);
}

/* As nginx does; a parent that keeps what it has. */
CASE(workers)
{
  const pid_t child = fork();
  if (child == 0) {
    allocate(2, 30);
    case_chroot();
    case_setuid();
    allocate(1, 100);
    exit(0);
  }
  await(child);
}

/* A child that goes on alone: until it can read from "go", and then as long
 * as somebody reads from "ended". */
CASE(daemon)
{
  int ends[2];
  char byte;
  pipe(ends);
  if (fork() != 0) {
    need(read(ends[0], &byte, 1) == 1);
    return;
  }
  allocate(2, 30);
  case_setuid();
  write(ends[1], "", 1);
  need(read(open("go", O_RDONLY), &byte, 1) == 1 &&
       open("ended", O_WRONLY) >= 0);
}

CASE(library) { dlclose(dlopen("libm.so.6", RTLD_NOW)); }

/* At the beginning of a page, where the monitor has one list for all. */
static void *
allocate_pages(void *data)
{
  for (int i = 0; i < 30000; i++)
    free(aligned_alloc(4096, 100));
  return data;
}

CASE(threads)
{
  pthread_t threads[8];
  for (int i = 0; i < 8; i++)
    pthread_create(&threads[i], NULL, allocate_pages, NULL);
  for (int i = 0; i < 8; i++)
    pthread_join(threads[i], NULL);
}

int
main(int argc, char **argv)
{
  const struct rlimit limit = {64, 64};
  folder = argv[1];
  setrlimit(RLIMIT_NOFILE, &limit);
  allocate(5, 10);
  for (int i = 2; i < argc; i++)
    need(run_case(2, argv + i - 1) == 0);
  allocate(1, 100);
  return 0;
}
