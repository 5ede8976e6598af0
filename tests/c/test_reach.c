/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The memory and threads of another process: a child with a thread that waits
 * in a system call, a variable, and memory of which some pages were never
 * touched.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attempting.h"
#include "reach/roots.h"

#include <dirent.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 1 << 12, TOUCHED = 3, EACH = 1000 /* pages */ };
enum { INTERRUPTED = 5, LONGEST = 100 /* seconds */ };

static char *pages; /* the same address in the child */
static uint64_t variable;
static int is_ready[2];

/* ---- the other process ------------------------------------------------- */

static volatile sig_atomic_t handled;

static void
handle(int signal_number)
{
  handled += signal_number == SIGUSR1;
}

/* In a call that the kernel does not restart by itself. */
static void *
wait_in_call(void *unused)
{
  const struct sigaction action = {.sa_handler = handle};
  struct epoll_event event;
  char byte = 'r';
  sigaction(SIGUSR1, &action, NULL);
  const int file = epoll_create1(0);
  if (write(is_ready[1], &byte, 1) != 1)
    _exit(2);
  const int result = epoll_wait(file, &event, 1, -1);
  _exit(result < 0 && errno == EINTR && handled == 1 ? INTERRUPTED : 3);
  return unused;
}

static void
be_other_process(void)
{
  pthread_t thread;
  variable = 77;
  for (int i = 0; i < TOUCHED; i++)
    memset(pages + (size_t)i * EACH * PAGE, 'a' + i, PAGE);
  alarm(LONGEST);
  pthread_create(&thread, NULL, wait_in_call, NULL);
  pause();
  _exit(4);
}

/* Whether both threads of PROCESS wait. */
static bool
is_asleep(pid_t process)
{
  char text[300];
  int asleep = 0;
  snprintf(text, sizeof text, "/proc/%d/task", (int)process);
  DIR *threads = opendir(text);
  assert_non_null(threads);
  for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
    snprintf(text, sizeof text, "/proc/%d/task/%s/stat", (int)process,
             entry->d_name);
    FILE *file = entry->d_name[0] == '.' ? NULL : fopen(text, "r");
    if (file == NULL)
      continue;
    asleep += fgets(text, sizeof text, file) != NULL &&
              strstr(text, ") S ") != NULL;
    fclose(file);
  }
  closedir(threads);
  return asleep == 2;
}

static pid_t
start(void)
{
  char byte;
  assert_int_equal(pipe(is_ready), 0);
  pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert_ptr_not_equal(pages, MAP_FAILED);
  madvise(pages, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE); /* just those */
  const pid_t child = fork();
  if (child == 0)
    be_other_process();
  assert_int_equal(read(is_ready[0], &byte, 1), 1);
  while (!is_asleep(child))
    usleep(1000);
  return child;
}

/* It has gone on as if nothing had been, and does so still. */
static void
end(pid_t child)
{
  int status;
  while (!is_asleep(child))
    usleep(1000);
  assert_int_equal(waitpid(child, &status, WNOHANG), 0);
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  munmap(pages, (size_t)PAGES * PAGE);
  close(is_ready[0]);
  close(is_ready[1]);
}

/* A file that it has mapped. */
static ino_t
mapped_file(void)
{
  struct stat status;
  assert_int_equal(stat("/proc/self/exe", &status), 0);
  return status.st_ino;
}

/* ---- threads and memory ------------------------------------------------ */

static void
test_threads(void **state)
{
  struct traced_threads traced;
  const pid_t child = start();
  (void)state;
  for (int i = 0; i < 10; i++) {
    traced_threads_stop(&traced, child);
    assert_int_equal(traced.count, 2);
    for (size_t t = 0; t < traced.count; t++) {
      assert_true(traced.threads[t].stands);
      assert_true(arch_traced_stack(&traced.threads[t].registers) != 0);
    }
    traced_threads_resume(&traced);
  }
  end(child);
}

/* A signal that comes while all threads stand still interrupts the call. */
static void
test_signal(void **state)
{
  struct traced_threads traced;
  const pid_t child = start();
  int status;
  (void)state;
  traced_threads_stop(&traced, child);
  for (size_t t = 0; t < traced.count; t++)
    if (traced.threads[t].number != child)
      assert_int_equal(tgkill(child, traced.threads[t].number, SIGUSR1), 0);
  traced_threads_resume(&traced);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), INTERRUPTED);
}

static void
stop(void *process)
{
  struct traced_threads traced;
  traced_threads_stop(&traced, *(const pid_t *)process);
}

static void
test_no_process(void **state)
{
  pid_t child = fork();
  (void)state;
  if (child == 0)
    _exit(0);
  waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
  assert_fails(stop, &child, "the process has ended");
  waitpid(child, NULL, 0);
  assert_fails(stop, &child, "the process has ended");
}

/* Counts what is no zero, as in pages that were never touched. */
static void
see(void *seen, uint64_t address, const char *bytes, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    const size_t number = (address + i - (uintptr_t)pages) / PAGE / EACH;
    assert_true(bytes[i] == 0 || bytes[i] == 'a' + (int)number);
    *(size_t *)seen += bytes[i] != 0;
  }
}

static bool
is_touched(const struct remote_memory *memory, int page)
{
  uint64_t there = 0;
  const uint64_t number = (uintptr_t)pages / PAGE + (uint64_t)page;
  return pread(memory->pages, &there, sizeof there,
               (off_t)(number * sizeof there)) == sizeof there &&
         (there & UINT64_C(3) << 62) != 0;
}

/* Twice, as blocks are kept. */
static void
test_memory(void **state)
{
  struct traced_threads traced;
  struct remote_memory memory;
  uint64_t copy = 0;
  const pid_t child = start();
  const uint64_t first = (uintptr_t)pages;
  (void)state;
  traced_threads_stop(&traced, child);
  remote_memory_open(&memory, child, mapped_file());
  for (int i = 0; i < 2; i++) {
    size_t seen = 0;
    remote_memory_visit(&memory, first, first + (uint64_t)PAGES * PAGE, see,
                        &seen);
    assert_int_equal(seen, TOUCHED * PAGE);
  }
  assert_false(is_touched(&memory, 1)); /* though it is in a block */
  size_t some = 0;
  remote_memory_visit(&memory, first + 10, first + 30, see, &some);
  assert_int_equal(some, 20);
  assert_true(
      remote_memory_copy(&memory, (uintptr_t)&variable, &copy, sizeof copy));
  assert_int_equal(copy, 77);
  assert_int_equal(remote_memory_word(&memory, (uintptr_t)&variable), 77);
  assert_int_equal(remote_memory_word(&memory, 8), 0);
  assert_null(remote_memory_find(&memory, 8));
  assert_non_null(remote_memory_find(&memory, first));
  assert_non_null(remote_memory_find(&memory, memory.stack));
  traced_threads_resume(&traced);
  end(child);
}

static void
open_another(void *memory)
{
  remote_memory_open(memory, getpid(), (ino_t)-1);
}

static void
test_another_process(void **state)
{
  struct remote_memory memory;
  (void)state;
  assert_fails(open_another, &memory, "its process is not found");
}

static void
find_variable(void *found, uint64_t address, const char *bytes, size_t length)
{
  (void)bytes;
  *(int *)found += (uintptr_t)&variable - address < length;
}

static void
test_roots(void **state)
{
  struct traced_threads traced;
  struct remote_memory memory;
  const struct heap_objects none = {0};
  const pid_t child = start();
  const struct image_search search = {.modules = (uintptr_t)&_r_debug,
                                      .allocator = (uintptr_t)free};
  int found = 0;
  (void)state;
  traced_threads_stop(&traced, child);
  remote_memory_open(&memory, child, mapped_file());
  roots_visit(&(struct roots){.memory = &memory,
                              .heap = &none,
                              .threads = &traced,
                              .search = &search,
                              .process = child,
                              .visit = find_variable,
                              .closure = &found});
  assert_int_equal(found, 1);
  traced_threads_resume(&traced);
  end(child);
}

/* ---- objects ----------------------------------------------------------- */

enum { OBJECTS = 2000 };

/* Each address has the object that it has by a look at all. */
static void
test_find(void **state)
{
  struct heap_object objects[OBJECTS];
  const struct heap_objects heap = {.objects = objects, .count = OBJECTS};
  uint64_t at = 1 << 20, random = 1;
  (void)state;
  for (size_t i = 0; i < OBJECTS; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    objects[i] = (struct heap_object){
        .address = at,
        .bytes = random >> 33 & (i % 100 == 99 ? 0xFFFFF : 0x3F)};
    at += objects[i].bytes + 8 + (random >> 60);
  }
  for (size_t i = 0; i < OBJECTS; i++) {
    struct heap_object *o = &objects[i];
    const uint64_t last = o->address + (o->bytes == 0 ? 0 : o->bytes - 1);
    assert_ptr_equal(heap_objects_find(&heap, o->address), o);
    assert_ptr_equal(heap_objects_find(&heap, last), o);
    assert_null(heap_objects_find(&heap, last + 1));
    assert_null(heap_objects_find(&heap, o->address - 1));
  }
  assert_null(heap_objects_find(&heap, 0));
  assert_null(heap_objects_find(&heap, UINT64_MAX));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads),
                                     cmocka_unit_test(test_signal),
                                     cmocka_unit_test(test_no_process),
                                     cmocka_unit_test(test_memory),
                                     cmocka_unit_test(test_another_process),
                                     cmocka_unit_test(test_roots),
                                     cmocka_unit_test(test_find)};
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
