/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rights.c -- a program gives up what it may do.  Each case allocates 5
 * objects of 10 bytes before and one of 100 after it.  Arguments: a folder,
 * which some of them need, and cases, of which each gives up more; or none.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept[20];
static const char *folder;

static void
allocate(int n, size_t bytes)
{
  for (int i = 0; i < n; i++)
    kept[i] = malloc(bytes);
}

static void
need(int good)
{
  if (!good)
    _exit(97);
}

/* ---- what is given up ---- */

static void
give_none(void)
{
}

static void
give_root(void)
{
  need(chroot(folder) == 0 && chdir("/") == 0);
}

static void
give_user(void)
{
  need(setuid(65534) == 0);
}

static void
give_thread_user(void)
{
  need(syscall(SYS_setresuid, 65534, 65534, 65534) == 0);
}

static void
give_place(void)
{
  need(chdir("/") == 0);
}

/* All descriptors that a process may have. */
static void
give_descriptors(void)
{
  while (dup(0) >= 0)
    ;
  need(errno == EMFILE);
}

static void
give_few_descriptors(void)
{
  const struct rlimit few = { 3, 3 };
  setrlimit(RLIMIT_NOFILE, &few);
}

/* As daemons do; then they have files of their own there. */
static void
give_closed(void)
{
  for (int i = 3; i < 2000; i++)
    close(i);
  give_descriptors();
}

/* So that there is no more of it. */
static void
give_memory(void)
{
  const struct rlimit none = { 1, RLIM_INFINITY };
  need(setrlimit(RLIMIT_AS, &none) == 0);
}

static void
take_memory(void)
{
  const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
  need(setrlimit(RLIMIT_AS, &all) == 0);
}

static void
give_folder(void)
{
  need(rename(folder, "away") == 0);
}

/* ---- system calls ---- */

enum { MOST = 40 };

/* All but `count' of these are allowed, or only these. */
static void
filter(const int *calls, int count, unsigned others, unsigned action)
{
  struct sock_filter code[MOST + 3];
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

static const int basic[] = { SYS_write, SYS_mmap,       SYS_munmap,
                             SYS_brk,   SYS_exit_group, SYS_rt_sigreturn,
                             SYS_exit,  SYS_futex,      SYS_madvise,
                             SYS_rt_sigprocmask };

/* Newer processors have the calls that take a folder alone. */
#ifdef SYS_open
#define OLD_CALLS SYS_open, SYS_rename, SYS_unlink, SYS_readlink
#else
#define OLD_CALLS SYS_unlinkat, SYS_readlinkat
#endif

/* Filters that allow all calls but some, and what becomes of these. */
static const struct {
  const char *name;
  unsigned action;
  int calls[9]; /* 0: no more */
} filters[] = {
  { "filter-nothing", SECCOMP_RET_ALLOW, { 0 } },
  { "filter-files",
    SECCOMP_RET_KILL_PROCESS,
    { OLD_CALLS, SYS_openat, SYS_renameat, SYS_renameat2, SYS_fsync } },
  { "filter-memory",
    SECCOMP_RET_KILL_PROCESS,
    { SYS_mremap, SYS_mincore, SYS_ftruncate } },
  { "filter-signals",
    SECCOMP_RET_KILL_PROCESS,
    { SYS_rt_sigpending, SYS_rt_sigprocmask } },
  { "filter-time", SECCOMP_RET_KILL_PROCESS, { SYS_clock_gettime } },
  { "filter-yield", SECCOMP_RET_KILL_PROCESS, { SYS_sched_yield } },
};

static int
filter_if_known(const char *name)
{
  for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
    if (strcmp(name, filters[i].name) == 0) {
      int count = 0;
      while (filters[i].calls[count] != 0)
        count++;
      filter(filters[i].calls, count, SECCOMP_RET_ALLOW, filters[i].action);
      return 1;
    }
  return 0;
}

/* As libseccomp does, what the kernel knows. */
static void
give_question(void)
{
  need(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) < 0 &&
       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
               SECCOMP_FILTER_FLAG_NEW_LISTENER, NULL) < 0);
}

/* What is no filter is refused, and forbids nothing. */
static void
give_no_filter(void)
{
  struct sock_filter *const nowhere = (struct sock_filter *)64;
  const struct sock_fprog program = { 3, nowhere };
  need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 64) < 0 &&
       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 &&
       errno == EFAULT);
}

static void
give_nearly_all(void)
{
  filter(basic, sizeof basic / sizeof *basic, SECCOMP_RET_KILL_PROCESS,
         SECCOMP_RET_ALLOW);
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

static void
give_in_thread(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, allocate_there, NULL);
  give_nearly_all();
  __atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
}

/* Then a process has no end by exit_group. */
static void
give_all(void)
{
  void *p;
  need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
  p = malloc(100);
  free(p);
  write(1, "done\n", 5);
  syscall(SYS_exit, 0);
}

/* ---- more of them ---- */

#define FOUR_TIMES(statement) statement statement statement statement

/* 30,400 paths that were not met before. */
static void
use_sizes(void)
{
  for (size_t bytes = 101; bytes <= 2000; bytes++) {
    FOUR_TIMES(FOUR_TIMES(free(malloc(bytes));))
  }
}

static void
fork_after(void)
{
  int status;
  if (fork() == 0) {
    char process[16];
    write(1, process, (size_t)sprintf(process, "%d\n", (int)getpid()));
    allocate(2, 30);
    exit(0);
  }
  need(wait(&status) > 0 && status == 0);
}

/* What comes next is done in a child. */
static void
go_on_in_child(void)
{
  int status;
  if (fork() == 0)
    return;
  need(wait(&status) > 0 && status == 0);
  allocate(1, 100);
  exit(0);
}

/* As nginx does; a parent that keeps what it has. */
static void
fork_before(void)
{
  int status;
  if (fork() == 0) {
    allocate(2, 30);
    give_root();
    give_user();
    allocate(1, 100);
    exit(0);
  }
  need(wait(&status) > 0 && status == 0);
}

/* A child that goes on alone: until it can read from "go", and then as long
 * as somebody reads from "ended". */
static void
leave_child(void)
{
  int ends[2];
  char byte;
  pipe(ends);
  if (fork() != 0) {
    need(read(ends[0], &byte, 1) == 1);
    return;
  }
  allocate(2, 30);
  give_user();
  write(ends[1], "", 1);
  need(read(open("go", O_RDONLY), &byte, 1) == 1 &&
       open("ended", O_WRONLY) >= 0);
}

/* ---- what goes on without counting ---- */

static void
send_signal(void)
{
  raise(SIGUSR2);
}

static void
load_and_unload(void)
{
  dlclose(dlopen("libm.so.6", RTLD_NOW));
}

/* At the beginning of a page, where the monitor has one list for all. */
static void *
allocate_pages(void *data)
{
  for (int i = 0; i < 30000; i++)
    free(aligned_alloc(4096, 100));
  return data;
}

static void
use_threads(void)
{
  pthread_t threads[8];
  for (int i = 0; i < 8; i++)
    pthread_create(&threads[i], NULL, allocate_pages, NULL);
  for (int i = 0; i < 8; i++)
    pthread_join(threads[i], NULL);
}

static const struct {
  const char *name;
  void (*give)(void);
} cases[] = {
  { "none", give_none },
  { "chroot", give_root },
  { "setuid", give_user },
  { "thread-setuid", give_thread_user },
  { "chdir", give_place },
  { "EMFILE", give_descriptors },
  { "few", give_few_descriptors },
  { "closed", give_closed },
  { "poor", give_memory },
  { "rich", take_memory },
  { "moved", give_folder },
  { "filter-asked", give_question },
  { "filter-wrong", give_no_filter },
  { "filter-most", give_nearly_all },
  { "filter-thread", give_in_thread },
  { "strict", give_all },
  { "sizes", use_sizes },
  { "fork", fork_after },
  { "child", go_on_in_child },
  { "workers", fork_before },
  { "daemon", leave_child },
  { "signal", send_signal },
  { "library", load_and_unload },
  { "threads", use_threads },
};

static void
give_up(const char *name)
{
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (strcmp(name, cases[i].name) == 0) {
      cases[i].give();
      return;
    }
  need(filter_if_known(name));
}

int
main(int argc, char **argv)
{
  struct rlimit limit = { 64, 64 };
  if (argc == 1)
    return setuid(getuid()); /* allocates nothing */
  folder = argv[1];
  setrlimit(RLIMIT_NOFILE, &limit);
  allocate(5, 10);
  for (int i = 2; i < argc; i++)
    give_up(argv[i]);
  allocate(1, 100);
  return 0;
}
