/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A target for libFuzzer: any bytes as a profile file.
 *
 * The bytes are read as they are, which tries the plain message or, when they
 * begin so, gzip; and once more compressed, so that what is behind inflation
 * is reached by changes that gzip's checksum would catch.  The outcome must
 * be a profile or one line with a reason and an offset.  Of a profile, tables
 * are printed and formats written, and it is merged and compared with itself:
 * the merged file must say the same.
 */

#include "base/gzip_sink.h"
#include "mprof.h"
#include "pprof/reader.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory, and a name to open it by. */
struct memory_file {
  int descriptor;
  char path[32];
};

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

/* Runs COMMAND with PATH appended, and once more behind it when TWICE; gives
 * back the output, which the caller frees. */
static char *
run(const char *command, const char *path, int twice, int wanted)
{
  char line[256];
  char *output;
  char *error;
  snprintf(line, sizeof line, "%s\n%s%s%s", command, path, twice ? "\n" : "",
           twice ? path : "");
  int status = mprof_command(line, &output, &error);
  if (status != wanted)
    fprintf(stderr, "fuzz_reader: %s: %d, %s\n", line, status, error);
  expect(status == wanted, "another outcome");
  if (status == 1)
    expect(strstr(error, "(offset ") != NULL && *output == '\0',
           "a failure without an offset");
  mprof_string_free(error);
  return output;
}

/* Everything that can be done with the profile FILE. */
static void
use(const struct memory_file *file)
{
  static char merged[64];
  static const char report[] = "report\n-verbose\n--show-runtime";
  static const char *const others[] = {
      "report\n--by=package\n--hide-system\n--sort=allocs",
      "export\n--format=folded\n--types\n--threads\n--phases",
      "export\n--format=json",
      "export\n--format=callgrind",
      "export\n--format=lisp",
  };
  char merge[128];
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    mprof_string_free(run(others[i], file->path, 0, 0));
  mprof_string_free(run("diff\n-verbose", file->path, 1, 0));
  snprintf(merged, sizeof merged, "/dev/shm/mprof-fuzz-%ld", (long)getpid());
  snprintf(merge, sizeof merge, "merge\n-o\n%s", merged);
  mprof_string_free(run(merge, file->path, 0, 0));
  char *one = run(report, file->path, 0, 0);
  char *other = run(report, merged, 0, 0);
  unlink(merged);
  expect(strcmp(one, other) == 0, "the merged file says something else");
  mprof_string_free(one);
  mprof_string_free(other);
}

static void
try_file(const struct memory_file *file)
{
  const struct reader_options options = {.limits = &input_limits_default};
  struct profile profile;
  struct mprof_error error;
  mprof_error_clear(&error);
  expect(profile_init(&profile), "out of memory");
  bool good = profile_read(&profile, file->path, &options, &error) &&
              profile_settle(&profile);
  profile_release(&profile);
  if (good)
    use(file);
  else
    mprof_string_free(run("report", file->path, 0, 1));
}

/* Compresses SIZE bytes at DATA into FILE. */
static void
compress_file(struct memory_file *file, const uint8_t *data, size_t size)
{
  struct string_sink packed;
  struct gzip_sink gzip;
  string_sink_init(&packed);
  gzip_sink_open(&gzip, &packed.sink);
  sink_bytes(&gzip.sink, (const char *)data, size);
  gzip_sink_close(&gzip);
  expect(string_sink_text(&packed) != NULL, "not compressed");
  write_file(file, packed.text, packed.length);
  string_sink_release(&packed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct memory_file file;
  write_file(&file, data, size);
  try_file(&file);
  if (size % 8 == 0) { /* the rest is the same: now and then is enough */
    compress_file(&file, data, size);
    try_file(&file);
  }
  return 0;
}
