/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * profile_comments.c -- one text `key=value' a comment.
 *
 * The reconciliation.  The collector counts what its free lists gave away,
 * with its rounding; we count requests.  So each request is rounded as the
 * collector does, and what it made for itself is added (records of
 * finalizers, weak links and threads):
 *
 *     residual = collector_bytes - rounded_bytes - collector_record_bytes
 *
 * It is 0 but for what a note names.
 */
#include "write/profile_comments.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <ecl/ecl.h>

#include "hook/classify.h"
#include "code/code_functions.h"
#include "code/lisp_functions.h"
#include "tree/context_tree.h"
#include "monitor.h"
#include "threads/regions.h"

#ifndef MPROF_VERSION
#error "MPROF_VERSION is not defined"
#endif

static void __attribute__((format(printf, 2, 3)))
put_comment(struct profile_output *output, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  profile_output_number(output, 13,
                        (uint64_t)profile_output_string(output, text));
}

/* What regions_comments calls. */
static void
put_comment_text(void *closure, const char *text)
{
  put_comment(closure, "%s", text);
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
  each += classify_rounded_bytes(classify_granules(size));
  return leaf->count * each;
}

/* All requests as the collector rounded them. */
static uint64_t
rounded_bytes(const struct monitor_figures *f)
{
  uint64_t rounded = f->large_bytes;
  for (const struct thread_figures *t = f->threads; t != NULL; t = t->next)
    for (uint32_t i = 1; i < t->tree->leaf_count; i++)
      rounded += rounded_bytes_of_leaf(
          &t->tree->leaves[i],
          context_tree_kind(t->tree, &t->tree->leaves[i]));
  for (size_t g = 0; g < CLASSIFY_GRANULES; g++)
    if (f->granules[g] != 0)
      rounded += f->granules[g] * classify_rounded_bytes(g);
  return rounded;
}

/* What the collector, or the runtime in its name, made for itself. */
static uint64_t
record_bytes(const struct monitor_figures *f)
{
  return f->finalizers * classify_rounded_bytes(classify_granules(
                             ECL_FINALIZER_RECORD_BYTES)) +
         f->weak_links * classify_rounded_bytes(classify_granules(
                             ECL_WEAK_LINK_RECORD_BYTES)) +
         f->thread_record_bytes;
}

/* What a residual can be made of. */
static void
put_residual_notes(struct profile_output *output,
                   const struct monitor_figures *f)
{
  if (!f->at_rest)
    put_comment(output,
                "mprof.residual_note=a thread did not come to rest when "
                "counting began or ended: an object that it took then, "
                "or the free list of which it took it");
  if (f->imported_threads > 0)
    put_comment(output,
                "mprof.residual_note=what the runtime allocated for %u "
                "threads, which C made, before they were imported",
                f->imported_threads);
  if (!f->page_settled)
    put_comment(output, "mprof.residual_note=up to 4096 bytes of a page that "
                        "the collector has swept and not yet added");
  if (!f->lists_read)
    put_comment(output, "mprof.residual_note=the threads' free lists in the "
                        "collector could not be read");
  if (f->finalizers + f->weak_links > 0)
    put_comment(output, "mprof.residual_note=the collector's tables of "
                        "finalizers and weak links, when they grow");
  if (f->finalizer_walks > 0)
    put_comment(output,
                "mprof.residual_note=free lists that the collector drops "
                "when a finalizer allocates while it makes one");
  if (f->at_rest && f->imported_threads == 0 && f->page_settled &&
      f->lists_read &&
      f->finalizers + f->weak_links + f->finalizer_walks == 0)
    put_comment(output, "mprof.residual_note=not known: please report it");
}

static void
put_reconciliation(struct profile_output *output,
                   const struct monitor_figures *f)
{
  const uint64_t rounded = rounded_bytes(f), records = record_bytes(f);
  const int64_t residual = (int64_t)(f->collector_bytes - rounded - records);
  put_comment(output, "mprof.rounded_bytes=%" PRIu64, rounded);
  put_comment(output, "mprof.collector_bytes=%" PRIu64, f->collector_bytes);
  put_comment(output, "mprof.collector_record_bytes=%" PRIu64, records);
  put_comment(output, "mprof.residual_bytes=%" PRId64, residual);
  if (residual != 0)
    put_residual_notes(output, f);
}

static void
put_unattributed(struct profile_output *output,
                 const struct monitor_figures *f,
                 const struct sample_writer *samples)
{
  put_comment(output, "mprof.unattributed_allocations=%" PRIu64,
              samples->unattributed_count);
  put_comment(output, "mprof.unattributed_bytes=%" PRIu64,
              samples->unattributed_bytes);
  if (f->overflows > 0)
    put_comment(output,
                "mprof.unattributed_note=the context budget was used up "
                "%" PRIu64 " times; start with a larger one",
                f->overflows);
}

/* What can be missing from chains, and names that are. */
static void
put_gaps(struct profile_output *output, const struct monitor_figures *f,
         const struct sample_writer *samples)
{
  put_comment(output, "mprof.truncated_walks=%" PRIu64, f->truncated_walks);
  put_comment(output, "mprof.differing_walks=%" PRIu64, f->differing_walks);
  for (size_t i = 0; lisp_functions_other_flags(i) != NULL; i++)
    put_comment(output,
                "mprof.chain_note=%s was not compiled with this ECL's flags "
                "for the C compiler: functions that it inlined, or whose "
                "last act was a call, can be missing from chains",
                lisp_functions_other_flags(i));
  if (f->lost_calls > 0)
    put_comment(output,
                "mprof.chain_note=calls of byte-compiled functions that "
                "found no room for their name: %" PRIu64,
                f->lost_calls);
  if (samples->classless_count > 0)
    put_comment(output,
                "mprof.class_note=objects whose class found no room for "
                "its name: %" PRIu64,
                samples->classless_count);
}

void
profile_comments_put(struct profile_output *output,
                     const struct monitor_figures *f,
                     const struct sample_writer *samples)
{
  put_comment(output, "mprof.version=%s", MPROF_VERSION);
  put_comment(output, "mprof.language=lisp");
  put_comment(output, "mprof.program=ECL %s", f->runtime_version);
  put_comment(output, "mprof.root=" MPROF_ROOT_FUNCTION);
  put_comment(output, "mprof.allocations=%" PRIu64, f->allocations);
  put_comment(output, "mprof.bytes=%" PRIu64, f->bytes);
  put_reconciliation(output, f);
  put_unattributed(output, f, samples);
  put_gaps(output, f, samples);
  regions_comments(put_comment_text, output);
  put_comment(output, "mprof.contexts=%" PRIu64, f->contexts);
  put_comment(output, "mprof.context_bytes=%" PRIu64, f->context_bytes);
  put_comment(output, "mprof.threads=%u", f->counted_threads);
}
