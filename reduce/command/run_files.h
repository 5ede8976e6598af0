/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of `mprof run'.  A program counts in FILE, each other process of
 * its in FILE.PID or FILE.PID.N; so does a program that became another by
 * exec.  What an earlier run left under these names is removed when the
 * program has started, and nothing else: FILE must be a profile by mprof, and
 * the others must say that they came from that process in a run.
 *
 * Each file, which is an image, becomes a profile when its process is gone:
 * it is read, its addresses get names, and it is written in pprof's format.
 * A thread does that while the program runs, so that thousands of processes
 * take no room for their images; FILE is the last.  What is left when the
 * program has ended is done by two threads: one reads while the other writes.
 * Each library is looked at once for all files.  A process that is still
 * there in the end has its image still, which all commands read as well.
 */

#pragma once

#include "base/pool.h"
#include "images/timeline.h"
#include "symbols/code_names.h"

#include <pthread.h>

/* What was lost, over all files, as the table of leaks has it. */
struct run_leaks {
  uint64_t bytes, objects;
  uint64_t most;         /* bytes of the largest leak of one process */
  char site[256];        /* its place, cut if the name is long */
  const char *unchecked; /* why not all is known; NULL: it is */
};

/* What was counted, over all files. */
struct run_sums {
  uint64_t allocs, bytes, kept;
  uint64_t lost;            /* bytes of these, directly */
  uint64_t lost_indirectly; /* bytes that only lost objects refer to */
  bool sought;              /* some file says what was lost */
  bool root;                /* FILE was written */
  size_t files;             /* number of others that were written */
  bool ecl;                 /* some C program has ECL in it */
  char uncounted[256];      /* an allocator that is not counted, and where it
                               is; "": none */
  struct run_leaks leaks;   /* all zero without a view */
};

struct run_files {
  const char *name;    /* FILE as it was given; not owned */
  char path[PATH_MAX]; /* the same, absolute */
  struct run_sums sums;
  struct earlier_file *earlier;    /* files moved aside and not settled yet */
  size_t earlier_count;            /* all that were moved */
  struct code_names code;          /* of all images */
  struct pool code_pool;           /* memory of `code' */
  const struct view_options *view; /* of leaks; NULL: they do not matter */
  bool seeks;               /* whether to find what programs have lost */
  uint64_t interval;        /* of timelines, nanoseconds; 0: there are none */
  uint64_t started;         /* CLOCK_MONOTONIC, nanoseconds; since that: */
  uint64_t reading, read;   /* this reading of the images, and the last */
  struct run_image *images; /* of which more is known than they say */
  pthread_mutex_t timelines_lock; /* of all timelines, READING and READ; is
                                     taken before the next two */
  pthread_mutex_t code_lock;      /* of CODE; never held with the next one */
  pthread_mutex_t lock;           /* of SUMS, IMAGES (the list) and ERROR */
  pthread_t thread;               /* finishes files while the program runs */
  bool begun;                     /* THREAD runs, and is to be joined */
  _Atomic bool ended;             /* the program has */
  struct mprof_error error; /* why a file was not finished, the first one */
};

/* Makes FILES those of FILE, which is NAME, and moves earlier files aside.
 * NAME and VIEW outlive FILES.  Fails, and moves them back, if FILE is not a
 * profile by mprof, or a file cannot be moved. */
void run_files_prepare(struct run_files *files, const char *name,
                       const struct view_options *view);

/* Removes the earlier files if the program has STARTED, else moves back those
 * whose names are free.  Does nothing the second time. */
void run_files_settle(struct run_files *files, bool started);

/* Releases what FILES has, when its thread has ended (run_files_finish). */
void run_files_release(struct run_files *files);

/* Calls DOES with the path of each image of a process beside FILE, and the
 * PID or PID.N of its name, until it returns false; with ROOT first with
 * FILE, whatever that is, and NULL.  With AT_ONCE
 * two threads do this, and so DOES may run twice at a time.  Returns false if
 * DOES did, or the folder cannot be read (errno). */
typedef bool run_file_fn(struct run_files *files, char *path,
                         const char *process);
bool run_files_each(struct run_files *files, bool root, run_file_fn *does,
                    bool at_once);

/* ---- run_thread.c ------------------------------------------------------ */

/* What is known of an image while its program runs. */
struct run_image {
  struct run_image *next;
  dev_t device; /* of the file, which gets another name if its process becomes
                   another program */
  ino_t inode;  /* the same */
  struct timeline timeline; /* under timelines_lock */
  struct losses losses; /* owned, by malloc; no leaves: they are not known */
};

/* Returns what is known of the image PATH, made if there is nothing yet.
 * FILES owns it.  The first slice of its timeline begins when the images were
 * read last.  Returns NULL without --timeline and --reachable, without the
 * file, or without memory.  Takes `lock'. */
struct run_image *run_image_find(struct run_files *files, const char *path);

/* Frees IMAGE, if it is not NULL; nobody may be using it.  Takes `lock'. */
void run_image_drop(struct run_files *files, struct run_image *image);

/* Starts the thread of FILES, which finishes files, and with SEEKS finds what
 * programs have lost.  A program that wants this sends RUN_FILES_SIGNAL to
 * this process; all other threads must block that.  Slices of time end at
 * each INTERVAL, in nanoseconds, unless that is 0.  If no thread can be
 * started, run_files_finish does all that is left. */
void run_files_begin(struct run_files *files, bool seeks, uint64_t interval);
#define RUN_FILES_SIGNAL SIGURG /* by default it is ignored */

/* Starts a thread that calls RUN(CLOSURE) and gets no signals: these are for
 * the one that waits for the program.  The caller joins *THREAD.  Returns
 * false if it cannot be started. */
bool run_thread_begin(pthread_t *thread, void *(*run)(void *), void *closure);

/* Ends and joins the thread of FILES, when the program has ended, and
 * finishes what is left.  Returns false if a file cannot be finished; the
 * message of ERROR says why, its code may be MPROF_OK. */
bool run_files_finish(struct run_files *files, struct mprof_error *error);
