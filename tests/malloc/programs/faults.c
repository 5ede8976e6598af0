/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faults.c -- what may go wrong while the monitor needs room in its file: a
 * thread is cancelled, the file must not be as large; and handlers of signals
 * that do not go back to it.  Each case allocates 5 objects of 10 bytes before.
 */
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <semaphore.h>
#include <setjmp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "arch/arch.h"

#include <mprof_malloc.h>

#include "cases.h"

CASE(none)
{
}

/* So many sizes that the monitor needs room for them. */
static void __attribute__((noinline))
use_sizes(void)
{
  for (size_t i = 0; i < 2000; i++)
    free(malloc(30 + i));
}

/* ---- a thread that is cancelled ---- */

/* Files that are opened are points at which a thread is cancelled. */
static void *
allocate_until(void *data)
{
  pthread_cancel(pthread_self());
  use_sizes();
  pthread_testcancel();
  return data;
}

CASE(cancel)
{
  pthread_t thread;
  void *result;
  pthread_create(&thread, NULL, allocate_until, &kept);
  pthread_join(thread, &result);
  free(malloc(44));
  if (result != PTHREAD_CANCELED)
    _exit(97);
}

/* ---- the size of files ---- */

CASE(no_file)
{
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_FSIZE, &none);
  use_sizes();
}

/* A full disk; the file of the monitor is on it. */
CASE(full_disk)
{
  static const char bytes[512];
  const int file = open("disk/filler", O_WRONLY | O_CREAT, 0666);
  while (write(file, bytes, sizeof bytes) > 0)
    ;
  close(file);
  use_sizes();
}

/* Has that system call fail from now on, which the monitor does not notice. */
static void
refuse(int call)
{
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
  };
  const struct sock_fprog filter = { sizeof code / sizeof *code, code };
  const long set[6] = { PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&filter };
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      arch_system_call(SYS_prctl, set) != 0)
    _exit(95);
}

/* What has an array grow in its place fails, or what makes a page present. */
CASE(no_remap)
{
  refuse(SYS_mremap);
  use_sizes();
}

CASE(no_mask)
{
  refuse(SYS_rt_sigprocmask);
  use_sizes();
}

/* ---- a call that is left ---- */

static sigjmp_buf back;
static volatile int of_thread;

static void
leave(int number)
{
  (void)number;
  if (of_thread)
    pthread_exit(NULL);
  siglongjmp(back, 1);
}

static void
count_on(void)
{
  for (int i = 0; i < 20; i++)
    free(malloc(44));
  kept[0] = malloc(55);
}

/* The real allocator finds that nobody gave this out. */
CASE(left_free)
{
  signal(SIGABRT, leave);
  memset(kept[0], 0, 8); /* or it may be a size */
  for (int i = 0; i < 3; i++)
    if (sigsetjmp(back, 1) == 0)
      free((char *)kept[0] + 8);
  count_on();
}

/* Where the monitor has a lock: it reads a name that is not there. */
static void
enter_nowhere(void)
{
  signal(SIGSEGV, leave);
  if (sigsetjmp(back, 1) == 0)
    mprof_region_begin(mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                            -1, 0));
}

static void *
end_in_handler(void *data)
{
  free(malloc(44));
  enter_nowhere();
  return data;
}

CASE(left_thread)
{
  pthread_t thread;
  of_thread = 1;
  for (int i = 0; i < 3; i++) {
    pthread_create(&thread, NULL, end_in_handler, NULL);
    pthread_join(thread, NULL);
  }
  count_on();
}

/* ---- errno ---- */

static void
nothing(int number)
{
  (void)number;
}

/* Calls that succeed leave errno alone, whatever the monitor is refused.
 * Prints which do not. */
CASE(errno)
{
  const struct rlimit none = {0, 0};
  void *const library = dlopen("libm.so.6", RTLD_NOW);
  void *p = malloc(3000);
  int status;
  signal(SIGUSR1, nothing);
  setuid(getuid());
  dlclose(dlopen("libm.so.6", RTLD_NOW));
  setrlimit(RLIMIT_NOFILE, &none);
  setrlimit(RLIMIT_AS, &none);
#define KEEPS(call)                                                          \
  errno = 77;                                                                \
  call;                                                                      \
  if (errno != 77)                                                           \
    printf("%s: %d\n", #call, errno)
  KEEPS(free(p));
  KEEPS(use_sizes());
  KEEPS(setuid(getuid()));
  KEEPS(seteuid(geteuid()));
  KEEPS(signal(SIGUSR1, nothing));
  KEEPS(mprof_region_begin("errno"));
  KEEPS(free(malloc(55)));
  KEEPS(mprof_region_end());
  KEEPS(dlclose(library));
  KEEPS(if (fork() == 0) _exit(errno == 77 ? 0 : 1));
  wait(&status);
  printf("child %d\n", status);
  fflush(stdout);
}

/* A handler leaves each kind of call after each 7th instruction of the monitor
 * (the processor traps after each one), and then this thread and another one
 * go on.  Prints how often. */
#ifdef __x86_64__
static uintptr_t library, library_end;
static unsigned passed, last; /* instructions of the monitor */
static sem_t turn, done;
static void *volatile subject;

static int
find_library(struct dl_phdr_info *info, size_t size, void *data)
{
  if (strstr(info->dlpi_name, "libmprof-malloc") == NULL)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if ((info->dlpi_phdr[i].p_flags & PF_X) != 0) {
      library = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      library_end = library + info->dlpi_phdr[i].p_memsz;
    }
  return 1;
}

static void
trap(int number, siginfo_t *info, void *registers)
{
  const ucontext_t *const context = registers;
  const uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
  if (at - library < library_end - library &&
      !sigismember(&context->uc_sigmask, SIGALRM) && ++passed == last)
    siglongjmp(back, 1);
}

#define CHANGE_FLAGS(how)                                                    \
  __asm__ volatile("sub $128, %%rsp; pushfq; " how ", (%%rsp); popfq; "      \
                   "add $128, %%rsp" ::                                      \
                       : "memory", "cc")

static void
call(int kind)
{
  void *p;
  if (kind == 0)
    subject = malloc(33);
  else if (kind == 1)
    free(subject);
  else if (kind == 2)
    subject = realloc(subject, 34);
  else if (kind == 3)
    posix_memalign(&p, 64, 35);
  else
    mprof_region_begin("left");
}

static void __attribute__((noinline))
go_on(void)
{
  void *p = realloc(malloc(44), 55);
  free(p);
  free(aligned_alloc(64, 64));
  mprof_region_begin("on");
  mprof_region_end();
}

static void *
go_on_there(void *data)
{
  for (;;) {
    sem_wait(&turn);
    if (last == 0)
      return data;
    go_on();
    sem_post(&done);
  }
}

/* Whether the call of that kind is left after so many instructions. */
static int
leave_after(int kind, unsigned count)
{
  subject = malloc(32);
  last = count;
  passed = 0;
  if (sigsetjmp(back, 1) != 0)
    return 1;
  CHANGE_FLAGS("orq $0x100");
  call(kind);
  CHANGE_FLAGS("andq $-0x101");
  return 0;
}

CASE(left_anywhere)
{
  const struct sigaction action = {.sa_sigaction = trap,
                                   .sa_flags = SA_SIGINFO};
  int count = 0;
  pthread_t thread;
  dl_iterate_phdr(find_library, NULL);
  sigaction(SIGTRAP, &action, NULL);
  sem_init(&turn, 0, 0);
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, go_on_there, NULL);
  go_on();
  for (int kind = 0; kind < 5; kind++)
    for (unsigned n = 1; leave_after(kind, n); n += 97) {
      go_on();
      sem_post(&turn);
      sem_wait(&done);
      count += 2;
    }
  last = 0;
  sem_post(&turn);
  pthread_join(thread, NULL);
  printf("%d\n", count + 1);
}
#endif

int
main(int argc, char **argv)
{
  for (int i = 0; i < 5; i++)
    kept[i] = malloc(10);
  return run_case(argc, argv);
}
