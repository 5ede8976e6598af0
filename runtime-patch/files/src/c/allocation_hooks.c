/* -*- Mode: C; c-basic-offset: 2; indent-tabs-mode: nil -*- */
/* vim: set filetype=c tabstop=2 shiftwidth=2 expandtab: */

/*
 * allocation_hooks.c -- allocators that tell a monitor more than a type
 *
 * A part of alloc_2.d with --enable-allocation-hooks; its functions are
 * declared in allocation_monitor.h.  Each allocates as its namesake in alloc_2.d
 * does, and announces what only its caller knows: the owner of a body, the
 * class of an instance, the element type of an array.
 */

#if defined(ENABLE_DLOPEN) && defined(HAVE_DLFCN_H)
# include <dlfcn.h>
# include <link.h>
#endif

struct ecl_allocation_monitor ecl_allocation_monitor = {
  ECL_ALLOCATION_MONITOR_VERSION, NULL, ECL_FRAME_WORDS_HERE
};

/* -- Objects ---------------------------------------------------------------- */

static inline cl_object
alloc_kind(cl_type t, cl_index what, void *frame)
{
  const cl_env_ptr the_env = ecl_process_env();
  const cl_index kind = ECL_ALLOCATED_KIND(t | what, type_info[t].size);
  cl_object obj;
  ecl_disable_interrupts_env(the_env);
  obj = (cl_object)GC_MALLOC(type_info[t].size);
  ECL_ALLOCATED_FROM(the_env, frame, kind, obj);
  ecl_enable_interrupts_env(the_env);
  obj->d.t = (int8_t)kind; /* the type is its lowest byte */
  return obj;
}

cl_object
_ecl_alloc_kind(cl_type t, cl_index what)
{
  return alloc_kind(t, what, ECL_FRAME_ADDRESS());
}

/* A simple vector of objects, without its body. */
cl_object
_ecl_alloc_vector_from(void *frame)
{
  cl_object x = alloc_kind(t_vector, 0, frame);
  x->vector.elttype = ecl_aet_object;
  x->vector.flags = 0;
  x->vector.displaced = ECL_NIL;
  x->vector.self.t = NULL;
  return x;
}

cl_object
ecl_cons_for_variable(cl_object value, cl_object more)
{
  const cl_env_ptr the_env = ecl_process_env();
  struct ecl_cons *obj;
  ecl_disable_interrupts_env(the_env);
  obj = GC_MALLOC(sizeof(struct ecl_cons));
  ECL_ALLOCATED(the_env, t_list | ECL_ALLOCATED_FOR(ECL_FOR_variable),
                sizeof(struct ecl_cons), obj);
  ecl_enable_interrupts_env(the_env);
  obj->car = value;
  obj->cdr = more;
#ifdef ECL_SMALL_CONS
  return ECL_PTR_CONS(obj);
#else
  obj->t = t_list;
  return (cl_object)obj;
#endif
}

cl_object
_ecl_alloc_float(cl_index kind, void *frame)
{
  const cl_env_ptr the_env = ecl_process_env();
  cl_object obj;
  ecl_disable_interrupts_env(the_env);
  obj = (cl_object)GC_MALLOC_ATOMIC(kind >> ECL_ALLOCATED_BYTES_SHIFT);
  ECL_ALLOCATED_FROM(the_env, frame, kind, obj);
  ecl_enable_interrupts_env(the_env);
  obj->d.t = (int8_t)kind; /* the type is its lowest byte */
  return obj;
}

cl_object
_ecl_alloc_compact_array(cl_type t, cl_index what, cl_index extra_space,
                         void *frame)
{
  const cl_env_ptr the_env = ecl_process_env();
  const cl_index size = type_info[t].size;
  cl_object x;
  ecl_disable_interrupts_env(the_env);
  x = (cl_object)GC_MALLOC_ATOMIC(size + extra_space);
  ECL_ALLOCATED_FROM(the_env, frame,
                     ECL_ALLOCATED_KIND(t | what, size + extra_space), x);
  ecl_enable_interrupts_env(the_env);
  x->array.t = t;
  x->array.displaced = (void*)(((char*)x) + size);
  return x;
}

/* The object and its slots are one event. */
cl_object
_ecl_alloc_instance_of(cl_object clas, cl_index slots, void *frame)
{
  const cl_env_ptr the_env = ecl_process_env();
  const cl_index size = type_info[t_instance].size;
  cl_object i;
  ecl_disable_interrupts_env(the_env);
  i = (cl_object)GC_MALLOC(size);
  i->d.t = t_instance;
  /* The next request may run finalizers; the environment may be read-only. */
  the_env->interrupt_struct->instances_begun++;
  i->instance.slots = (cl_object *)ecl_alloc_unprotected(sizeof(cl_object) * slots);
  the_env->interrupt_struct->instances_begun--;
  if (ecl_unlikely(the_env->allocation_hooks != NULL))
    i = the_env->allocation_hooks->instance_allocated
      (the_env->allocation_hooks, frame,
       ECL_ALLOCATED_KIND(t_instance | ECL_ALLOCATED_SPLIT,
                          size + sizeof(cl_object) * slots), i, clas);
  ecl_enable_interrupts_env(the_env);
  i->instance.length = slots;
  i->instance.entry = FEnot_funcallable_vararg;
  i->instance.slotds = ECL_UNBOUND;
  return i;
}

cl_object
ecl_alloc_instance(cl_index slots)
{
  return _ecl_alloc_instance_of(OBJNULL, slots, ECL_FRAME_ADDRESS());
}

/* -- Memory ----------------------------------------------------------------- */

#define MEMORY(name, parameter, request, announce)      \
  void *                                                \
  name(parameter, cl_index n)                           \
  {                                                     \
    const cl_env_ptr the_env = ecl_process_env();       \
    void *output;                                       \
    ecl_disable_interrupts_env(the_env);                \
    output = request(n);                                \
    announce;                                           \
    ecl_enable_interrupts_env(the_env);                 \
    return output;                                      \
  }
#define BODY(name, request)                                             \
  MEMORY(name, cl_object owner, request,                                \
         if (ecl_unlikely(the_env->allocation_hooks != NULL))           \
           the_env->allocation_hooks->body(the_env->allocation_hooks,   \
                                           ECL_FRAME_ADDRESS(), owner,  \
                                           n, output))
#define PART(name, request)                                             \
  MEMORY(name, cl_type t, request,                                      \
         ECL_ALLOCATED(the_env, t | ECL_ALLOCATED_RAW, n, output))

BODY(ecl_alloc_body, ecl_alloc_unprotected)
BODY(ecl_alloc_atomic_body, ecl_alloc_atomic_unprotected)
BODY(ecl_alloc_uncollectable_body, GC_MALLOC_UNCOLLECTABLE)
PART(_ecl_alloc_part, ecl_alloc_unprotected)
PART(_ecl_alloc_atomic_part, ecl_alloc_atomic_unprotected)
PART(_ecl_alloc_uncollectable_part, GC_MALLOC_UNCOLLECTABLE)

/* -- Compiled code ---------------------------------------------------------- */

/* Called by the initialization of each compiled file, when the runtime boots
 * (one thread, no locks yet) or under the global lock of LOAD. */
void
ecl_register_function_names(struct ecl_function_names *n)
{
  struct ecl_function_names *i = ecl_allocation_monitor.names;
  while (i != NULL && i != n)
    i = i->next;
  if (i == NULL) {
    n->next = ecl_allocation_monitor.names;
    /* a monitor may be reading the list without the lock */
    __atomic_store_n(&ecl_allocation_monitor.names, n, __ATOMIC_RELEASE);
    ECL_MONITOR_EVENT(names_added, (n));
  }
}

/* The monitor takes what it needs, then the name tables that lie in the library
 * leave the list. */
void
_ecl_block_unload(cl_object block)
{
#if defined(RTLD_DI_LINKMAP) || defined(__GLIBC__)
  struct ecl_function_names **p = &ecl_allocation_monitor.names;
  struct link_map *map = NULL;
  Dl_info info;
  if (dlinfo(block->cblock.handle, RTLD_DI_LINKMAP, &map) != 0
      || dladdr((void *)map->l_ld, &info) == 0)
    return;
  ECL_MONITOR_EVENT(block_unload, (block, info.dli_fbase));
  while (*p != NULL) {
    Dl_info owner;
    if (dladdr((void *)*p, &owner) != 0
        && owner.dli_fbase == info.dli_fbase)
      *p = (*p)->next;
    else
      p = &(*p)->next;
  }
#endif
}
