/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * holder_names.c -- a holder is its name: what has the same one is the same.
 */
#include "holders/holder_names.h"

#include <stdio.h>
#include <string.h>

#include "common/system_functions.h"
#include "names/classify.h"
#include "names/kept_objects.h"
#include "names/lisp_functions.h"
#include "names/lisp_printer.h"
#include "threads/threads.h"

enum { NAME_ROOM = 1000 }; /* longer ones are cut */

static uint32_t
add_holder(struct holder_names *n, const char *name, struct holder holder)
{
  struct holders *const h = n->holders;
  const uint32_t before = h->names.count;
  const uint32_t number = intern_text(&h->names, name);
  const size_t bytes = (number + (size_t)1) * sizeof holder;
  if (number <= before)
    return number;
  if (h->holders.reserved_bytes < bytes &&
      arena_grow(&h->holders, 2 * bytes) != 0)
    return 0;
  ((struct holder *)h->holders.base)[number] = holder;
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
    holder.type = classify_type_name(t_symbol);
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
    holder.type = classify_type_name(t_package);
    break;
  case ROOT_CLASS:
    length = (size_t)snprintf(text, sizeof text, "class ");
    print(root->lisp, NAMED_CLASS, text + length, sizeof text - length);
    holder.type = classify_type_name(t_instance);
    break;
  case ROOT_CODE:
    print_code(root->lisp, text, sizeof text);
    holder.type = classify_type_name(t_codeblock);
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
  if (holder.type != NULL)
    holder.category = classify_category_name(CATEGORY_OTHER);
  return add_holder(n, text, holder);
}

uint32_t
holder_of_both(struct holder_names *n, uint32_t a, uint32_t b, bool others)
{
  const struct intern_table *const names = &n->holders->names;
  char text[2 * NAME_ROOM];
  const char *one, *two;
  int order;
  if (a == 0 || b == 0)
    return 0;
  one = intern_table_text(names, a);
  two = intern_table_text(names, b);
  order = strcmp(one, two);
  if (order == 0)
    snprintf(text, sizeof text, "%s and others", one);
  else
    snprintf(text, sizeof text, others ? "%s, %s and others" : "%s and %s",
             order < 0 ? one : two, order < 0 ? two : one);
  return add_holder(n, text, (struct holder){0});
}

/* ---- objects ---- */

static struct holder_leaf
find_leaf(uint32_t leaf)
{
  for (const struct thread_state *t = monitor.threads; t != NULL;
       t = t->next) {
    if (leaf < t->tree.leaf_count)
      return (struct holder_leaf){t, &t->tree.leaves[leaf]};
    leaf -= t->tree.leaf_count;
  }
  return (struct holder_leaf){0};
}

uint32_t
holder_first_leaf(const struct thread_state *thread)
{
  uint32_t first = 0;
  for (const struct thread_state *t = monitor.threads; t != thread;
       t = t->next)
    first += t->tree.leaf_count;
  return first;
}

/* The name of a function that shows; *own: it is not one of ECL's. */
static const char *
shown_name(uint32_t function, bool *own)
{
  const struct code_function *f;
  *own = false;
  if ((function & FUNCTION_NUMBER) == 0 || (function & FUNCTION_HIDDEN) != 0)
    return NULL;
  f = site_function(function & FUNCTION_NUMBER);
  *own = f->name != NULL &&
         !is_system_function(f->name, f->file == NULL ? "" : f->file);
  return f->name;
}

/* The innermost function on its path that is the program's, or else that
 * shows; NULL: there is none. */
static const char *
function_name(const struct holder_leaf *l)
{
  const struct context *const contexts = l->thread->tree.contexts;
  bool own = false;
  const char *name = (l->leaf->site & SITE_SPECIAL) != 0
                         ? NULL
                         : shown_name(l->leaf->function, &own);
  for (uint32_t c = l->leaf->up; !own && c >= CONTEXT_FIRST;
       c = contexts[c].parent) {
    const char *const caller = shown_name(contexts[c].function, &own);
    if (own || name == NULL)
      name = caller;
  }
  return name;
}

static uint32_t
make_holder_of_leaf(struct holder_names *n, uint32_t leaf)
{
  const struct holder_leaf l = find_leaf(leaf);
  const struct kind *const kind = context_tree_kind(&l.thread->tree, l.leaf);
  const char *const function = function_name(&l);
  const char *const class =
      kind->clas == 0
          ? NULL
          : kept_objects_class_name((cl_object)(uintptr_t)kind->clas);
  const struct holder holder = {
      .type = class != NULL && lisp_printer_is_structure(
                                   (cl_object)(uintptr_t)kind->clas)
                  ? "STRUCTURE"
                  : classify_type_name(kind->what),
      .class = class,
      .category = classify_category_name(classify_category(kind->what))};
  char text[NAME_ROOM];
  snprintf(text, sizeof text, "%s%s%s", class != NULL ? class : holder.type,
           function != NULL ? " by " : "", function != NULL ? function : "");
  return add_holder(n, text, holder);
}

uint32_t
holder_of_leaf(struct holder_names *n, uint32_t leaf)
{
  const size_t bytes = (leaf + (size_t)1) * sizeof(uint32_t);
  uint32_t *of_leaf;
  if (n->of_leaves.reserved_bytes < bytes &&
      arena_grow(&n->of_leaves, 2 * bytes) != 0)
    return 0;
  of_leaf = (uint32_t *)n->of_leaves.base + leaf;
  if (*of_leaf == 0)
    *of_leaf = make_holder_of_leaf(n, leaf);
  return *of_leaf;
}

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
      (struct holder){.type = classify_type_name(what),
                      .category =
                          classify_category_name(classify_category(what))});
}

uint32_t
holder_of_object(struct holder_names *n, const struct heap_object *object)
{
  const uint32_t before = n->of_types.count;
  const uint64_t type = type_of_object(&n->holders->heap, object);
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
  arena_release(&n->of_leaves);
  arena_release(&n->of_type);
  intern_table_release(&n->of_types);
}
