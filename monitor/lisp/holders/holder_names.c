/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * holder_names.c -- see holder_names.h.
 */
#include "lisp/holders/holder_names.h"

#include <stdio.h>
#include <string.h>

#include "lisp/names/classify.h"
#include "lisp/names/lisp_printer.h"
#include "lisp/threads/threads.h"

enum { NAME_ROOM = 1000 }; /* longer ones are cut */

/* `category': one more than enum category; 0: it is none. */
static void
note(struct note_list *notes, uint32_t number, uint32_t what,
     uint32_t category, const char *name)
{
  note_add(notes, NOTE_HOLDER, number,
           what | (uint64_t)category << NOTE_CATEGORY_SHIFT, 0, name);
}

/* ---- names of Lisp ---- */

/* How many bytes of `text', which has `room', it takes. */
static size_t
print(cl_object x, enum lisp_named what, char *text, size_t room)
{
  struct lisp_printer out = {.at = text, .room = room - 1};
  lisp_printer_name(&out, x, what);
  lisp_printer_end(&out);
  return out.length < out.room ? out.length : out.room;
}

static void
print_thread(cl_object process, char *text, size_t room)
{
  const struct thread_state *const t = threads_find(process->process.env);
  if (t != NULL && t->label != NULL)
    snprintf(text, room, "%s", t->label);
  else
    print(process->process.name, NAMED_THREAD, text, room);
}

/* ---- roots ---- */

static const char *
base_name(const char *path)
{
  const char *const slash = path == NULL ? NULL : strrchr(path, '/');
  return slash != NULL ? slash + 1 : path != NULL ? path : "";
}

static void
print_code(cl_object code, char *text, size_t room)
{
  size_t length = (size_t)snprintf(text, room, "constants of ");
  if (ECL_STRINGP(code->cblock.name))
    print(code->cblock.name, NAMED_THREAD, text + length, room - length);
  else
    snprintf(text, room, "constants of code");
}

void
holder_note_root(struct note_list *notes, uint32_t number,
                 const struct root *root)
{
  char text[NAME_ROOM] = "";
  size_t length;
  uint32_t what = 0;
  switch (root->kind) {
  case ROOT_SYMBOL:
    print(root->lisp, NAMED_FUNCTION, text, sizeof text);
    what = t_symbol;
    break;
  case ROOT_BINDING:
    length = print(root->lisp, NAMED_FUNCTION, text, sizeof text / 2);
    length += (size_t)snprintf(text + length, 5, " in ");
    print_thread(root->process, text + length, sizeof text - length);
    break;
  case ROOT_PACKAGE:
    length = (size_t)snprintf(text, sizeof text, "package ");
    print(root->lisp->pack.name, NAMED_THREAD, text + length,
          sizeof text - length);
    what = t_package;
    break;
  case ROOT_CLASS:
    length = (size_t)snprintf(text, sizeof text, "class ");
    print(root->lisp, NAMED_CLASS, text + length, sizeof text - length);
    what = t_instance;
    break;
  case ROOT_CODE:
    print_code(root->lisp, text, sizeof text);
    what = t_codeblock;
    break;
  case ROOT_DATA:
    snprintf(text, sizeof text, "data of %s", base_name(root->file));
    break;
  case ROOT_STACK:
    length = (size_t)snprintf(text, sizeof text, "stack of ");
    print_thread(root->lisp, text + length, sizeof text - length);
    break;
  case ROOT_OTHER:
    snprintf(text, sizeof text, "[other roots]");
    break;
  }
  note(notes, number, what, what == 0 ? 0 : CATEGORY_OTHER + 1, text);
}

/* ---- objects ---- */

uint64_t
holder_type(const struct heap *heap, uint32_t number)
{
  const cl_object x = (cl_object)(uintptr_t)heap_address(heap, number);
  if ((heap_object(heap, number)->flags & IMAGE_CONS) != 0)
    return t_list;
  switch (x->d.t) {
  case t_instance: /* or memory that only looks like one */
    return heap_object_has(heap, number, sizeof x->instance) &&
                   heap_find(heap, (uintptr_t)x->instance.clas) != 0
               ? (uintptr_t)x->instance.clas
               : 0;
  case t_vector:
  case t_array:
    return (uint64_t)x->d.t | ECL_ALLOCATED_ELTTYPE((uint8_t)x->array.elttype) |
           (x->array.flags != 0 ? ECL_ALLOCATED_NOT_SIMPLE : 0);
  case t_stream:
    if (!heap_object_has(heap, number, sizeof x->stream))
      return 0;
    return (uint64_t)x->d.t | ECL_ALLOCATED_SMMODE((uint8_t)x->stream.mode);
  default: return x->d.t >= 0 && x->d.t < t_end ? (uint64_t)x->d.t : 0;
  }
}

void
holder_note_type(struct note_list *notes, uint32_t number, uint64_t type)
{
  const bool instance = type >> 20 != 0; /* it is the class */
  const uint32_t what = instance ? t_instance : (uint32_t)type;
  char text[NAME_ROOM];
  size_t length;
  if (instance)
    length = print((cl_object)(uintptr_t)type, NAMED_CLASS, text,
                   sizeof text / 2);
  else
    length =
        (size_t)snprintf(text, sizeof text, "%s", classify_type_name(what));
  snprintf(text + length, sizeof text - length, " (from before)");
  note(notes, number, what, classify_category(what) + 1, text);
}
