/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * profile_writer.c -- the figures as a gzip-compressed pprof profile.
 *
 * The format is reduce/profile.proto; what the labels and comments mean is in
 * mprof-data(5).  A profile is a sequence of fields, so samples are packed one
 * at a time and go straight to the compressor: memory does not grow with their
 * number.  Two kinds of samples: objects (a leaf of the tree), and
 * activations (a context that was entered).
 *
 * One error path: the first failure is kept in `failed', everything after it
 * does nothing, and the temporary file is removed.  The old file stays until
 * the new one is complete and on disk.
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
#include <zlib.h>

#include <ecl/ecl.h>

#include "code_index.h"
#include "lisp_name.h"
#include "monitor.h"
#include "number_map.h"
#include "profile.pb-c.h"
#include "sites.h"
#include "string_table.h"
#include "sizes.h"

#ifndef MPROF_VERSION
#error "MPROF_VERSION is not defined"
#endif

enum { COLUMNS = 5, COLUMN_COUNT = 0, COLUMN_BYTES = 1, COLUMN_CALLS = 4 };

struct writer {
  gzFile out;
  int failed;                    /* errno of the first failure, or 0 */
  struct string_table strings;
  struct number_map locations;   /* site -> number, in order of use */
  struct number_map functions;   /* function number -> number */
  uint64_t *path;                /* location ids of one sample */
  size_t path_room;
  uint8_t *buffer;               /* one packed message */
  size_t buffer_room;
  uint64_t unattributed_count, unattributed_bytes;
  uint64_t classless_count;      /* objects of a class that has no name */
};

/* ---- output -------------------------------------------------------------- */

static void
set_failed(struct writer *w, int error)
{
  if (w->failed == 0)
    w->failed = error != 0 ? error : EIO;
}

static void
put(struct writer *w, const void *bytes, size_t n)
{
  if (w->failed == 0 && n > 0 &&
      gzwrite(w->out, bytes, (unsigned)n) != (int)n)
    set_failed(w, errno);
}

static void
put_varint(struct writer *w, uint64_t v)
{
  uint8_t bytes[10];
  size_t n = 0;
  do {
    bytes[n++] = (uint8_t)((v & 0x7F) | (v > 0x7F ? 0x80 : 0));
    v >>= 7;
  } while (v != 0);
  put(w, bytes, n);
}

static void
put_bytes_field(struct writer *w, unsigned field, const void *bytes, size_t n)
{
  put_varint(w, (uint64_t)field << 3 | 2);
  put_varint(w, n);
  put(w, bytes, n);
}

static void
put_number_field(struct writer *w, unsigned field, uint64_t value)
{
  put_varint(w, (uint64_t)field << 3);
  put_varint(w, value);
}

static void
put_message(struct writer *w, unsigned field, const ProtobufCMessage *message)
{
  size_t n = protobuf_c_message_get_packed_size(message);
  if (w->failed != 0)
    return;
  if (n > w->buffer_room) {
    uint8_t *bigger = realloc(w->buffer, n * 2);
    if (bigger == NULL) {
      set_failed(w, ENOMEM);
      return;
    }
    w->buffer = bigger;
    w->buffer_room = n * 2;
  }
  protobuf_c_message_pack(message, w->buffer);
  put_bytes_field(w, field, w->buffer, n);
}

static int64_t
string_id(struct writer *w, const char *s)
{
  int64_t id = string_table_add(&w->strings, s);
  if (id < 0)
    set_failed(w, ENOMEM);
  return id < 0 ? 0 : id;
}

/* ---- samples ------------------------------------------------------------- */

/* One site is one location, but in APPLY: what that counts as depends on its
 * caller. */
static uint64_t
location_id(struct writer *w, uint64_t site, uint32_t function)
{
  bool passing = (function & FUNCTION_NUMBER) != 0 &&
                 (function & FUNCTION_NUMBER) == code_index_passing_apply();
  uint64_t id =
      number_map_add(&w->locations, site | (passing ? SITE_PASSING : 0));
  if (id == 0)
    set_failed(w, ENOMEM);
  return id;
}

/* Room for element `n' of the path. */
static bool
path_has_room(struct writer *w, size_t n)
{
  if (n >= w->path_room) {
    size_t room = w->path_room == 0 ? SIZE_FIRST_ROOM : w->path_room * 2;
    uint64_t *bigger;
    if (room <= n)
      room = n + 1;
    bigger = realloc(w->path, room * sizeof *bigger);
    if (bigger == NULL) {
      set_failed(w, ENOMEM);
      return false;
    }
    w->path = bigger;
    w->path_room = room;
  }
  return true;
}

/* Append the locations from context `c' out to the root. */
static size_t
append_path(struct writer *w, const struct context_tree *tree, uint32_t c,
            size_t n)
{
  for (; c != CONTEXT_ROOT; c = tree->contexts[c].parent) {
    if (!path_has_room(w, n))
      return n;
    w->path[n++] = location_id(w, tree->contexts[c].site,
                               tree->contexts[c].function);
  }
  return n;
}

/* The path of a call at `site' below the context `up'. */
static size_t
path_of_call(struct writer *w, const struct context_tree *tree, uint32_t up,
             uint64_t site, uint32_t function)
{
  if (up == CONTEXT_OVERFLOW)
    return append_path(w, tree, up, 0);
  if (path_has_room(w, 0))
    w->path[0] = location_id(w, site, function);
  return append_path(w, tree, up, 1);
}

static void
put_sample(struct writer *w, size_t path_length, const int64_t *values,
           Mprof__Pprof__Label **labels, size_t label_count)
{
  Mprof__Pprof__Sample sample = MPROF__PPROF__SAMPLE__INIT;
  int64_t copy[COLUMNS];
  memcpy(copy, values, sizeof copy);
  sample.n_location_id = path_length;
  sample.location_id = w->path;
  sample.n_value = COLUMNS;
  sample.value = copy;
  sample.n_label = label_count;
  sample.label = labels;
  put_message(w, 2, &sample.base);
}

static Mprof__Pprof__Label
text_label(struct writer *w, const char *key, const char *value)
{
  Mprof__Pprof__Label label = MPROF__PPROF__LABEL__INIT;
  label.key = string_id(w, key);
  label.str = string_id(w, value);
  return label;
}

/* The calls that are counted in a context or leaf. */
static void
put_activations(struct writer *w, const struct thread_figures *thread,
                uint64_t activations, size_t path_length)
{
  int64_t values[COLUMNS] = { [COLUMN_CALLS] = (int64_t)activations };
  Mprof__Pprof__Label label = text_label(w, "thread", thread->name);
  Mprof__Pprof__Label *pointer = &label;
  put_sample(w, path_length, values, &pointer, 1);
}

static void
put_context(struct writer *w, const struct thread_figures *thread,
            const struct context *c)
{
  if (c->activations != 0)
    put_activations(w, thread, c->activations,
                    path_of_call(w, thread->tree, c->parent, c->site,
                                 c->function));
}

static void
put_leaf(struct writer *w, const struct thread_figures *thread,
         const struct leaf *leaf)
{
  const struct context_tree *tree = thread->tree;
  const struct kind *kind = context_tree_kind(tree, leaf);
  int64_t values[COLUMNS] = { [COLUMN_COUNT] = (int64_t)leaf->count,
                              [COLUMN_BYTES] = (int64_t)leaf->bytes };
  Mprof__Pprof__Label labels[5], *pointers[5];
  size_t n = 0;
  cl_object clas = (cl_object)(uintptr_t)kind->clas;
  const char *type = classify_type_name(kind->what);
  const char *class_name = NULL;

  if (leaf->activations != 0 && leaf->up != CONTEXT_OVERFLOW)
    put_activations(
        w, thread, leaf->activations,
        path_of_call(w, tree, leaf->up, leaf->site, leaf->function));
  if (leaf->count == 0 && leaf->bytes == 0)
    return;
  if (leaf->up == CONTEXT_OVERFLOW) {
    w->unattributed_count += leaf->count;
    w->unattributed_bytes += leaf->bytes;
  }
  if (clas != OBJNULL) {
    class_name = code_index_class_name(clas);
    if (class_name == NULL)
      w->classless_count += leaf->count;
    else if (lisp_name_is_structure(clas))
      type = "STRUCTURE";
  }
  labels[n++] = text_label(w, "type", type);
  if (class_name != NULL)
    labels[n++] = text_label(w, "class", class_name);
  labels[n++] = text_label(
      w, "category", classify_category_name(classify_category(kind->what)));
  labels[n++] = text_label(w, "thread", thread->name);
  if (kind->size != 0 && kind->size != LEAF_LARGE) {
    Mprof__Pprof__Label size = MPROF__PPROF__LABEL__INIT;
    size.key = string_id(w, "bytes");
    size.num = kind->size;
    size.num_unit = string_id(w, "bytes");
    labels[n++] = size;
  }
  for (size_t i = 0; i < n; i++)
    pointers[i] = &labels[i];
  put_sample(
      w, path_of_call(w, tree, leaf->target, leaf->site, leaf->function),
      values, pointers, n);
}

static void
put_thread(struct writer *w, const struct thread_figures *thread)
{
  const struct context_tree *tree = thread->tree;
  for (uint32_t i = 1; i < tree->leaf_count && w->failed == 0; i++)
    put_leaf(w, thread, &tree->leaves[i]);
  put_leaf(w, thread, &tree->leaves[tree->budget]);
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count && w->failed == 0;
       i++)
    put_context(w, thread, &tree->contexts[i]);
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
  for (uint64_t id = 1; id <= w->locations.count && w->failed == 0; id++) {
    uint64_t site = w->locations.keys[id - 1];
    uint32_t number = monitor_function_of(site);
    const struct code_function *f = function_of_site(site, number);
    uint64_t known = w->functions.count;
    uint64_t function = number_map_add(&w->functions, number);
    Mprof__Pprof__Location location = MPROF__PPROF__LOCATION__INIT;
    Mprof__Pprof__Line line = MPROF__PPROF__LINE__INIT, *lines = &line;
    int64_t start = source_line(&source, f->file, f->file_position);

    if (function == 0) {
      set_failed(w, ENOMEM);
      break;
    }
    if (w->functions.count > known) {
      Mprof__Pprof__Function entry = MPROF__PPROF__FUNCTION__INIT;
      entry.id = function;
      entry.name = string_id(w, f->name);
      entry.system_name = string_id(w, f->system_name);
      entry.filename = f->runtime      ? string_id(w, "[runtime]")
                       : f->file != NULL ? string_id(w, f->file)
                                         : 0;
      entry.start_line = start;
      put_message(w, 5, &entry.base);
    }
    line.function_id = function;
    line.line = start;
    location.id = id;
    if ((site & (SITE_OBJECT | SITE_RETIRED | SITE_SPECIAL)) == 0)
      location.address = site & ~SITE_PASSING;
    location.n_line = 1;
    location.line = &lines;
    put_message(w, 4, &location.base);
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
  put_number_field(w, 13, (uint64_t)string_id(w, text));
}

static void
put_value_type(struct writer *w, unsigned field, const char *type,
               const char *unit)
{
  Mprof__Pprof__ValueType v = MPROF__PPROF__VALUE_TYPE__INIT;
  v.type = string_id(w, type);
  v.unit = string_id(w, unit);
  put_message(w, field, &v.base);
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
  put_number_field(w, 12, 1);
  put_number_field(w, 14, (uint64_t)string_id(w, "alloc_space"));
  clock_gettime(CLOCK_REALTIME, &now);
  put_number_field(w, 9, (uint64_t)now.tv_sec * 1000000000u +
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
  put_comment(w, "mprof.contexts=%" PRIu64, f->contexts);
  put_comment(w, "mprof.context_bytes=%" PRIu64, f->context_bytes);
  put_comment(w, "mprof.threads=%u", f->counted_threads);
}

static void
put_strings(struct writer *w)
{
  for (size_t i = 0; i < w->strings.count; i++)
    put_bytes_field(w, 6, w->strings.strings[i],
                    strlen(w->strings.strings[i]));
}

static void
write_all(struct writer *w, const struct monitor_figures *f)
{
  string_id(w, ""); /* must be the first */
  put_header(w);
  for (const struct thread_figures *t = f->threads; t != NULL; t = t->next)
    put_thread(w, t);
  put_locations(w);
  put_reconciliation(w, f);
  put_strings(w);
}

/* Compress everything into `file'. */
static void
write_to(struct writer *w, const struct monitor_figures *figures, int file)
{
  int copy = fcntl(file, F_DUPFD_CLOEXEC, 0); /* gzclose closes its own */
  w->out = copy < 0 ? NULL : gzdopen(copy, "wb6");
  if (w->out == NULL) {
    set_failed(w, errno);
    if (copy >= 0)
      close(copy);
    return;
  }
  write_all(w, figures);
  errno = 0;
  if (gzclose(w->out) != Z_OK)
    set_failed(w, errno);
}

/* Write to a temporary file beside `path', and rename it when it is complete
 * and on disk. */
static void
replace_file(struct writer *w, const struct monitor_figures *figures,
             const char *path, const char *temporary)
{
  int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    set_failed(w, errno);
    return;
  }
  write_to(w, figures, file);
  if (w->failed == 0 && fsync(file) != 0 && errno != EINVAL &&
      errno != EROFS)
    set_failed(w, errno);
  if (close(file) != 0)
    set_failed(w, errno);
  if (w->failed == 0 && rename(temporary, path) != 0)
    set_failed(w, errno);
  if (w->failed != 0)
    unlink(temporary);
}

/* A pipe or a device is written to as it is. */
static void
write_in_place(struct writer *w, const struct monitor_figures *figures,
               const char *path)
{
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) {
    set_failed(w, errno);
    return;
  }
  write_to(w, figures, file);
  if (close(file) != 0)
    set_failed(w, errno);
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
  if (w.failed != 0)
    snprintf(message, size, "cannot write '%s': %s", path,
             strerror(w.failed));
  free(temporary);
  free(w.path);
  free(w.buffer);
  string_table_release(&w.strings);
  number_map_release(&w.locations);
  number_map_release(&w.functions);
  return w.failed == 0       ? MPROF_OK
         : w.failed == ENOMEM ? MPROF_NO_MEMORY
                              : MPROF_CANNOT_WRITE;
}
