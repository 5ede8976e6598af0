/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * interpose_cxx.c -- operator new and operator delete, by their names in the
 * Itanium C++ ABI.
 *
 * Those of a C++ library, and of allocators, are malloc and free until malloc
 * fails; then they call the program's new-handler, and throw in the end.  So
 * they count as malloc and free here, and the real operator is called when
 * malloc has failed.  The operators of any other library are called, and what
 * they ask malloc for is counted.  So are the C++ library's, if a program
 * replaces some of its operators: the library's others call these.  C23's
 * free_sized and free_aligned_sized are treated the same way; many C libraries
 * lack them.
 *
 * Exceptions pass through the frames here.  None may have anything to clean
 * up: the linker put a part of an unwinder into this library, which does not
 * work with the unwinder that C++ uses. */
#include <dlfcn.h>
#include <string.h>

#include "c/interpose/interposed.h"
#include "c/interpose/objects.h"
#include "c/interpose/real_allocator.h"

enum operators {
  OPERATORS_UNKNOWN,
  OPERATORS_STANDARD, /* of a C++ library, or it is not known whose */
  OPERATORS_OF_ALLOCATOR,
  OPERATORS_FOREIGN /* or standard ones that call such */
};

/* An operator behind the one of that name here. */
struct cxx_operator {
  int kind;       /* enum operators */
  void *function; /* NULL: it has to be looked for from the caller's place */
};

static const void *
object_of_address(const void *address, const char **path)
{
  Dl_info info;
  *path = "";
  if (dladdr(address, &info) == 0)
    return NULL;
  if (info.dli_fname != NULL)
    *path = info.dli_fname;
  return info.dli_fbase;
}

static int
kind_of(void *function)
{
  const char *path, *allocator;
  void *real_malloc;
  if (function == NULL)
    return OPERATORS_STANDARD;
  memcpy(&real_malloc, &real.malloc, sizeof real_malloc);
  const void *object = object_of_address(function, &path);
  if (object != NULL && object == object_of_address(real_malloc, &allocator))
    return OPERATORS_OF_ALLOCATOR;
  path = basename(path); /* a folder may be named so */
  return strstr(path, "libstdc++") != NULL || strstr(path, "libc++") != NULL
             ? OPERATORS_STANDARD
             : OPERATORS_FOREIGN;
}

/* Returns whether the program or a library replaces an operator that others
 * of the C++ library call. */
static bool
has_replacement(void)
{
  static const char names[][24] = {
      "_Znwm",  "_Znam",  "_ZnwmSt11align_val_t",  "_ZnamSt11align_val_t",
      "_ZdlPv", "_ZdaPv", "_ZdlPvSt11align_val_t", "_ZdaPvSt11align_val_t"};
  const char *path;
  const void *const own = object_of_address(names, &path);
  bool found = false;
  for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++) {
    void *function = dlsym(RTLD_DEFAULT, names[i]);
    if (function != NULL && object_of_address(function, &path) == own)
      real_function(&function, names[i]);
    found = kind_of(function) == OPERATORS_FOREIGN;
  }
  return found;
}

static int
find_operator(struct cxx_operator *known, const char *name)
{
  void *function;
  this_thread.inside++;
  real_function(&function, name);
  int kind = kind_of(function);
  if (kind == OPERATORS_STANDARD && function != NULL && has_replacement())
    kind = OPERATORS_FOREIGN;
  __atomic_store_n(&known->function, function, __ATOMIC_RELAXED);
  __atomic_store_n(&known->kind, kind, __ATOMIC_RELEASE);
  this_thread.inside--;
  return kind;
}

static inline int
kind_of_operator(struct cxx_operator *known, const char *name)
{
  const int kind = __atomic_load_n(&known->kind, __ATOMIC_ACQUIRE);
  return __builtin_expect(kind != OPERATORS_UNKNOWN, 1)
             ? kind
             : find_operator(known, name);
}

/* Returns the operator that the library of the caller finds by way of its own
 * dependencies, as one in C++ that a program in C loads; NULL without a
 * library that has it. */
static void *
find_from(const void *caller, const char *name)
{
  const char *path;
  void *library, *function = NULL;
  this_thread.inside++;
  if (object_of_address(caller, &path) != NULL) {
    library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL) {
      function = dlsym(library, name);
      real.dlclose(library); /* which is not the program's call */
    }
  }
  this_thread.inside--;
  return function;
}

static inline void *
allocate_aligned(size_t bytes, size_t alignment, const uintptr_t *frame)
{
  void *p = NULL;
  if (alignment < sizeof(void *))
    alignment = sizeof(void *);
  return interposed_memalign(&p, alignment, bytes, frame) == 0 ? p : NULL;
}

#define NEW_OPERATOR(name, request, parameters, arguments)                   \
  EXPORT void *name parameters;                                              \
  EXPORT void *name parameters                                               \
  {                                                                          \
    static struct cxx_operator known;                                        \
    const int kind = kind_of_operator(&known, #name);                        \
    void *(*function)parameters;                                             \
    void *found, *p;                                                         \
    if (kind != OPERATORS_FOREIGN) {                                         \
      p = request;                                                           \
      if (__builtin_expect(p != NULL, 1))                                    \
        return p;                                                            \
    }                                                                        \
    found = known.function;                                                  \
    if (found == NULL)                                                       \
      found = find_from(__builtin_return_address(0), #name);                 \
    if (found == NULL)                                                       \
      return NULL;                                                           \
    memcpy(&function, &found, sizeof function);                              \
    p = function arguments;                                                  \
    if (kind != OPERATORS_OF_ALLOCATOR)                                      \
      return p;                                                              \
    this_thread.inside++; /* it had memory after all */                      \
    return objects_register_bare(p, bytes, FRAME);                           \
  }

#define DELETE_OPERATOR(name, parameters, arguments)                         \
  EXPORT void name parameters;                                               \
  EXPORT void name parameters                                                \
  {                                                                          \
    static struct cxx_operator known;                                        \
    void(*function) parameters;                                              \
    if (kind_of_operator(&known, #name) == OPERATORS_FOREIGN) {              \
      memcpy(&function, &known.function, sizeof function);                   \
      function arguments;                                                    \
    } else {                                                                 \
      free(p);                                                               \
    }                                                                        \
  }

void free(void *p);

/* new and new[]: plain, nothrow, aligned, aligned and nothrow */
#define NEW(suffix, request, parameters, arguments)                          \
  NEW_OPERATOR(_Znw##suffix, request, parameters, arguments)                 \
  NEW_OPERATOR(_Zna##suffix, request, parameters, arguments)
#define PLAIN interposed_malloc(bytes, FRAME)
#define ALIGNED allocate_aligned(bytes, alignment, FRAME)
NEW(m, PLAIN, (size_t bytes), (bytes))
NEW(mRKSt9nothrow_t, PLAIN, (size_t bytes, const void *t), (bytes, t))
NEW(mSt11align_val_t, ALIGNED, (size_t bytes, size_t alignment),
    (bytes, alignment))
NEW(mSt11align_val_tRKSt9nothrow_t, ALIGNED,
    (size_t bytes, size_t alignment, const void *t), (bytes, alignment, t))

/* delete and delete[]: plain, nothrow, with the size, with the alignment */
#define DELETE(suffix, parameters, arguments)                                \
  DELETE_OPERATOR(_Zdl##suffix, parameters, arguments)                       \
  DELETE_OPERATOR(_Zda##suffix, parameters, arguments)
DELETE(Pv, (void *p), (p))
DELETE(PvRKSt9nothrow_t, (void *p, const void *t), (p, t))
DELETE(Pvm, (void *p, size_t bytes), (p, bytes))
DELETE(PvSt11align_val_t, (void *p, size_t alignment), (p, alignment))
DELETE(PvmSt11align_val_t, (void *p, size_t bytes, size_t alignment),
       (p, bytes, alignment))
DELETE(PvSt11align_val_tRKSt9nothrow_t,
       (void *p, size_t alignment, const void *t), (p, alignment, t))

DELETE_OPERATOR(free_sized, (void *p, size_t bytes), (p, bytes))
DELETE_OPERATOR(free_aligned_sized, (void *p, size_t alignment, size_t bytes),
                (p, alignment, bytes))
