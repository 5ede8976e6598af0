/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof push: one file, as a difference over the time that it took.  What
 * ships is a library that is loaded when it is needed.
 */

#include "command/command.h"

#include "base/array.h"
#include "command/load.h"
#include "command/run_program.h"
#include "serve/ship.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { DEADLINE_MILLISECONDS = 30000 };

/* The functions of serve/ship.h. */
struct shipping {
  void *library;
  __typeof__(mprof_ship_open) *open;
  __typeof__(mprof_ship_file) *file;
  __typeof__(mprof_ship_summary) *summary;
  __typeof__(mprof_ship_close) *close;
};

static bool
load(struct shipping *shipping, struct mprof_error *error)
{
  char path[PATH_MAX];
  const struct {
    const char *name;
    void *place;
  } functions[] = {{"mprof_ship_open", &shipping->open},
                   {"mprof_ship_file", &shipping->file},
                   {"mprof_ship_summary", &shipping->summary},
                   {"mprof_ship_close", &shipping->close}};
  if (!library_find("libmprof-serve.so", "shipping library", path, error))
    return false;
  shipping->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  bool good = shipping->library != NULL;
  for (size_t i = 0; good && i < sizeof functions / sizeof *functions; i++) {
    void *found = dlsym(shipping->library, functions[i].name);
    memcpy(functions[i].place, &found, sizeof found);
    good = found != NULL;
  }
  return good || mprof_fail(error, MPROF_CANNOT_READ, "cannot load '%s': %s",
                            path, dlerror());
}

/* All that is in the file NAME, to be freed; NULL: ERROR says why. */
static char *
read_file(const char *name, size_t *length, struct mprof_error *error)
{
  FILE *file = fopen(name, "rb");
  char *octets = NULL;
  size_t capacity = 0, got = 1;
  *length = 0;
  while (file != NULL && got > 0 &&
         ARRAY_ROOM(octets, capacity, *length + 65536)) {
    got = fread(octets + *length, 1, capacity - *length, file);
    *length += got;
  }
  if (file != NULL && !ferror(file) && got == 0) {
    fclose(file);
    return octets;
  }
  mprof_fail(error, MPROF_CANNOT_READ, "cannot read '%s': %s", name,
             strerror(errno));
  if (file != NULL)
    fclose(file);
  free(octets);
  return NULL;
}

/* The name of the file PATH without what comes after a dot. */
static char *
name_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  return strndup(name, strcspn(name, "."));
}

static bool
ship(const struct shipping *shipping, const struct ship_options *options,
     const char *file, struct sink *sink, struct mprof_error *error)
{
  static const struct program nobody;
  char message[PROGRAM_MESSAGE_LENGTH];
  char *name = name_of(file);
  size_t length;
  char *octets = read_file(file, &length, error);
  struct program program = nobody;
  program.name = name == NULL ? "" : name;
  struct shipper *shipper =
      octets == NULL ? NULL : shipping->open(options, &program, message);
  bool good = false;
  if (shipper != NULL) {
    shipping->file(shipper, octets, length);
    good = shipping->summary(shipper, message) != 0;
    if (good)
      sink_format(sink, "%s\n", message);
  }
  if (!good && octets != NULL)
    mprof_fail(error, MPROF_CANNOT_WRITE, "%s", message);
  if (shipper != NULL)
    shipping->close(shipper);
  free(octets);
  free(name);
  return good;
}

bool
run_push(const struct options *options, struct sink *sink,
         struct outcome *outcome)
{
  struct shipping shipping = {NULL, NULL, NULL, NULL, NULL};
  struct profile profile = {0};
  struct mprof_error *error = &outcome->error;
  const char *given = options->push.labels;
  char *labels = strdup(given == NULL ? "" : given);
  for (char *c = labels; c != NULL && *c != '\0'; c++)
    if (*c == ',')
      *c = '\n';
  const struct ship_options ship_options = {
      .url = options->files[1],
      .protocol = options->push.protocol,
      .service = options->push.service,
      .labels = labels,
      .deadline = DEADLINE_MILLISECONDS};
  /* What is wrong with a file is said as all commands say it. */
  const bool good =
      (labels != NULL || mprof_error_memory(error)) &&
      profile_load(&profile, options->files, 1, HEAP_BOTH, options->progress,
                   error) &&
      load(&shipping, error) &&
      ship(&shipping, &ship_options, options->files[0], sink, error);
  profile_release(&profile);
  free(labels);
  return good;
}
