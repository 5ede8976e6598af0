/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Allocates in pools, and leaves failed work by longjmp.  Each block is in
 * the list of its pool, so that it can be released alone. */

#include "base/pool.h"

#include "base/quote.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pool_block {
  struct pool_block *next, **link; /* what points to it */
  max_align_t memory[];
};

struct pool_cleanup {
  struct pool_cleanup *next;
  void (*release)(void *what);
  void *what;
};

struct attempt {
  struct attempt *outer;
  struct pool *pool;
  struct mprof_error *error;
  jmp_buf place;
};

static _Thread_local struct attempt *innermost;
struct progress *progress_listener;

/* ---- messages ---- */

/* Writes the message as one printable line. */
static void
mprof_line_v(char line[MPROF_ERROR_LENGTH], const char *format,
             va_list arguments)
{
  char raw[MPROF_ERROR_LENGTH];
  vsnprintf(raw, sizeof raw, format, arguments);
  escape_line(raw, line, MPROF_ERROR_LENGTH);
}

void
mprof_line(char line[MPROF_ERROR_LENGTH], const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  mprof_line_v(line, format, arguments);
  va_end(arguments);
}

void
mprof_say(const char *format, ...)
{
  char line[MPROF_ERROR_LENGTH];
  va_list arguments;
  va_start(arguments, format);
  mprof_line_v(line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "mprof: %s\n", line);
}

/* ---- attempts ---- */

bool
attempt(struct pool *pool, attempt_function *function, void *closure,
        struct mprof_error *error)
{
  struct attempt this = {.outer = innermost, .pool = pool, .error = error};
  *error = (struct mprof_error){.offset = MPROF_NO_OFFSET};
  innermost = &this;
  if (setjmp(this.place) == 0)
    function(closure);
  innermost = this.outer;
  return error->code == MPROF_OK;
}

static _Noreturn void
leave(void)
{
  longjmp(innermost->place, 1);
}

/* Returns the innermost attempt.  Aborts outside of one, which is a fault of
 * this program. */
static struct attempt *
in_hand(void)
{
  if (innermost == NULL)
    abort();
  return innermost;
}

void
fail_file(enum mprof_error_code code, int64_t offset, const char *path,
          const char *format, ...)
{
  struct mprof_error *error = in_hand()->error;
  va_list arguments;
  error->code = code;
  error->offset = offset;
  snprintf(error->path, sizeof error->path, "%s", path);
  va_start(arguments, format);
  mprof_line_v(error->message, format, arguments);
  va_end(arguments);
  leave();
}

void
fail_memory(void)
{
  fail_with(MPROF_NO_MEMORY, "out of memory");
}

void
fail_again(const struct mprof_error *error)
{
  *in_hand()->error = *error;
  leave();
}

struct pool *
pool_use(struct pool *pool)
{
  struct pool *before = in_hand()->pool;
  innermost->pool = pool;
  return before;
}

struct pool *
pool_in_use(void)
{
  return in_hand()->pool;
}

/* ---- memory ---- */

static struct pool_block *
block_of(void *memory)
{
  return (struct pool_block *)((char *)memory -
                               offsetof(struct pool_block, memory));
}

/* Puts BLOCK into the list that begins at LINK. */
static void *
insert(struct pool_block *block, struct pool_block **link)
{
  if (block == NULL)
    fail_memory();
  block->next = *link;
  block->link = link;
  if (block->next != NULL)
    block->next->link = &block->next;
  *link = block;
  return block->memory;
}

void *
pool_alloc(size_t bytes)
{
  struct pool *pool = in_hand()->pool;
  if (bytes > PTRDIFF_MAX)
    fail_memory();
  return insert(malloc(sizeof(struct pool_block) + bytes), &pool->blocks);
}

void *
pool_zeroed(size_t count, size_t bytes)
{
  struct pool *pool = in_hand()->pool;
  size_t all;
  if (__builtin_mul_overflow(count, bytes, &all) || all > PTRDIFF_MAX)
    fail_memory();
  return insert(calloc(1, sizeof(struct pool_block) + all), &pool->blocks);
}

void *
pool_resize(void *memory, size_t bytes)
{
  if (memory == NULL)
    return pool_alloc(bytes);
  struct pool_block *block = block_of(memory), **link = block->link;
  if (bytes > PTRDIFF_MAX)
    fail_memory();
  struct pool_block *resized =
      realloc(block, sizeof(struct pool_block) + bytes);
  if (resized == NULL)
    fail_memory();
  *link = resized;
  if (resized->next != NULL)
    resized->next->link = &resized->next;
  return resized->memory;
}

void
pool_free(void *memory)
{
  if (memory == NULL)
    return;
  struct pool_block *block = block_of(memory);
  *block->link = block->next;
  if (block->next != NULL)
    block->next->link = block->link;
  free(block);
}

char *
pool_text_part(const char *text, size_t length)
{
  char *copy = pool_alloc(length + 1);
  *(char *)mempcpy(copy, text, length) = '\0';
  return copy;
}

char *
pool_text(const char *text)
{
  return pool_text_part(text, strlen(text));
}

char *
pool_format_v(const char *format, va_list arguments)
{
  va_list again;
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (length < 0)
    fail_memory();
  char *text = pool_alloc((size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  return text;
}

char *
pool_format(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  char *text = pool_format_v(format, arguments);
  va_end(arguments);
  return text;
}

/* ---- what is not memory ---- */

void
pool_on_release(void (*release)(void *what), void *what)
{
  struct pool *pool = in_hand()->pool;
  struct pool_cleanup *cleanup = malloc(sizeof *cleanup);
  if (cleanup == NULL) {
    release(what);
    fail_memory();
  }
  *cleanup = (struct pool_cleanup){pool->cleanups, release, what};
  pool->cleanups = cleanup;
}

/* Takes out of the list what LINK points to, and releases it. */
static void
clean_up(struct pool_cleanup **link)
{
  struct pool_cleanup cleanup = **link;
  free(*link);
  *link = cleanup.next;
  cleanup.release(cleanup.what);
}

static struct pool_cleanup **
link_to(const void *what)
{
  struct pool_cleanup **link = &in_hand()->pool->cleanups;
  while ((*link)->what != what)
    link = &(*link)->next;
  return link;
}

void
pool_release_now(void *what)
{
  clean_up(link_to(what));
}

void
pool_forget(void *what)
{
  struct pool_cleanup **link = link_to(what), *cleanup = *link;
  *link = cleanup->next;
  free(cleanup);
}

static void
close_descriptor(void *what)
{
  close((int)(intptr_t)what);
}

int
pool_descriptor(int descriptor)
{
  if (descriptor >= 0)
    pool_on_release(close_descriptor, (void *)(intptr_t)descriptor);
  return descriptor;
}

int
pool_open(const char *path, int flags)
{
  return pool_descriptor(open(path, flags | O_CLOEXEC));
}

void
pool_close(int descriptor)
{
  pool_release_now((void *)(intptr_t)descriptor);
}

void
pool_release(struct pool *pool)
{
  while (pool->cleanups != NULL)
    clean_up(&pool->cleanups);
  for (struct pool_block *block = pool->blocks, *next; block != NULL;
       block = next) {
    next = block->next;
    free(block);
  }
  pool->blocks = NULL;
}
