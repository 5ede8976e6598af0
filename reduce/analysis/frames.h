/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the locations of a profile show as: frames, each in a function.
 * Functions of one name are one here, unless one is of the runtime or they
 * are named after their files; so what several profiles, or several builds,
 * have of a function comes together.
 *
 * Where no function is known, the file that the code is in stands for it,
 * such as "[libc.so.6]", or else the address, or else "[unknown]".
 *
 * The table belongs to one view of a profile: grouping.h lets frames show as
 * groups.
 */

#pragma once

#include "pprof/profile.h"

struct function {
  uint32_t name;      /* id in `names' of the name shown */
  uint32_t file;      /* id in `names' of the source file; 0 when not known */
  int64_t start_line; /* 0 when not known */
  uint64_t low_address; /* lowest address seen in it, 0 when none */
  bool runtime;         /* a C function of the runtime, hidden by default */
  bool c;               /* its name is that of a C function */
  bool calls_known;     /* its calls are counted in all files */
};

struct frame {
  uint32_t function;
  uint32_t shown;   /* number of the same function, or of its group */
  int64_t line;     /* of the call, 0 when not known */
  uint32_t file;    /* name id of the line's file, 0 when not known */
  uint64_t address; /* of the call, 0 when not known */
  bool inlined;     /* by the compiler: nothing called the function */
};

/* The effects of the options on a function. */
struct function_choice {
  bool hidden;
  bool root; /* runs a profiled body */
  bool named;
  unsigned char role; /* enum phase_role */
};

struct frame_table {
  const struct profile *profile;
  struct names names;
  struct function *functions;
  size_t function_count, function_capacity;
  struct frame *frames; /* of a location one after the other, the innermost
                           first */
  size_t frame_count, frame_capacity;
  uint32_t *first_frames;  /* by location; behind the last is frame_count */
  size_t most_frames;      /* of one location */
  uint32_t *region_groups; /* by region: the name of what stands for the
                              chains of samples there; NULL: chains are of
                              frames */
};

/* Returns the name id of the file that FRAME is in: that of its line, which
 * can be another one than where the function begins; 0 when not known. */
static inline uint32_t
frame_file(const struct frame_table *table, const struct frame *frame)
{
  return frame->line > 0 && frame->file != 0
             ? frame->file
             : table->functions[frame->function].file;
}

/* Makes the frames of PROFILE, which must outlive TABLE. */
void frame_table_init(struct frame_table *table,
                      const struct profile *profile);

/* Appends FUNCTION and returns its number. */
uint32_t frame_table_add(struct frame_table *table, struct function function);

/* Return the name and the file ("" when not known) of the function with the
 * number INDEX; valid as long as the table. */
static inline const char *
function_name(const struct frame_table *table, size_t index)
{
  return names_text(&table->names, table->functions[index].name);
}

static inline const char *
function_file(const struct frame_table *table, size_t index)
{
  return names_text(&table->names, table->functions[index].file);
}

/* Returns whether TEXT stands in brackets: [libfoo.so] (code without a
 * symbol), [unknown], [signal handler], [over the budget], and what stands
 * for a chain of which nothing shows. */
bool is_placeholder(const char *text);

/* Returns whether TEXT is the name of a function: no placeholder, no
 * address, and not empty. */
bool is_function_name(const char *text);
