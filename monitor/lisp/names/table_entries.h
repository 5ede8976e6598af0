/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * table_entries.h -- the entries of a hash table of ECL, without its lock.
 *
 * A thread that makes the table larger sets its size before there is a body of
 * that size, so only what the body has room for is read.  The entries are
 * those of one moment as long as the caller keeps them: the collector does not
 * take the body away meanwhile.  What is added then may be missed.
 */
#ifndef MPROF_TABLE_ENTRIES_H
#define MPROF_TABLE_ENTRIES_H

#include <ecl/ecl.h>
#include <gc/gc.h>

struct table_entries {
  const struct ecl_hashtable_entry *at;
  cl_index count; /* some have no key: OBJNULL */
};

/* Those of TABLE; none if it is no hash table. */
static inline struct table_entries
table_entries(cl_object table)
{
  struct table_entries entries = {NULL, 0};
  if (table == OBJNULL || ECL_IMMEDIATE(table) || table->d.t != t_hashtable)
    return entries;
  entries.count = table->hash.size;
  entries.at = __atomic_load_n(&table->hash.data, __ATOMIC_ACQUIRE);
  const size_t bytes = entries.at == NULL ? 0 : GC_size(entries.at);
  if (entries.count > bytes / sizeof *entries.at)
    entries.count = bytes / sizeof *entries.at;
  return entries;
}

#endif
