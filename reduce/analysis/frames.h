/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the locations of a profile show as: frames, each in a function.
 * Functions of one name are one here, unless one is of the runtime or they
 * are named after their files; so what several profiles, or several builds,
 * have of a function comes together.
 *
 * Where no function is known, the file that the code is in stands for it,
 * such as "[libc.so.6]", or else the address, or else "[unknown]".
 *
 * The table belongs to one view of a profile, and frames can show as groups.
 */

#pragma once

#include "base/sink.h"
#include "profile/profile.h"

struct function {
  uint32_t name;      /* id in `names' of the name shown */
  uint32_t file;      /* id in `names' of the source file; 0 when not known */
  int64_t start_line; /* 0 when not known */
  uint64_t low_address; /* lowest address seen in it, 0 when none, and for
                           groups */
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
  bool root;          /* runs a profiled body */
  bool named;         /* see is_function_name */
  unsigned char role; /* enum phase_role */
};

struct frame_table {
  const struct profile *profile;
  struct names names; /* those of the profile, and what else shows */
  struct function *functions;
  size_t function_count, function_capacity;
  struct frame *frames; /* of a location one after the other, the innermost
                           first */
  size_t frame_count, frame_capacity;
  uint32_t *first_frames;  /* by location; behind the last is frame_count */
  size_t most_frames;      /* of one location */
  uint32_t *region_groups; /* by region: the name id of what stands for the
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
 * address, not empty, and not "(OUT-OF-MEMORY)". */
bool is_function_name(const char *text);

/* ---- groups ---- */

/* The granularity of a view: instead of functions, their lines, files,
 * packages or classes; or the values of a label.
 *
 * It is the last step of making a table of frames, when the options have been
 * matched with functions: each group is a further function, as which frames
 * show.  All that follows reads the table.
 *
 *   a;b;c;d  with a, b, d of group G, c of group H   becomes   G;H;G
 *
 * A step from a group into itself is no call: of the frames in a row that are
 * of one group, the rootmost stands for all, and calls of the others are
 * counted nowhere.  Frames that are hidden neither join a group nor stand
 * between two frames of one.
 *
 * A label is one of samples, not of frames: the whole chain of a sample
 * becomes one frame, whatever functions are on it.
 */

/* Units that stand for functions in tables and exports. */
enum granularity {
  BY_FUNCTION,
  BY_LINE,
  BY_SITE, /* calls in one line, too, are told apart */
  BY_FILE,
  BY_PACKAGE,
  BY_CLASS,
  BY_LABEL
};

/* Groups the functions of FRAMES, of which CHOICES says what the options
 * make; or, for BY_LABEL, the regions by the label KEY.  Does nothing for
 * BY_FUNCTION.  Fails with MPROF_NOTHING when no region has the label.  Takes
 * linear time in frames, functions and regions. */
void frame_table_group(struct frame_table *frames, enum granularity by,
                       const char *key,
                       const struct function_choice *choices);

/* Returns whether groups have calls.  Sites and labels have none, nor lines
 * if FRAMES have lines: a function is called, not a line. */
bool groups_have_calls(const struct frame_table *frames, enum granularity by);

/* Returns whether the profile knows the lines of calls. */
bool frames_have_lines(const struct frame_table *frames);

/* Returns the noun for rows grouped so, such as "package"; MANY: its plural.
 */
const char *granularity_noun(enum granularity by, bool many);

/* A function, or a place in it. */
struct group_source {
  const char *name;
  const char *file; /* "" when not known */
  int64_t line;     /* 0 when not known */
  bool runtime;     /* a C function of the runtime */
};

/* Writes the name of SOURCE's group to SINK: from the function's name and its
 * place alone.
 *
 *   line     the function and its place, "F app.lisp:12"
 *   site     the same, to which the caller appends what tells them apart
 *   file     the source file, or [no file]
 *   package  Lisp: the package of the symbol that names the function or what
 *            it is local to, of the class when a method of ECL's own generic
 *            functions is specialised on one of another package, or [no
 *            package].  C++: the first part of a qualified name; Go: the
 *            package; else [C]
 *   class    Lisp: (CLASS C) for methods, and what is local to them, C being
 *            the first class but T that they are specialised on.  C++ and
 *            Go: what stands before the member's name.  Functions that belong
 *            to no class go by their own names
 *
 * What stands in brackets, such as [signal handler], is no function and keeps
 * its name.  Of C++ the name alone tells, so that a namespace may pass for a
 * class, and a class without a namespace for one. */
void group_name_write(enum granularity by, enum language language,
                      const struct group_source *source, struct sink *sink);

/* Returns whether the C++ function NAME, from the source FILE ("" when not
 * known), is one of the language's library or of what the compiler calls:
 * std::, __gnu_cxx::, __cxxabiv1::, the global operator new, __cxa_*; or one
 * from the library's headers, as templates and inlined functions can lack a
 * scope. */
bool is_cxx_runtime(const char *name, const char *file);
