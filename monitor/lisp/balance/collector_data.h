/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector_data.h -- what the collector keeps to itself, as far as it tells
 * bytes that it counts and nobody asked for.
 *
 * Free lists.  A thread takes small objects from lists of its own, without a
 * lock.  The collector counts a list as given out when it makes it, so what
 * lies on the lists has been counted and not been allocated by anybody.  The
 * lists are part of the collector's record of the thread, which is an object
 * of its heap too, but for that of the first thread.
 *
 * Tables of finalizers and weak links.  Such a table is an object of the
 * collector's heap as well.  It has a power of 2 of places, and when it is
 * full one of twice the size takes its place.  So what all tables took, those
 * of before too, follows from the sizes that they have now.
 *
 * Size classes.  The collector rounds a request up to granules, and these to
 * one of its classes, of which it has a map.  What class a size belongs to can
 * change when the first request of another size is made; not once each class
 * has been asked for, as it has when ECL has started.
 *
 * Limits.  The layout is the collector's private affair (bdwgc 8.2).  All of
 * it is checked, and what is not as expected is not read. */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* Find libgc's variables. */
void collector_data_open(void);

/* Returns the bytes on the lists of a thread, which does not allocate, or else
 * some number; -1 when they cannot be read.  Those of another thread: only
 * while the collector's lock is held (GC_alloc_lock). */
int64_t collector_list_bytes(pthread_t thread);

/* Returns the bytes of the record with these lists.  The collector counts
 * them as given out when the thread begins.  0 for the first thread, whose
 * record is static, and when it cannot be read. */
uint64_t collector_record_bytes(pthread_t thread);

/* Returns the bytes that the collector has counted for tables since the
 * process began; -1 when they cannot be found.  Called with the collector's
 * lock held. */
int64_t collector_table_bytes(void);

/* Returns what the collector has counted for one request of `bytes', which it
 * was given just now.  May run inside the hook. */
uint64_t collector_rounded_bytes(size_t bytes);
