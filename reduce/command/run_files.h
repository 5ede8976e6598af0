/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of `mprof run'.  A program counts in FILE, each other process of
 * its in FILE.PID or FILE.PID.N; so does a program that became another by
 * exec.  What an earlier run left under these names is removed when the
 * program has started, and nothing else: FILE must be a profile by mprof, and
 * the others must say that they came from that process in a run.
 *
 * Each file, which is an image, becomes a profile when its process is gone:
 * it is read, its addresses get names, and it is written in pprof's format. A
 * thread does that while the program runs, so that thousands of processes
 * take no room for their images; FILE is the last.  What is left when the
 * program has ended is done by two threads.  Each looks at a library once for
 * all its files.  A process that is still there in the end has its image
 * still, which all commands read as well.
 */

#pragma once

#include "base/pool.h"
#include "images/timeline.h"
#include "symbols/code_names.h"

#include <pthread.h>

/* What was lost, over all files, as the table of leaks has it. */
struct run_leaks {
  uint64_t bytes, objects;
  uint64_t most;         /* of these bytes, in one process at ... */
  char site[256];        /* ... one place */
  const char *unchecked; /* why that is not all; NULL: it is */
};

/* What was counted, over all files. */
struct run_sums {
  uint64_t allocs, bytes, kept;
  uint64_t lost;            /* bytes of these, directly */
  uint64_t lost_indirectly; /* with what refers to them */
  bool sought;              /* whether it is known what was lost */
  bool root;                /* FILE is there */
  size_t files;             /* beside it */
  bool ecl;                 /* is part of a program */
  struct run_leaks leaks;
};

struct run_files {
  const char *name;    /* FILE as it was given */
  char path[PATH_MAX]; /* the same, absolute */
  struct run_sums sums;
  struct earlier_file *earlier; /* those that are not settled */
  size_t earlier_count;
  struct run_code {
    struct code_names names;
    struct pool pool;
    bool is_used;
  } code[2];                       /* for two files at a time */
  const struct view_options *view; /* of leaks; NULL: they do not matter */
  bool seeks;               /* what programs have lost, if they ask for it */
  uint64_t interval;        /* of timelines, nanoseconds; 0: there are none */
  uint64_t started;         /* CLOCK_MONOTONIC; then since that: */
  uint64_t reading, read;   /* when the images are being read, and were */
  struct run_image *images; /* of which more is known than they say */
  pthread_mutex_t timelines_lock; /* who reads or changes these has it */
  pthread_mutex_t lock; /* of SUMS, IMAGES, CODE and ERROR, while two threads
                           finish files */
  pthread_t thread;
  bool begun;               /* the thread has; what follows is its own */
  bool ended;               /* the program has, which anybody may say */
  struct mprof_error error; /* why a file was not finished, the first one */
};

/* Makes way for FILE, which is NAME: moves earlier files aside.  VIEW
 * outlives FILES. */
void run_files_prepare(struct run_files *files, const char *name,
                       const struct view_options *view);

/* Removes the earlier files if the program has STARTED, else puts them back.
 * Does nothing the second time. */
void run_files_settle(struct run_files *files, bool started);
void run_files_release(struct run_files *files);

/* Finishes PATH, which stands for the process PROCESS unless that is NULL: a
 * process that has counted nothing leaves no file.  False: the error of FILES
 * says why it cannot be finished. */
bool run_files_finish_one(struct run_files *files, char *path,
                          const char *process);

/* Calls DOES with the images of processes beside FILE, with ROOT with that of
 * FILE first, until that gives back false; with AT_ONCE, in two threads.
 * Returns false then. */
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
  ino_t inode;
  struct timeline timeline;
  struct losses losses; /* owned, by malloc; no leaves: they are not known */
};

/* Returns what is known of the image PATH, made if there is nothing yet; the
 * first slice of its timeline begins when the images were read last.  Returns
 * NULL without --timeline and --reachable, without the file, or without
 * memory. */
struct run_image *run_image_find(struct run_files *files, const char *path);

/* Forgets IMAGE, if it is not NULL. */
void run_image_drop(struct run_files *files, struct run_image *image);

/* Finish files from now on, and with SEEKS find what programs have lost. They
 * send this process a signal then, RUN_FILES_SIGNAL, which all other threads
 * have to block.  Slices of time end at each INTERVAL, in nanoseconds, unless
 * that is 0. */
void run_files_begin(struct run_files *files, bool seeks, uint64_t interval);
#define RUN_FILES_SIGNAL SIGURG /* by default it is ignored */

/* Starts a thread that calls RUN(CLOSURE) and gets no signals: these are for
 * the one that waits for the program.  Returns false if there is no room. */
bool run_thread_begin(pthread_t *thread, void *(*run)(void *), void *closure);

/* Finishes what is left when the program has ended.  Returns false if a file
 * cannot be finished; ERROR says why. */
bool run_files_finish(struct run_files *files, struct mprof_error *error);
