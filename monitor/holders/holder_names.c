/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * holder_names.c -- see holder_names.h.
 */
#include "holders/holder_names.h"

#include <stdio.h>
#include <string.h>

#include "names/classify.h"
#include "names/lisp_printer.h"
#include "threads/threads.h"

enum { NAME_ROOM = 1000 }; /* longer ones are cut */

static uint32_t
add_holder(struct holder_names *n, const char *name, struct holder holder)
{
  const uint32_t before = n->names.count;
  const uint32_t number = intern_text(&n->names, name);
  const size_t bytes = (number + (size_t)1) * sizeof holder;
  if (number <= before)
    return number;
  if (n->holders.reserved_bytes < bytes &&
      arena_grow(&n->holders, 2 * bytes) != 0)
    return 0;
  ((struct holder *)n->holders.base)[number] = holder;
  return number;
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

uint32_t
holder_of_root(struct holder_names *n, const struct root *root)
{
  char text[NAME_ROOM] = "";
  size_t length;
  struct holder holder = {0};
  switch (root->kind) {
  case ROOT_SYMBOL:
    print(root->lisp, NAMED_FUNCTION, text, sizeof text);
    holder.what = t_symbol;
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
    holder.what = t_package;
    break;
  case ROOT_CLASS:
    length = (size_t)snprintf(text, sizeof text, "class ");
    print(root->lisp, NAMED_CLASS, text + length, sizeof text - length);
    holder.what = t_instance;
    break;
  case ROOT_CODE:
    print_code(root->lisp, text, sizeof text);
    holder.what = t_codeblock;
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
  if (holder.what != 0)
    holder.category = CATEGORY_OTHER + 1;
  return add_holder(n, text, holder);
}

/* ---- objects ---- */

/* What tells the types of uncounted objects apart: as the hook is told of
 * those that are counted, or the class of an instance. */
static uint64_t
type_of_object(const struct heap *heap, const struct heap_object *object)
{
  const cl_object x = (cl_object)(uintptr_t)object->address;
  if ((object->flags & HEAP_CONS) != 0)
    return t_list;
  switch (x->d.t) {
  case t_instance: /* or memory that only looks like one */
    return heap_object_has(object, sizeof x->instance) &&
                   heap_find(heap, (uintptr_t)x->instance.clas) != 0
               ? (uintptr_t)x->instance.clas
               : 0;
  case t_vector:
  case t_array:
    return (uint64_t)x->d.t | ECL_ALLOCATED_ELTTYPE((uint8_t)x->array.elttype) |
           (x->array.flags != 0 ? ECL_ALLOCATED_NOT_SIMPLE : 0);
  case t_stream:
    if (!heap_object_has(object, sizeof x->stream))
      return 0;
    return (uint64_t)x->d.t | ECL_ALLOCATED_SMMODE((uint8_t)x->stream.mode);
  default: return x->d.t >= 0 && x->d.t < t_end ? (uint64_t)x->d.t : 0;
  }
}

static uint32_t
make_holder_of_type(struct holder_names *n, uint64_t type)
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
  return add_holder(
      n, text,
      (struct holder){.what = what, .category = classify_category(what) + 1});
}

uint32_t
holder_of_object(struct holder_names *n, const struct heap_object *object)
{
  const uint32_t before = n->of_types.count;
  const uint64_t type = type_of_object(n->heap, object);
  const uint32_t number = intern_key(&n->of_types, type);
  const size_t bytes = (number + (size_t)1) * sizeof(uint32_t);
  uint32_t *of_type;
  if (number == 0 || (n->of_type.reserved_bytes < bytes &&
                      arena_grow(&n->of_type, 2 * bytes) != 0))
    return 0;
  of_type = (uint32_t *)n->of_type.base + number;
  if (number > before)
    *of_type = make_holder_of_type(n, type);
  return *of_type;
}

void
holder_names_release(struct holder_names *n)
{
  intern_table_release(&n->names);
  arena_release(&n->holders);
  arena_release(&n->of_type);
  intern_table_release(&n->of_types);
}
