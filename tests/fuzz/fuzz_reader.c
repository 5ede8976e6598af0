/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A target for libFuzzer: any bytes as a profile file.
 *
 * The bytes are read as they are, which tries the plain message or, when they
 * begin so, gzip; and once more compressed, so that what is behind inflation
 * is reached by changes that gzip's checksum would catch; and once behind
 * two megabytes, of which the reader keeps nothing.  An image is read with
 * its arrays three megabytes behind its head, too.  The outcome must be a
 * profile or one line with a reason and an offset; of what begins like an
 * image, one line with a reason, or a profile, too.  Of a profile, tables are
 * printed and formats written, and it is merged and compared with itself: the
 * merged file must say the same.  No command may have more memory at a time
 * than the size of the file allows.  What begins like a text is tried as
 * rules of advice, too: they are taken, or there is one line with the place.
 */

#include "base/sink.h"
#include "images/recover.h"
#include "mprof.h"
#include "profile/reader.h"

#include <sanitizer/allocator_interface.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t live_bytes, most_bytes; /* of all blocks: now, since a command
                                         began */
static uint64_t allowed_bytes;        /* for the file in hand */

static void
note_malloc(const volatile void *block, size_t size)
{
  (void)block;
  live_bytes += size;
  if (live_bytes > most_bytes)
    most_bytes = live_bytes;
}

static void
note_free(const volatile void *block)
{
  if (block != NULL)
    live_bytes -=
        __sanitizer_get_allocated_size((const void *)(uintptr_t)block);
}

int
LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count, (void)arguments;
  return __sanitizer_install_malloc_and_free_hooks(note_malloc, note_free) > 0
             ? 0
             : 1;
}

/* A file in memory, and a name to open it by. */
struct memory_file {
  int descriptor;
  char path[32];
};

enum { PROGRAM_BYTES = 16 << 20 };

static void
expect(int good, const char *what)
{
  if (good)
    return;
  fprintf(stderr, "fuzz_reader: %s\n", what);
  abort();
}

static void
write_file(struct memory_file *file, const void *bytes, size_t size)
{
  if (file->path[0] == '\0') {
    file->descriptor = memfd_create("profile", 0);
    expect(file->descriptor >= 0, "no memory file");
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d",
             file->descriptor);
  }
  expect(ftruncate(file->descriptor, 0) == 0 &&
             pwrite(file->descriptor, bytes, size, 0) == (ssize_t)size,
         "memory file not written");
}

struct allowing {
  const struct memory_file *memory;
  uint64_t most;
};

static void
allow(void *closure)
{
  struct allowing *allowing = closure;
  struct input_file file;
  input_file_read(&file, allowing->memory->path, (struct input_octets){0});
  allowing->most = file.capacity + input_file_memory_limit(&file);
}

/* What FILE allows. */
static uint64_t
allowed(const struct memory_file *memory)
{
  struct allowing allowing = {memory, INPUT_FREE_BYTES + INPUT_MEMORY_FREE};
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  attempt(&pool, allow, &allowing, &error);
  pool_release(&pool);
  return allowing.most;
}

/* Runs COMMAND with PATH appended, and once more behind it when TWICE; its
 * status is to be WANTED.  Gives back the result, which the caller frees. */
static void *
run(const char *command, const char *path, int twice, int wanted)
{
  char line[256];
  snprintf(line, sizeof line, "%s\n%s%s%s", command, path, twice ? "\n" : "",
           twice ? path : "");
  size_t before = most_bytes = live_bytes;
  void *result = mprof_run_command(line);
  const char *output = mprof_result_output(result);
  const char *error = mprof_result_error(result);
  int status = mprof_result_status(result);
  expect(most_bytes - before <= allowed_bytes + 4 * strlen(output),
         "more memory than a file of this size may take");
  if (status != wanted)
    fprintf(stderr, "fuzz_reader: %s: %d, %s\n", line, status, error);
  expect(status == wanted, "another outcome");
  if (status == 1) /* an image has no offsets */
    expect((strstr(error, "(offset ") != NULL ||
            strstr(error, "' is damaged: ") != NULL ||
            strstr(error, " image of ") != NULL) &&
               *output == '\0',
           "a failure without an offset");
  return result;
}

/* Everything that can be done with the profile FILE. */
static void
use(const struct memory_file *file)
{
  static char merged[64];
  static const char report[] = "report\n-verbose\n--system=show";
  static const char *const others[] = {
      "report\n--by=package\n--system=hide\n--sort=allocs",
      "export\n--format=folded\n--frames=types,threads,phases",
      "export\n--format=json",
      "export\n--format=callgrind",
      "export\n--format=lisp",
  };
  char merge[128];
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    mprof_result_free(run(others[i], file->path, 0, 0));
  mprof_result_free(run("diff\n-verbose", file->path, 1, 0));
  snprintf(merged, sizeof merged, "/dev/shm/mprof-fuzz-%ld", (long)getpid());
  snprintf(merge, sizeof merge, "merge\n-o\n%s", merged);
  mprof_result_free(run(merge, file->path, 0, 0));
  void *one = run(report, file->path, 0, 0);
  void *other = run(report, merged, 0, 0);
  unlink(merged);
  expect(strcmp(mprof_result_output(one), mprof_result_output(other)) == 0,
         "the merged file says something else");
  mprof_result_free(one);
  mprof_result_free(other);
}

static void
read_memory(void *closure)
{
  const struct memory_file *file = closure;
  const struct reader_options options = {0};
  struct code_names code = {.pool = pool_in_use()};
  struct profile profile;
  profile_init(&profile);
  if (!recover_image(&profile, file->path, &code, &options))
    profile_read(&profile, file->path, &options);
  profile_settle(&profile);
}

static void
try_file(const struct memory_file *file)
{
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  const bool good =
      attempt(&pool, read_memory, (void *)(uintptr_t)file, &error);
  pool_release(&pool);
  allowed_bytes = PROGRAM_BYTES + allowed(file);
  if (good)
    use(file);
  else
    mprof_result_free(run("report", file->path, 0, 1));
}

/* Gives advice by the rules in FILE. */
static void
try_rules(const struct memory_file *file)
{
  char line[128];
  snprintf(line, sizeof line, "advise\n--rules=%s\ntests/golden/phases.data",
           file->path);
  void *result = mprof_run_command(line);
  const char *output = mprof_result_output(result);
  const char *error = mprof_result_error(result);
  int status = mprof_result_status(result);
  expect(status == 0 ||
             (status == 1 && *output == '\0' &&
              (strncmp(error, file->path, strlen(file->path)) == 0 ||
               strstr(error, ": is not text") != NULL)),
         "rules that are neither taken nor refused");
  mprof_result_free(result);
}

struct compressing {
  struct memory_file *file;
  const uint8_t *data;
  size_t size;
};

/* Compresses the data into the file. */
static void
compress_file(void *closure)
{
  const struct compressing *compressing = closure;
  struct string_sink packed;
  string_sink_init(&packed);
  struct sink *gzip = gzip_sink_open(&packed.sink, NULL);
  sink_bytes(gzip, (const char *)compressing->data, compressing->size);
  gzip_sink_close(gzip);
  string_sink_text(&packed);
  write_file(compressing->file, packed.text, packed.length);
}

/* Tries the SIZE bytes at DATA behind two megabytes of fields that the format
 * does not know. */
static void
try_behind_front(struct memory_file *file, const uint8_t *data, size_t size)
{
  enum { FIELD = 1 << 16, FRONT_BYTES = 32 * FIELD };
  static const uint8_t tag[] = {0xfa, 0x01, 0xfb, 0xff, 0x03};
  uint8_t *whole = malloc(FRONT_BYTES + size);
  expect(whole != NULL, "no memory");
  memset(whole, 0x12, FRONT_BYTES);
  for (size_t i = 0; i < FRONT_BYTES; i += FIELD)
    memcpy(whole + i, tag, sizeof tag);
  memcpy(whole + FRONT_BYTES, data, size);
  write_file(file, whole, FRONT_BYTES + size);
  free(whole);
  try_file(file);
}

/* Tries an image of this version whose arrays are far behind its head, as
 * those of a program are: what follows the first FRONT bytes is at BEHIND. */
static void
try_far_arrays(struct memory_file *file, const uint8_t *data, size_t size)
{
  enum { FRONT = 1024, BEHIND = 3 << 20, WHOLE = 4 << 20 };
  struct image_head head;
  memcpy(&head, data, sizeof head);
  memcpy(head.mprof, MPROF_VERSION, sizeof MPROF_VERSION);
  head.version = IMAGE_VERSION;
  write_file(file, data, FRONT);
  expect(pwrite(file->descriptor, &head, sizeof head, 0) == sizeof head &&
             pwrite(file->descriptor, data + FRONT, size - FRONT, BEHIND) ==
                 (ssize_t)(size - FRONT) &&
             ftruncate(file->descriptor, WHOLE) == 0,
         "memory file not written");
  try_file(file);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct memory_file file;
  write_file(&file, data, size);
  try_file(&file);
  if (size > 0 && (data[0] == '#' || data[0] == 'r'))
    try_rules(&file);
  if (size % 8 == 0) { /* the rest is the same: now and then is enough */
    struct compressing compressing = {&file, data, size};
    struct pool pool = {NULL, NULL};
    struct mprof_error error;
    expect(attempt(&pool, compress_file, &compressing, &error),
           "not compressed");
    pool_release(&pool);
    try_file(&file);
  }
  if (size % 16 == 1)
    try_behind_front(&file, data, size);
  if (size > 1024 && memcmp(data, IMAGE_MAGIC, sizeof IMAGE_MAGIC - 1) == 0)
    try_far_arrays(&file, data, size);
  return 0;
}
