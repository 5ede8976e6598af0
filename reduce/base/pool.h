/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The memory of a piece of work, how work fails, and how far it is.
 *
 * attempt() calls a function that allocates in a pool and may fail anywhere:
 * fail_with() leaves it at once, by longjmp, and attempt() gives back false
 * with the reason.  So the code in between checks nothing and releases
 * nothing; the owner of the pool releases all of it at the end, whatever
 * happened.  pool_alloc() and its kin fail when memory runs out, and never
 * return NULL.
 *
 * What is not memory, such as an open file, is registered with
 * pool_on_release().  A call of another library that calls back must not be
 * left by fail_with(): such a callback notes what went wrong and returns.
 *
 * Attempts nest.  Each thread has its own; a pool belongs to one thread at a
 * time.  The pool in use is that of the thread's innermost attempt, unless
 * pool_use() says otherwise; a block that is resized stays in its pool.
 * Outside of attempts, functions that allocate or fail abort the process.
 */

#pragma once

#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why work has failed.  The struct owns no memory. */
enum mprof_error_code {
  MPROF_OK = 0,
  MPROF_CANNOT_READ,  /* opening or reading a file failed */
  MPROF_BAD_PROFILE,  /* the file's content is no valid profile */
  MPROF_CANNOT_WRITE, /* output failed */
  MPROF_CANNOT_RUN,   /* another program is missing or failed */
  MPROF_NO_MEMORY,
  MPROF_NOTHING, /* the options choose nothing of a profile */
  MPROF_USAGE    /* the command line is wrong */
};

enum { MPROF_NO_OFFSET = -1, MPROF_ERROR_LENGTH = 4608 /* bytes */ };

struct mprof_error {
  enum mprof_error_code code;
  int64_t offset; /* bytes into the input, or MPROF_NO_OFFSET */
  char message[MPROF_ERROR_LENGTH]; /* one line, no newline */
  char path[PATH_MAX]; /* of the file that it is about, as it was given; "" if
                          it is about none */
};

/* Sets LINE to formatted text, escaped to be one line (escape_line of
 * base/quote.h), and cut if it is too long. */
void mprof_line(char line[MPROF_ERROR_LENGTH], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes "mprof: ", such a line and a newline to standard error. */
void mprof_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct pool { /* all zero: empty; it must not move */
  struct pool_block *blocks;
  struct pool_cleanup *cleanups;
};

/* Releases all that POOL has: first what was registered, the last first, then
 * memory.  POOL is empty then. */
void pool_release(struct pool *pool);

/* Calls FUNCTION with CLOSURE; memory comes from POOL.  Returns false if it
 * has failed: ERROR says why, and POOL still has what was allocated until
 * then.  POOL is never released here. */
typedef void attempt_function(void *closure);
bool attempt(struct pool *pool, attempt_function *function, void *closure,
             struct mprof_error *error);

/* Ends the innermost attempt.  The message is one line, as mprof_line makes
 * it; it is about the file PATH, or "".  OFFSET is in bytes into the input,
 * or MPROF_NO_OFFSET. */
_Noreturn void fail_file(enum mprof_error_code code, int64_t offset,
                         const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define fail_with(code, ...)                                                 \
  fail_file(code, MPROF_NO_OFFSET, "", __VA_ARGS__)
_Noreturn void fail_memory(void);

/* Ends the innermost attempt with a copy of ERROR, of another one. */
_Noreturn void fail_again(const struct mprof_error *error);

/* Lets memory come from POOL from now on, in the innermost attempt, and
 * returns the pool in use before. */
struct pool *pool_use(struct pool *pool);

/* Returns the pool in use. */
struct pool *pool_in_use(void);

/* Return BYTES of memory; COUNT zeroed items of BYTES each; MEMORY with
 * another size, where NULL is allowed.  Sizes may be 0. */
void *pool_alloc(size_t bytes) __attribute__((returns_nonnull, malloc));
void *pool_zeroed(size_t count, size_t bytes)
    __attribute__((returns_nonnull, malloc));
void *pool_resize(void *memory, size_t bytes)
    __attribute__((returns_nonnull));

/* Releases MEMORY before its pool is; for what is large.  NULL is allowed. */
void pool_free(void *memory);

/* Return a copy of TEXT; of its first LENGTH bytes; formatted text. */
char *pool_text(const char *text);
char *pool_text_part(const char *text, size_t length);
char *pool_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
char *pool_format_v(const char *format, va_list arguments);

/* Registers WHAT with the pool in use: RELEASE is called with it by
 * pool_release_now or pool_release, or at once if memory runs out. */
void pool_on_release(void (*release)(void *what), void *what);

/* Unregister WHAT, which must be registered with the pool in use; the first
 * also releases it. */
void pool_release_now(void *what);
void pool_forget(void *what);

/* Registers DESCRIPTOR, to be closed with the pool in use or by pool_close,
 * and returns it.  Returns a negative one as it is. */
int pool_descriptor(int descriptor);

/* Opens PATH as open(2) with O_CLOEXEC does, and registers the descriptor.
 * Returns it, or -1 and errno. */
int pool_open(const char *path, int flags);

/* Closes DESCRIPTOR, which is registered with the pool in use. */
void pool_close(int descriptor);

/* ---- progress ---- */

/* How far long work is.  The work says what it does, and how much of how much
 * is done, as often as it likes: that costs three stores.  The command reads
 * this at any time, also in a signal handler; the library never does.
 */
struct progress {
  _Atomic(const char *)
      what;               /* a constant such as "reading"; NULL: nothing */
  _Atomic uint64_t done;  /* bytes, files, ...: in the unit of `whole' */
  _Atomic uint64_t whole; /* 0: not known */
};

/* The progress that progress_tell sets; NULL: none, as in the library.  The
 * command sets it before its work begins. */
extern struct progress *progress_listener;

/* Says that DONE of WHOLE (0: not known) of WHAT, a constant, is done. */
static inline void
progress_tell(const char *what, uint64_t done, uint64_t whole)
{
  struct progress *progress = progress_listener;
  if (progress == NULL)
    return;
  atomic_store_explicit(&progress->done, done, memory_order_relaxed);
  atomic_store_explicit(&progress->whole, whole, memory_order_relaxed);
  atomic_store_explicit(&progress->what, what, memory_order_relaxed);
}
