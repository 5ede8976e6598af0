/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The reducer as a library: everything the mprof command does, in a form
 * that C and foreign callers (Lisp through libffi) can use.
 *
 * Each call runs one command line from start to end: it reads profile files,
 * builds the call graph and produces text.  Nothing is kept between calls
 * but profiles that are open, nothing is printed, nothing exits, no global is
 * written: calls may run in several threads at once.  Only plain C types
 * cross this interface.
 *
 * An argument list is one string, one argument a line, without the name of
 * the program: "report\n--terse\n/tmp/mprof.data".  A newline at the end is
 * ignored; an empty line is an empty argument.  "run" starts a program and
 * waits for it, with signals blocked in the calling thread; its exit status
 * is the program's.  Text is UTF-8.
 *
 * Exit statuses: 0 done, 1 failed (file, profile, output, memory), 2 usage,
 * 3 done, and diff found more growth than it was to allow; 4 done, and the
 * program has lost memory (--fail-on-leak).
 */

#ifndef MPROF_H
#define MPROF_H

#include <stdint.h>

#define MPROF_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the command line ARGUMENTS and gives back a result to ask, or NULL
 * when memory runs out.  The caller owns the result and frees it with
 * mprof_result_free. */
MPROF_API void *mprof_run_command(const char *arguments);

/* The exit status of RESULT; 1 for NULL. */
MPROF_API int mprof_result_status(void *result);

/* What the command printed; valid until RESULT is freed; "" for NULL. */
MPROF_API const char *mprof_result_output(void *result);

/* What went wrong, in one line without "mprof: " and without a newline; ""
 * when nothing did, "out of memory" for NULL; valid until RESULT is freed. */
MPROF_API const char *mprof_result_error(void *result);

/* How many bytes the output has, which may have zeros among them. */
MPROF_API uint64_t mprof_result_length(void *result);

/* The byte offset that the error line names, -1 when it names none. */
MPROF_API int64_t mprof_result_offset(void *result);

/* Returns the name of the file that the error is about, as it was given; ""
 * if it is about none; valid until RESULT is freed. */
MPROF_API const char *mprof_result_path(void *result);

/* Returns 1 if the error is that output could not be written, else 0. */
MPROF_API int mprof_result_is_of_output(void *result);

/* Frees RESULT with the strings asked from it; NULL is allowed. */
MPROF_API void mprof_result_free(void *result);

/* A profile that stays open, whatever becomes of its files: those that NAMES
 * says, one a line, a folder for the profiles in it; or what would be in one
 * file, a profile or an image, LENGTH bytes at OCTETS, which are copied; that
 * of a program whose TIMELINE, or NULL, is that of mprof_timeline_open.  What
 * cannot be read is said by each command that is run on it.  NULL when memory
 * runs out.  The caller closes it with mprof_profile_close. */
MPROF_API void *mprof_profile_open(const char *names);
MPROF_API void *mprof_profile_open_octets(const void *octets,
                                          uint64_t length, void *timeline);

/* The timeline of a program, with slices of so many NANOSECONDS; NULL when
 * memory runs out.  mprof_timeline_take ends a slice, unless it would be too
 * short, so many nanoseconds after the start: OCTETS is an image of the
 * program, GENERATION changes when its figures are forgotten, and COLLECTIONS
 * is how often garbage was collected.  Another thread may open a profile
 * meanwhile. */
MPROF_API void *mprof_timeline_open(uint64_t nanoseconds);
MPROF_API void mprof_timeline_take(void *timeline, const void *octets,
                                   uint64_t length, uint64_t generation,
                                   uint64_t nanoseconds,
                                   uint64_t collections);
MPROF_API void mprof_timeline_close(void *timeline);

/* mprof_run_command on PROFILE; ARGUMENTS name no files, and values of
 * options follow after "=".  Unless SAMPLES is NULL, only those COUNT of them
 * count whose numbers are there: as `export --format=lisp-contexts' gives
 * them, in any order.  Several threads may do this at once. */
MPROF_API void *mprof_profile_command(void *profile, const char *arguments,
                                      const uint64_t *samples,
                                      uint64_t count);

/* A profile file of PROFILE, as the output of a result. */
MPROF_API void *mprof_profile_write(void *profile);

/* As of when PROFILE is, in nanoseconds since 1970, and how long it took
 * until then; 0 where it does not say. */
MPROF_API int64_t mprof_profile_time(void *profile);
MPROF_API int64_t mprof_profile_duration(void *profile);

/* NULL is allowed. */
MPROF_API void mprof_profile_close(void *profile);

/* A heap profile as servers of profiles take them (export/heap_profile.h),
 * empty.  NULL when memory runs out.  The caller closes it with
 * mprof_heap_close. */
MPROF_API void *mprof_heap_open(void);

/* Adds what PROFILE has to HEAP, or with SIGN -1 takes it away: the sample
 * types whose bits are in COLUMNS.  What goes wrong is said when HEAP is
 * written, and by mprof_heap_error, which is "" when nothing has. */
MPROF_API void mprof_heap_add(void *heap, void *profile, int sign,
                              unsigned columns);
MPROF_API const char *mprof_heap_error(void *heap);

/* How many samples it has. */
MPROF_API uint64_t mprof_heap_samples(void *heap);

/* The sum over COUNT of them from FIRST on of the sample type COLUMN: 0 and 1
 * are allocations and their bytes, 2 and 3 those in use. */
MPROF_API int64_t mprof_heap_sum(void *heap, int column, uint64_t first,
                                 uint64_t count);

/* What is written from now on: the sample types whose bits are in COLUMNS,
 * while the others are 0; with TYPE_FRAMES types as the last frames, else as
 * labels; and COMMENTS, one a line, NULL for none, which must stay as long as
 * HEAP. */
MPROF_API void mprof_heap_choose(void *heap, unsigned columns,
                                 int type_frames, const char *comments);

/* COUNT of its samples from FIRST on, as a file, which is the output of the
 * result; as of TIME_NANOS since 1970, and DURATION_NANOS before, 0 for sums.
 * With IN_USE what is in use comes first to a reader, else what was
 * allocated. */
MPROF_API void *mprof_heap_write(void *heap, uint64_t first, uint64_t count,
                                 int in_use, int64_t time_nanos,
                                 int64_t duration_nanos);

/* NULL is allowed. */
MPROF_API void mprof_heap_close(void *heap);

/* How many characters a line of the terminal DESCRIPTOR has, by the variable
 * COLUMNS or the terminal; 0 when neither says, -1 when it is no terminal. */
MPROF_API int mprof_terminal_width(int descriptor);

#ifdef __cplusplus
}
#endif

#endif
