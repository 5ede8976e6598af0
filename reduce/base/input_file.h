/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A whole input in memory, a file or what was in one, unpacked when it is
 * gzip-compressed.
 *
 * Memory is bounded before it is used: the data may not grow beyond a limit,
 * nor beyond a ratio to the compressed bytes read so far, so that a gzip bomb
 * is an error and not a full machine.  Thread-safe: nothing is shared.
 */

#pragma once

#include "base/pool.h"

#include <dirent.h>
#include <sys/stat.h>

/* 2 GiB of data; above 32 MiB at most 400 bytes for each compressed byte (a
 * real profile reaches some dozens, a bomb 1,030).  256 MiB of memory, which
 * is a million frames, and 512 bytes for each byte of data: that byte can be
 * a frame of a chain, or, where functions are inlined, some.  A byte of the
 * file, which can be hundreds of data, has no more than 2,048 (a million
 * contexts take 70). */
#define INPUT_DATA_BYTES (UINT64_C(1) << 31) /* after inflation */
#define INPUT_FREE_BYTES (UINT64_C(1) << 25) /* below, any ratio is fine */
#define INPUT_RATIO UINT64_C(400)
#define INPUT_MEMORY_FREE (UINT64_C(1) << 28)
#define INPUT_MEMORY_RATIO UINT64_C(512)
#define INPUT_MEMORY_FILE_RATIO UINT64_C(2048)

struct input_file {
  const char *path;    /* not owned: what failures call it */
  uint8_t *data;       /* inflated, in the pool in use; not NULL */
  size_t length;       /* bytes of data */
  size_t capacity;     /* bytes allocated */
  size_t forgotten;    /* bytes at the beginning: see input_file_forget */
  uint64_t file_bytes; /* read from the file, before inflation */
  bool compressed;     /* offsets into data are not offsets into the file */
};

/* What would be in a file, compressed or not. */
struct input_octets {
  const uint8_t *data; /* NULL: there are none */
  size_t length;
};

/* Reads OCTETS, or the file PATH if there are none, into FILE.  A failure
 * names the path, the reason and, for a compressed file, the offset in that
 * file.  An empty file, a device, text that is no heap profile and a file of
 * some other well-known kind are failures.  A pipe is read to its end.
 */
void input_file_read(struct input_file *file, const char *path,
                     struct input_octets octets);

/* Returns whether OCTETS begin as the heap profiles that gperftools, tcmalloc
 * and jemalloc write as text. */
bool input_is_heap_text(struct input_octets octets);

/* Gives back the memory of the data before AT, which must not be read again:
 * it becomes zeros.  A call that would free less than a megabyte does nothing
 * (in a tiny build, than a byte). */
void input_file_forget(struct input_file *file, size_t at);

/* Return limits in bytes: of the memory that the content of FILE may take,
 * whatever is done with it; and of the text of names in all places that refer
 * to them, since a small file can refer to a long name many times. */
uint64_t input_file_memory_limit(const struct input_file *file);
uint64_t input_file_text_limit(const struct input_file *file);

/* ---- whole texts, in the pool in use, with a zero behind ---- */

/* Returns the text of PATH, or NULL and errno if it cannot be read. */
char *text_file_read(const char *path);

/* Returns the text of PATH if it is a regular file of at most MOST bytes,
 * else NULL; errno need not say why.  It does not wait for a pipe or device.
 * Sets *LENGTH, unless LENGTH is NULL, to the bytes of the text, and *STATUS,
 * if PATH can be opened, to what stat says. */
char *text_file_read_regular(const char *path, size_t most, size_t *length,
                             struct stat *status);

/* Returns the text of PATH; fails if it cannot be read or has a zero. */
char *text_file_load(const char *path);

/* Fails with "cannot read 'PATH': WHY". */
_Noreturn void cannot_read(const char *path, const char *why);

/* Opens PATH as pool_open does; fails if that cannot be done. */
int input_open(const char *path, int flags);

/* Opens the folder PATH until pool_release_now, or the pool is released.
 * Returns NULL and errno if that cannot be done. */
DIR *input_folder(const char *path);
