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
 * ignored; an empty line is an empty argument; NULL is an empty list.  "run"
 * starts a program and waits for it, with signals blocked in the calling
 * thread; its exit status is the program's.  Text is UTF-8.
 *
 * Exit statuses: 0 done, 1 failed (file, profile, output, memory), 2 usage,
 * 3 done, and diff found more growth than it was to allow; 4 done, and the
 * program has lost memory (--fail-on-leak).
 */

#pragma once

#include <stdint.h>

#define MPROF_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the command line ARGUMENTS and returns a result to ask.  The caller
 * owns it and frees it with mprof_result_free.  When memory runs out, returns
 * NULL or a result with status 1. */
MPROF_API void *mprof_run_command(const char *arguments);

/* Returns the exit status of RESULT; 1 for NULL. */
MPROF_API int mprof_result_status(void *result);

/* Returns what the command printed; valid until RESULT is freed; "" for NULL.
 */
MPROF_API const char *mprof_result_output(void *result);

/* Returns the line that the command has to say, without "mprof: " and without
 * a newline: what went wrong, or a remark on what was done, or ""; "out of
 * memory" for NULL; valid until RESULT is freed. */
MPROF_API const char *mprof_result_error(void *result);

/* Returns how many bytes the output has, which may have zeros among them; 0
 * for NULL. */
MPROF_API uint64_t mprof_result_length(void *result);

/* Returns the byte offset that the error line names, -1 when it names none or
 * RESULT is NULL.  The line says whether it is an offset into the file or
 * into its inflated data. */
MPROF_API int64_t mprof_result_offset(void *result);

/* Returns the name of the file that the error is about, as it was given; ""
 * if it is about none or RESULT is NULL; valid until RESULT is freed. */
MPROF_API const char *mprof_result_path(void *result);

/* Returns 1 if the error is that output could not be written, else 0. */
MPROF_API int mprof_result_is_of_output(void *result);

/* Frees RESULT with the strings asked from it; NULL is allowed. */
MPROF_API void mprof_result_free(void *result);

/* Open a profile, which the caller closes with mprof_profile_close.  The
 * first reads the files NAMES, one a line; a folder stands for the profiles
 * in it, and "" for mprof.data.  The second reads the LENGTH bytes at OCTETS,
 * as if from a file: a profile, or an image of a program with its TIMELINE,
 * of mprof_timeline_open, or NULL.  Nothing of files, OCTETS and TIMELINE is
 * used after the call.  Both return NULL when memory runs out.  If something
 * cannot be read, each command that is run on the profile fails and says so.
 */
MPROF_API void *mprof_profile_open(const char *names);
MPROF_API void *mprof_profile_open_octets(const void *octets, uint64_t length,
                                          void *timeline);

/* Returns a new timeline of a program, with slices of NANOSECONDS, or NULL
 * when memory runs out.  mprof_timeline_take ends a slice NANOSECONDS after
 * the program's start; the slice goes on if it would be too short, or the
 * image cannot be read.  OCTETS, LENGTH bytes, is an image of the program;
 * GENERATION changes when its figures are forgotten; and COLLECTIONS is how
 * often garbage was collected.  Another thread may open a profile meanwhile.
 * mprof_timeline_close frees TIMELINE, which no thread may be using. */
MPROF_API void *mprof_timeline_open(uint64_t nanoseconds);
MPROF_API void mprof_timeline_take(void *timeline, const void *octets,
                                   uint64_t length, uint64_t generation,
                                   uint64_t nanoseconds,
                                   uint64_t collections);
MPROF_API void mprof_timeline_close(void *timeline);

/* Runs the command line ARGUMENTS on PROFILE and returns a result as
 * mprof_run_command does; NULL, too, if PROFILE is NULL.  ARGUMENTS name no
 * files, and values of options follow after "=".  BASE, unless it is NULL, is
 * in the place of a profile that --base names.  Unless SAMPLES is NULL,
 * only the COUNT samples with these numbers count, in any order: the contexts
 * of `export --format=lisp' have the numbers.  Several threads may do this at
 * once. */
MPROF_API void *mprof_profile_command(void *profile, void *base,
                                      const char *arguments,
                                      const uint64_t *samples,
                                      uint64_t count);

/* Returns 2 if the option NAME, without dashes, selects a part of a profile,
 * 1 if it does something else, 0 if it is unknown. */
MPROF_API int mprof_option_kind(const char *name);

/* Closes PROFILE, which may be NULL, and which no thread may be using. */
MPROF_API void mprof_profile_close(void *profile);

/* Returns how many characters a line of the terminal DESCRIPTOR has: as the
 * variable COLUMNS says, else as the terminal does; 0 when neither says, -1
 * when DESCRIPTOR is no terminal. */
MPROF_API int mprof_terminal_width(int descriptor);

#ifdef __cplusplus
}
#endif
