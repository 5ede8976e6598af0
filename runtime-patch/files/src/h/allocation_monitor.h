/* -*- Mode: C; c-basic-offset: 2; indent-tabs-mode: nil -*- */
/* vim: set filetype=c tabstop=2 shiftwidth=2 expandtab: */

/*
 * allocation_monitor.h -- events that an allocation profiler listens to
 *
 * There are such events when ECL is configured with the option
 * --enable-allocation-hooks.  Without it all macros below are empty.
 *
 * Model.  A monitor is a shared library that is loaded at run time.  It
 * fills in `ecl_allocation_monitor', the one table for the whole process,
 * and it hangs a `struct ecl_allocation_hooks' into the environment of each
 * thread that it counts (env->allocation_hooks).  With no monitor that
 * pointer is NULL, and an allocation pays for one load from a cache line
 * that it reads anyway and one branch that is never taken.
 *
 * Two kinds of events.  The hooks of a thread are called in that thread,
 * with Lisp interrupts disabled, after the collector has given out the
 * memory and before the caller sees it.  They must not allocate from the
 * collector, take a lock that is held while Lisp code runs, signal a
 * condition, or leave by a jump.  A failed allocation never reaches them.
 * The events of the process are rare.  They are called with interrupts as
 * they happen to be; what each may do is said beside it.
 *
 * Units.  Bytes are those requested, before the collector rounds them up.
 */

#ifndef ECL_ALLOCATION_MONITOR_H
#define ECL_ALLOCATION_MONITOR_H

#ifndef ECL_VERSION_NUMBER
# include <ecl/config.h>
#endif

#ifdef ECL_ALLOCATION_HOOKS

#ifdef __cplusplus
extern "C" {
#endif

struct cl_env_struct;
union cl_lispunion;

/* A monitor that is made for another version must not start. */
#define ECL_ALLOCATION_MONITOR_VERSION 10

/* What was allocated, in one word: bits 0-7 cl_type, bits 8-15 one more than
   the cl_elttype of an array or the ecl_smmode of a stream (0: neither, or
   not known yet), then: */
#define ECL_ALLOCATED_ELTTYPE(aet) (((cl_index)(aet) + 1) << 8)
#define ECL_ALLOCATED_SMMODE(smm)  (((cl_index)(smm) + 1) << 8)
#define ECL_ALLOCATED_RAW   0x10000 /* plain memory: no object.  With a type,
                                       it serves objects of that type; with
                                       t_start, nobody knows what for. */
#define ECL_ALLOCATED_SPLIT 0x20000 /* `bytes' is the header of the type and a
                                       body, two requests to the collector */
#define ECL_ALLOCATED_NOT_SIMPLE 0x40000 /* an array that is adjustable, is
                                       displaced or has a fill pointer */
#define ECL_ALLOCATED_MALLOC 0x80000 /* from malloc: the collector does not
                                       count it */

/* Of a float, bits 8-15 tell for what the compiler needed an object, when it
   had the number in a variable of C: the argument of a function which is
   called, arithmetic on objects, an element of a list or of an array of
   objects, a slot of a structure or an instance, a special variable, a
   temporary variable of the compiler's, the value of a function, or a variable
   that is closed over or of no C type.  The function that made the object,
   ecl_double_float_for_argument and so on, is the allocator itself.  A cons has
   the same bits if it is of a variable that is closed over. */
#define ECL_EACH_REASON(what)                           \
  what(argument) what(arithmetic) what(element)         \
  what(slot) what(special) what(temporary)              \
  what(value) what(variable)
#define ECL_FOR(reason) ECL_FOR_##reason
#define ECL_FOR_COMMA(reason) ECL_FOR(reason),
enum ecl_reason { ECL_FOR_CALLER, ECL_EACH_REASON(ECL_FOR_COMMA) ECL_REASONS };
#define ECL_ALLOCATED_FOR(reason) ((cl_index)(reason) << 8)
#define ECL_REASON(kind) ((unsigned)(kind) >> 8 & 0xFF)

/* The same with how many bytes, as requested, before the collector rounds: what
   the hooks get, for a word is compared at once.  Where a word has 32 bits,
   sizes of 4096 bytes and more are cut off. */
#define ECL_ALLOCATED_BYTES_SHIFT 20
#define ECL_ALLOCATED_KIND(what, bytes)                                 \
  ((cl_index)(what) | (cl_index)(bytes) << ECL_ALLOCATED_BYTES_SHIFT)

/* The events of a thread.  `self' is what hangs in its environment, so a
   monitor may put its own data behind these members.

   `frame' is the frame address of the allocator itself: the word there is the
   caller's frame pointer, the next one the return address into the function
   that asked for the object.  It is NULL where the compiler has no way to
   tell it. */
struct ecl_allocation_hooks {
  /* An object without a class (or, with ECL_ALLOCATED_RAW, plain memory) was
     allocated.  `kind': ECL_ALLOCATED_KIND.  The object has no contents yet.
     Gives back `object', which the allocator so need not keep. */
  void *(*allocated)(struct ecl_allocation_hooks *self, void *frame,
                     cl_index kind, void *object);
  /* The same for an instance or structure of `clas' (or OBJNULL), its slots
     included. */
  void *(*instance_allocated)(struct ecl_allocation_hooks *self, void *frame,
                              cl_index kind, void *object,
                              union cl_lispunion *clas);
  /* `owner', an object whose header is filled in, got `memory' of `bytes' as a
     body (or one more): the data of an array, the entries of a hash table. */
  void (*body)(struct ecl_allocation_hooks *self, void *frame,
               union cl_lispunion *owner, cl_index bytes, void *memory);
  /* The collector made a record of its own, of `bytes': it counts that like an
     allocation, but it is none. */
  void (*collector_record)(struct ecl_allocation_hooks *self,
                           cl_index bytes);
};

/* The Lisp name of a compiled function; its C code starts at `entry'. */
struct ecl_function_name {
  const void *entry;
  const char *name;       /* UTF-8 */
  int file_position;      /* of the top-level form, in characters; -1: none */
};

/* Frame words.  A function that has one keeps a word in its frame for a
   monitor, sets it to zero when it is entered, and never looks at it again.  A
   monitor that walks the stack writes there what it knows of the frame; so it
   can tell a frame that it has met from a new one, at no cost but that store,
   and needs no event when a function returns or is left by a jump.

   ECL_FRAME_WORD declares the word; it is the first thing in a function.  A
   record of the store lies in the section ecl_frame_words: the distance from
   the record to the instruction, from whose operand a monitor learns where the
   word is, relative to the frame pointer.  Where a function was inlined, its
   own record stands behind that of the function around it.

   There are frame words when ECL is configured with --enable-frame-words, so
   far with GCC or Clang for x86-64 under Linux, and with GCC for AArch64.
   Without them a monitor meets each frame as if for the first time. */
#ifdef ECL_FRAME_WORDS
# ifdef __aarch64__
#  define ECL_STORE_ZERO "str xzr, %0"
# else
#  define ECL_STORE_ZERO "movq $0, %0"
# endif
# define ECL_SET_FRAME_WORD(word)                                       \
  __asm__ __volatile__                                                  \
    ("1:\t" ECL_STORE_ZERO "\n"                                         \
     "\t.pushsection ecl_frame_words,\"a\",@progbits\n"                 \
     "\t.balign 4\n"                                                    \
     "\t.long 1b - .\n"                                                 \
     "\t.popsection" : "=m" (word));
# define ECL_FRAME_WORD                                                 \
  cl_index __frame_word;                                                \
  ECL_SET_FRAME_WORD(__frame_word)

/* In the frame of the byte-code interpreter stands above the frame word which
   function it runs. */
struct ecl_interpreter_words {
  cl_index frame_word;
  union cl_lispunion *bytecodes;
};
#else
# define ECL_FRAME_WORD
#endif

/* All records of the library or program that this is compiled into; an int has
   the 32 bits of a record. */
struct ecl_frame_words {
  const int *begin, *end;
};
#ifdef ECL_FRAME_WORDS
extern const int __start_ecl_frame_words[]
  __attribute__((weak, visibility("hidden")));
extern const int __stop_ecl_frame_words[]
  __attribute__((weak, visibility("hidden")));
# define ECL_FRAME_WORDS_HERE { __start_ecl_frame_words, __stop_ecl_frame_words }
#else
# define ECL_FRAME_WORDS_HERE { NULL, NULL }
#endif

/* The names of one compiled file.  Static in the compiled code; linked into
   ecl_allocation_monitor.names while that code is loaded. */
struct ecl_function_names {
  struct ecl_function_names *next;
  const char *file;       /* source file, or NULL */
  const struct ecl_function_name *names; /* ends with entry == NULL */
  struct ecl_frame_words words;
};

/* The events of the process.  A monitor fills them in; NULL: nobody listens. */
struct ecl_allocation_monitor {
  int version;            /* ECL_ALLOCATION_MONITOR_VERSION */
  struct ecl_function_names *names; /* changed under the global lock */
  struct ecl_frame_words words;     /* of the runtime */
  /* In each thread but the first, before the Lisp function that it runs: the
     place to set env->allocation_hooks.  Interrupts are disabled, or, in a
     thread that ecl_import_current_thread takes in, enabled. */
  void (*thread_start)(struct cl_env_struct *env);
  /* In that thread, after all Lisp code; interrupts are disabled.  The place to
     reset env->allocation_hooks: the environment is freed next. */
  void (*thread_end)(struct cl_env_struct *env);
  /* A compiled file was loaded, before any of its code runs; under the global
     lock of LOAD. */
  void (*names_added)(struct ecl_function_names *names);
  /* The shared object at `base' (as dladdr gives it) is about to be closed;
     all names in it are still readable.  Under the global lock of LOAD. */
  void (*block_unload)(union cl_lispunion *block, void *base);
  /* An object, a body or plain memory is about to be given back to the
     collector, which does not find out by itself that it is dead.  Lisp
     interrupts are disabled. */
  void (*freed)(void *memory);
};

extern ECL_API struct ecl_allocation_monitor ecl_allocation_monitor;
extern ECL_API void ecl_register_function_names(struct ecl_function_names *n);

/* What the compiler calls for an object of a number of C. */
#define ECL_BOXES_FOR(reason)                                           \
  extern ECL_API union cl_lispunion *ecl_integer_for_##reason(cl_fixnum i); \
  extern ECL_API union cl_lispunion *ecl_unsigned_integer_for_##reason(cl_index i); \
  extern ECL_API union cl_lispunion *ecl_single_float_for_##reason(float f); \
  extern ECL_API union cl_lispunion *ecl_double_float_for_##reason(double f); \
  extern ECL_API union cl_lispunion *ecl_long_float_for_##reason(long double f);
ECL_EACH_REASON(ECL_BOXES_FOR)
#ifdef ECL_COMPLEX_FLOAT
# define ECL_COMPLEX_BOXES_FOR(reason)                                  \
  extern ECL_API union cl_lispunion *ecl_csfloat_for_##reason(float _Complex x); \
  extern ECL_API union cl_lispunion *ecl_cdfloat_for_##reason(double _Complex x); \
  extern ECL_API union cl_lispunion *ecl_clfloat_for_##reason(long double _Complex x);
ECL_EACH_REASON(ECL_COMPLEX_BOXES_FOR)
#endif

/* ecl_cons, for a variable that is closed over. */
extern ECL_API union cl_lispunion *
ecl_cons_for_variable(union cl_lispunion *value, union cl_lispunion *more);

/* Call an event of the process, if somebody listens. */
#define ECL_MONITOR_EVENT(event, arguments)                             \
  do {                                                                  \
    if (ecl_allocation_monitor.event != NULL)                           \
      ecl_allocation_monitor.event arguments;                           \
  } while (0)

/* The address of the frame of the function that uses this; because of it GCC
   gives that function a frame. */
#if defined(__GNUC__)
# define ECL_FRAME_ADDRESS() __builtin_frame_address(0)
#else
# define ECL_FRAME_ADDRESS() NULL
#endif

/* -- For the runtime alone -------------------------------------------------- */

/* An additional argument or a statement, which is there only with hooks.  The
   other one is for the parameter of a function that has none without them. */
#define ECL_HOOKED(...) __VA_ARGS__
#define ECL_HOOKED_OR_VOID(parameter) parameter

/* In an allocator, with interrupts disabled.  `env' is the environment of the
   thread.  The caller of `frame' is charged; a constructor passes its own, so
   that it counts as the allocator. */
#define ECL_ALLOCATED(env, what, bytes, object)                         \
  ECL_ALLOCATED_FROM(env, ECL_FRAME_ADDRESS(),                          \
                     ECL_ALLOCATED_KIND(what, bytes), object)
#define ECL_ALLOCATED_FROM(env, frame, kind, object)                    \
  do {                                                                  \
    struct ecl_allocation_hooks *__h = (env)->allocation_hooks;         \
    if (ecl_unlikely(__h != NULL))                                      \
      object = __h->allocated(__h, frame, kind, object);                \
  } while (0)

/* The collector's records for a finalizer and for a weak link; bdwgc 8 keeps
   them in structs of its own.  `env' is NULL in a thread that has none yet. */
#define ECL_FINALIZER_RECORD_BYTES (6 * sizeof(void *))
#define ECL_WEAK_LINK_RECORD_BYTES (3 * sizeof(void *))
#define ECL_COLLECTOR_RECORD(env, bytes)                                \
  do {                                                                  \
    const cl_env_ptr __e = (env);                                       \
    if (__e != NULL && __e->allocation_hooks != NULL)                   \
      __e->allocation_hooks->collector_record(__e->allocation_hooks,    \
                                              bytes);                   \
  } while (0)

/* Around Lisp code that the collector runs in the middle of an allocation.  An
   interrupt that waits is taken before it, and the allocation goes on with
   interrupts as it left them. */
#define ECL_FINALIZER_BEGIN                                             \
  do {                                                                  \
    const cl_env_ptr __e = ecl_process_env();                           \
    const int __disabled = __e->disable_interrupts;                     \
    ecl_enable_interrupts_env(__e);
#define ECL_FINALIZER_END                                               \
    __e->disable_interrupts = __disabled;                               \
  } while (0);

/* Allocators of memory that is the body of `owner', and of memory that serves
   objects of type `t' and is the body of none.  A file whose memory all serves
   one type defines ECL_MEMORY_SERVES before it includes ecl.h. */
extern ECL_API void *ecl_alloc_body(cl_object owner, cl_index n);
extern ECL_API void *ecl_alloc_atomic_body(cl_object owner, cl_index n);
extern ECL_API void *ecl_alloc_uncollectable_body(cl_object owner, cl_index n);
extern void *_ecl_alloc_part(cl_type t, cl_index n);
extern void *_ecl_alloc_atomic_part(cl_type t, cl_index n);
extern void *_ecl_alloc_uncollectable_part(cl_type t, cl_index n);
extern void *_ecl_malloc_part(cl_type t, cl_index n);
extern void *_ecl_realloc_part(cl_type t, void *ptr, cl_index o, cl_index n);
#ifdef ECL_MEMORY_SERVES
# define ecl_alloc(n) _ecl_alloc_part(ECL_MEMORY_SERVES, n)
# define ecl_alloc_atomic(n) _ecl_alloc_atomic_part(ECL_MEMORY_SERVES, n)
# define ecl_alloc_uncollectable(n) _ecl_alloc_uncollectable_part(ECL_MEMORY_SERVES, n)
# define ecl_malloc(n) _ecl_malloc_part(ECL_MEMORY_SERVES, n)
# define ecl_realloc(ptr, o, n) _ecl_realloc_part(ECL_MEMORY_SERVES, ptr, o, n)
#endif

/* Allocators of objects.  `what' (ECL_ALLOCATED_ELTTYPE and the others above)
   describes an object that gets no body, since no later event will show its
   header.  `slots' and `extra_space' are those of ecl_alloc_instance and
   ecl_alloc_compact_object. */
extern cl_object _ecl_alloc_kind(cl_type t, cl_index what);
extern cl_object _ecl_alloc_vector_from(void *frame);
extern cl_object _ecl_alloc_float(cl_index kind, void *frame);
extern cl_object _ecl_alloc_compact_array(cl_type t, cl_index what, cl_index extra_space, void *frame);
extern cl_object _ecl_alloc_instance_of(cl_object clas, cl_index slots, void *frame);
#define ecl_alloc_array(t, aet, simple)                                 \
  _ecl_alloc_kind(t, ECL_ALLOCATED_ELTTYPE(aet) |                       \
                     ((simple)? 0 : ECL_ALLOCATED_NOT_SIMPLE))
#define ecl_alloc_pointer_vector() _ecl_alloc_vector_from(ECL_FRAME_ADDRESS())
#define ecl_alloc_instance_of(clas, slots)                              \
  _ecl_alloc_instance_of(clas, slots, ECL_FRAME_ADDRESS())

/* Defines ecl_make_NAME, which makes an object of a number of C, and a function
   for each reason, all with the body that follows.  GCC would merge functions
   with the same code. */
#if defined(__GNUC__) && !defined(__clang__)
# define ECL_NO_ICF __attribute__((no_icf))
#else
# define ECL_NO_ICF
#endif
#define ECL_BOX(name, type, reason)                                     \
  ECL_NO_ICF cl_object                                                  \
  ecl_##name##_for_##reason(type x) { return make_##name(x, ECL_FOR(reason)); }
#define ECL_CONSTRUCTOR(name, type, x)                                  \
  static inline __attribute__((always_inline)) cl_object                \
  make_##name(type x, int reason);                                      \
  cl_object                                                             \
  ecl_make_##name(type x) { return make_##name(x, ECL_FOR_CALLER); }    \
  ECL_BOX(name, type, argument) ECL_BOX(name, type, arithmetic)         \
  ECL_BOX(name, type, element) ECL_BOX(name, type, slot)                \
  ECL_BOX(name, type, special) ECL_BOX(name, type, temporary)           \
  ECL_BOX(name, type, value) ECL_BOX(name, type, variable)              \
  static inline __attribute__((always_inline)) cl_object                \
  make_##name(type x, int reason)
/* In such a body. */
#define ecl_alloc_number(t, structure)                                  \
  _ecl_alloc_float(ECL_ALLOCATED_KIND((t) | ECL_ALLOCATED_FOR(reason),  \
                                      sizeof(struct structure)),        \
                   ECL_FRAME_ADDRESS())

/* GC_FREE of memory that was announced. */
#define ECL_GC_FREE(ptr) ecl_dealloc(ptr)

/* Before a library is closed. */
extern void _ecl_block_unload(cl_object block);

/* For the reader, and for the byte-code compiler; see frame_names.d. */
struct cl_compiler_env;
extern cl_object _ecl_form_position(cl_object in);
extern cl_object _ecl_note_form(cl_object position, cl_object form);
#define ECL_FORM_AT(position, form) _ecl_note_form(position, form)
extern void _ecl_note_definition(struct cl_compiler_env *c_env, cl_object form);
extern cl_object _ecl_frame_name(cl_object kind, cl_object name, cl_object decl, struct cl_compiler_env *around);

#ifdef __cplusplus
}
#endif

#else /* !ECL_ALLOCATION_HOOKS */

#define ECL_HOOKED(...)
#define ECL_HOOKED_OR_VOID(parameter) void
#define ECL_FRAME_WORD
#define ECL_MONITOR_EVENT(event, arguments)
#define ECL_ALLOCATED(env, what, bytes, object)
#define ECL_ALLOCATED_FROM(env, frame, kind, object)
#define ECL_COLLECTOR_RECORD(env, bytes)
#define ECL_FINALIZER_BEGIN
#define ECL_FINALIZER_END
#define ECL_CONSTRUCTOR(name, type, x) cl_object ecl_make_##name(type x)
#define ecl_alloc_number(t, structure) ecl_alloc_object(t)
#define ecl_alloc_array(t, aet, simple) ecl_alloc_object(t)
#define ecl_alloc_pointer_vector() ecl_alloc_object(t_vector)
#define ecl_alloc_instance_of(clas, slots) ecl_alloc_instance(slots)
#define _ecl_alloc_kind(t, what) ecl_alloc_object(t)
#define ecl_alloc_body(owner, n) ecl_alloc(n)
#define ecl_alloc_atomic_body(owner, n) ecl_alloc_atomic(n)
#define ecl_alloc_uncollectable_body(owner, n) ecl_alloc_uncollectable(n)
#define _ecl_alloc_part(t, n) ecl_alloc(n)
#define _ecl_alloc_atomic_part(t, n) ecl_alloc_atomic(n)
#define _ecl_block_unload(block)
#define ECL_GC_FREE(ptr) GC_FREE(ptr)
#define ECL_FORM_AT(position, form) form
#define _ecl_note_definition(c_env, form)

#endif /* ECL_ALLOCATION_HOOKS */

#endif /* ECL_ALLOCATION_MONITOR_H */
