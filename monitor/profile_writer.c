/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * profile_writer.c -- the figures as a gzip-compressed pprof profile.
 *
 * The format is reduce/profile/profile.proto; what the labels and comments mean is in
 * mprof-data(5).  Samples come first (sample_writer.c), so that the locations
 * that they use, the functions of these and all strings are known when their
 * turn comes.
 *
 * When anything fails, the temporary file is removed.  The old file stays
 * until the new one is complete and on disk.
 */
#include "profile_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <ecl/ecl.h>

#include "code_index.h"
#include "monitor.h"
#include "number_map.h"
#include "profile.pb-c.h"
#include "profile_output.h"
#include "regions.h"
#include "sample_writer.h"
#include "sites.h"

#ifndef MPROF_VERSION
#error "MPROF_VERSION is not defined"
#endif

struct writer {
  struct profile_output output;
  struct number_map locations;   /* site -> number, in order of use */
  struct number_map functions;   /* function number -> number */
  uint64_t unattributed_count, unattributed_bytes;
  uint64_t classless_count;      /* objects of a class that has no name */
};

static void
put_samples(struct writer *w, const struct thread_figures *threads)
{
  struct sample_writer samples = { .output = &w->output,
                                   .locations = &w->locations };
  for (const struct thread_figures *t = threads; t != NULL; t = t->next)
    sample_writer_put(&samples, t);
  w->unattributed_count = samples.unattributed_count;
  w->unattributed_bytes = samples.unattributed_bytes;
  w->classless_count = samples.classless_count;
}

/* ---- locations and functions --------------------------------------------- */

/* The line of a position in a file, 0 when it cannot be known.  One file is
 * kept, for functions come file by file. */
struct source {
  char *path, *text;
  size_t size;
};

static void
source_release(struct source *s)
{
  free(s->path);
  free(s->text);
  memset(s, 0, sizeof *s);
}

static int64_t
source_line(struct source *s, const char *path, int position)
{
  int64_t line = 1;
  if (path == NULL || position < 0)
    return 0;
  if (s->path == NULL || strcmp(s->path, path) != 0) {
    FILE *f = fopen(path, "r");
    size_t room = 0, got;
    source_release(s);
    s->path = strdup(path);
    while (f != NULL) {
      if (s->size + 4096 > room) {
        char *bigger = realloc(s->text, room = room * 2 + 65536);
        if (bigger == NULL)
          break;
        s->text = bigger;
      }
      got = fread(s->text + s->size, 1, room - s->size, f);
      if (got == 0)
        break;
      s->size += got;
    }
    if (f != NULL)
      fclose(f);
  }
  if ((size_t)position >= s->size)
    return 0;
  for (int i = 0; i < position; i++)
    line += s->text[i] == '\n';
  /* the position is before the form: blank lines follow it */
  for (size_t i = (size_t)position;
       i < s->size && (s->text[i] == '\n' || s->text[i] == ' ' ||
                       s->text[i] == '\t' || s->text[i] == '\r');
       i++)
    line += s->text[i] == '\n';
  return line;
}

static const struct code_function *
function_of_site(uint64_t site, uint32_t number)
{
  static const struct code_function overflow = {
    .name = "[over the budget]", .system_name = "", .file_position = -1
  };
  static const struct code_function signal_handler = {
    .name = "[signal handler]", .system_name = "", .file_position = -1
  };
  static const struct code_function finalizers = {
    .name = "[finalizers]", .system_name = "", .file_position = -1
  };
  static const struct code_function unknown = {
    .name = "[unknown]", .system_name = "", .file_position = -1
  };
  const struct code_function *f;
  if (site == (SITE_SPECIAL | SITE_OVERFLOW))
    return &overflow;
  if (site == (SITE_SPECIAL | SITE_SIGNAL_HANDLER))
    return &signal_handler;
  if (site == (SITE_SPECIAL | SITE_FINALIZERS))
    return &finalizers;
  f = code_index_function(number);
  return f != NULL ? f : &unknown;
}

static void
put_locations(struct writer *w)
{
  struct source source = { 0 };
  for (uint64_t id = 1; id <= w->locations.count && w->output.failed == 0; id++) {
    uint64_t site = w->locations.keys[id - 1];
    uint32_t number = monitor_function_of(site);
    const struct code_function *f = function_of_site(site, number);
    uint64_t known = w->functions.count;
    uint64_t function = number_map_add(&w->functions, number);
    Mprof__Pprof__Location location = MPROF__PPROF__LOCATION__INIT;
    Mprof__Pprof__Line line = MPROF__PPROF__LINE__INIT, *lines = &line;
    int64_t start = source_line(&source, f->file, f->file_position);

    if (function == 0) {
      profile_output_fail(&w->output, ENOMEM);
      break;
    }
    if (w->functions.count > known) {
      Mprof__Pprof__Function entry = MPROF__PPROF__FUNCTION__INIT;
      entry.id = function;
      entry.name = profile_output_string(&w->output, f->name);
      entry.system_name = profile_output_string(&w->output, f->system_name);
      entry.filename = f->runtime      ? profile_output_string(&w->output, "[runtime]")
                       : f->file != NULL ? profile_output_string(&w->output, f->file)
                                         : 0;
      entry.start_line = start;
      profile_output_message(&w->output, 5, &entry.base);
    }
    line.function_id = function;
    line.line = start;
    location.id = id;
    if ((site & (SITE_OBJECT | SITE_RETIRED | SITE_SPECIAL)) == 0)
      location.address = site & ~SITE_PASSING;
    location.n_line = 1;
    location.line = &lines;
    profile_output_message(&w->output, 4, &location.base);
  }
  source_release(&source);
}

/* ---- the rest -------------------------------------------------------------- */

static void __attribute__((format(printf, 2, 3)))
put_comment(struct writer *w, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  profile_output_number(&w->output, 13, (uint64_t)profile_output_string(&w->output, text));
}

/* What regions_comments calls. */
static void
put_comment_text(void *closure, const char *text)
{
  put_comment(closure, "%s", text);
}

static void
put_value_type(struct writer *w, unsigned field, const char *type,
               const char *unit)
{
  Mprof__Pprof__ValueType v = MPROF__PPROF__VALUE_TYPE__INIT;
  v.type = profile_output_string(&w->output, type);
  v.unit = profile_output_string(&w->output, unit);
  profile_output_message(&w->output, field, &v.base);
}

static void
put_header(struct writer *w)
{
  struct timespec now;
  put_value_type(w, 1, "alloc_objects", "count");
  put_value_type(w, 1, "alloc_space", "bytes");
  put_value_type(w, 1, "inuse_objects", "count");
  put_value_type(w, 1, "inuse_space", "bytes");
  put_value_type(w, 1, "activations", "count");
  put_value_type(w, 11, "space", "bytes");
  profile_output_number(&w->output, 12, 1);
  profile_output_number(&w->output, 14, (uint64_t)profile_output_string(&w->output, "alloc_space"));
  clock_gettime(CLOCK_REALTIME, &now);
  profile_output_number(&w->output, 9, (uint64_t)now.tv_sec * 1000000000u +
                             (uint64_t)now.tv_nsec);
}

/* What the collector counted for the objects of a leaf; 0 where the hook has
 * counted their requests (large ones, and those in pieces). */
static uint64_t
rounded_bytes_of_leaf(const struct leaf *leaf, const struct kind *kind)
{
  uint64_t each = 0;
  size_t size = kind->size;
  if (size == LEAF_LARGE || (kind->what & LEAF_PIECES) != 0 ||
      leaf->count == 0)
    return 0;
  if ((kind->what & ECL_ALLOCATED_SPLIT) != 0) {
    each = classify_rounded_bytes(
        classify_granules(sizeof(struct ecl_instance)));
    size -= sizeof(struct ecl_instance);
  }
  return leaf->count * (each + classify_rounded_bytes(classify_granules(size)));
}

static void
put_reconciliation(struct writer *w, const struct monitor_figures *f)
{
  uint64_t rounded = f->large_bytes, records;
  int64_t residual;
  for (const struct thread_figures *t = f->threads; t != NULL; t = t->next)
    for (uint32_t i = 1; i < t->tree->leaf_count; i++)
      rounded += rounded_bytes_of_leaf(
          &t->tree->leaves[i],
          context_tree_kind(t->tree, &t->tree->leaves[i]));
  for (size_t g = 0; g < CLASSIFY_GRANULES; g++)
    if (f->granules[g] != 0)
      rounded += f->granules[g] * classify_rounded_bytes(g);
  records = f->finalizers * classify_rounded_bytes(classify_granules(
                                ECL_FINALIZER_RECORD_BYTES)) +
            f->weak_links * classify_rounded_bytes(classify_granules(
                                ECL_WEAK_LINK_RECORD_BYTES)) +
            f->thread_record_bytes;
  residual = (int64_t)(f->collector_bytes - rounded - records);
  put_comment(w, "mprof.version=%s", MPROF_VERSION);
  put_comment(w, "mprof.language=lisp");
  put_comment(w, "mprof.program=ECL %s", f->runtime_version);
  put_comment(w, "mprof.root=" MPROF_ROOT_FUNCTION);
  put_comment(w, "mprof.allocations=%" PRIu64, f->allocations);
  put_comment(w, "mprof.bytes=%" PRIu64, f->bytes);
  put_comment(w, "mprof.rounded_bytes=%" PRIu64, rounded);
  put_comment(w, "mprof.collector_bytes=%" PRIu64, f->collector_bytes);
  put_comment(w, "mprof.collector_record_bytes=%" PRIu64, records);
  put_comment(w, "mprof.residual_bytes=%" PRId64, residual);
  if (residual != 0) {
    if (!f->at_rest)
      put_comment(w, "mprof.residual_note=a thread did not come to rest when "
                     "counting began or ended: an object that it took then, "
                     "or the free list of which it took it");
    if (f->imported_threads > 0)
      put_comment(w, "mprof.residual_note=what the runtime allocated for %u "
                     "threads, which C made, before they were imported",
                  f->imported_threads);
    if (!f->page_settled)
      put_comment(w, "mprof.residual_note=up to 4096 bytes of a page that "
                     "the collector has swept and not yet added");
    if (!f->lists_read)
      put_comment(w, "mprof.residual_note=the threads' free lists in the "
                     "collector could not be read");
    if (f->finalizers + f->weak_links > 0)
      put_comment(w, "mprof.residual_note=the collector's tables of "
                     "finalizers and weak links, when they grow");
    if (f->finalizer_walks > 0)
      put_comment(w, "mprof.residual_note=free lists that the collector drops "
                     "when a finalizer allocates while it makes one");
    if (f->at_rest && f->imported_threads == 0 && f->page_settled &&
        f->lists_read &&
        f->finalizers + f->weak_links + f->finalizer_walks == 0)
      put_comment(w, "mprof.residual_note=not known: please report it");
  }
  put_comment(w, "mprof.unattributed_allocations=%" PRIu64,
              w->unattributed_count);
  put_comment(w, "mprof.unattributed_bytes=%" PRIu64, w->unattributed_bytes);
  if (f->overflows > 0)
    put_comment(w, "mprof.unattributed_note=the context budget was used up "
                   "%" PRIu64 " times; start with a larger one",
                f->overflows);
  put_comment(w, "mprof.truncated_walks=%" PRIu64, f->truncated_walks);
  put_comment(w, "mprof.unmarked_walks=%" PRIu64, f->unmarked_walks);
  for (size_t i = 0; code_index_other_flags(i) != NULL; i++)
    put_comment(w,
                "mprof.chain_note=%s was not compiled with this ECL's flags "
                "for the C compiler: functions that it inlined, or whose "
                "last act was a call, can be missing from chains",
                code_index_other_flags(i));
  if (f->lost_calls > 0)
    put_comment(w, "mprof.chain_note=calls of byte-compiled functions that "
                   "found no room for their name: %" PRIu64,
                f->lost_calls);
  if (w->classless_count > 0)
    put_comment(w, "mprof.class_note=objects whose class found no room for "
                   "its name: %" PRIu64,
                w->classless_count);
  regions_comments(put_comment_text, w);
  put_comment(w, "mprof.contexts=%" PRIu64, f->contexts);
  put_comment(w, "mprof.context_bytes=%" PRIu64, f->context_bytes);
  put_comment(w, "mprof.threads=%u", f->counted_threads);
}

static void
write_all(struct writer *w, const struct monitor_figures *f)
{
  profile_output_string(&w->output, ""); /* must be the first */
  put_header(w);
  put_samples(w, f->threads);
  put_locations(w);
  put_reconciliation(w, f);
  profile_output_strings(&w->output, 6);
}

/* Compress everything into `file'. */
static void
write_to(struct writer *w, const struct monitor_figures *figures, int file)
{
  profile_output_open(&w->output, file);
  if (w->output.failed == 0)
    write_all(w, figures);
  profile_output_close(&w->output);
}

/* Write to a temporary file beside `path', and rename it when it is complete
 * and on disk. */
static void
replace_file(struct writer *w, const struct monitor_figures *figures,
             const char *path, const char *temporary)
{
  int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    profile_output_fail(&w->output, errno);
    return;
  }
  write_to(w, figures, file);
  if (w->output.failed == 0 && fsync(file) != 0 && errno != EINVAL &&
      errno != EROFS)
    profile_output_fail(&w->output, errno);
  if (close(file) != 0)
    profile_output_fail(&w->output, errno);
  if (w->output.failed == 0 && rename(temporary, path) != 0)
    profile_output_fail(&w->output, errno);
  if (w->output.failed != 0)
    unlink(temporary);
}

/* A pipe or a device is written to as it is. */
static void
write_in_place(struct writer *w, const struct monitor_figures *figures,
               const char *path)
{
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) {
    profile_output_fail(&w->output, errno);
    return;
  }
  write_to(w, figures, file);
  if (close(file) != 0)
    profile_output_fail(&w->output, errno);
}

int
profile_write(const struct monitor_figures *figures, const char *path,
              char *message, size_t size)
{
  struct writer w = { 0 };
  char *temporary = malloc(strlen(path) + 5);
  struct stat there;

  if (temporary == NULL) {
    snprintf(message, size, "cannot write '%s': out of memory", path);
    return MPROF_NO_MEMORY;
  }
  strcpy(temporary, path);
  strcat(temporary, ".tmp");
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
    write_in_place(&w, figures, path);
  else
    replace_file(&w, figures, path, temporary);
  if (w.output.failed != 0)
    snprintf(message, size, "cannot write '%s': %s", path,
             strerror(w.output.failed));
  free(temporary);
  profile_output_release(&w.output);
  number_map_release(&w.locations);
  number_map_release(&w.functions);
  return w.output.failed == 0       ? MPROF_OK
         : w.output.failed == ENOMEM ? MPROF_NO_MEMORY
                              : MPROF_CANNOT_WRITE;
}
