;;;; -*- Mode: Lisp; Syntax: Common-Lisp; indent-tabs-mode: nil -*-
;;;; vim: set filetype=lisp tabstop=8 shiftwidth=2 expandtab:

;;;; Contains: A monitor that counts what one thread allocates, for the tests
;;;;           of allocation_monitor.h.  A monitor that is there already is
;;;;           told of everything, too, so a profiler may run these tests.

(in-package :cl-test)

(ffi:clines "
#include <string.h>

struct counter {
  struct ecl_allocation_hooks hooks; /* first: the hooks get its address */
  struct ecl_allocation_hooks *next; /* of the monitor that was there, or NULL */
  cl_index objects[256], object_bytes[256];     /* by cl_type */
  cl_index bodies[256], body_bytes[256];        /* by cl_type of the owner */
  cl_index raw, instances, instance_bytes, records, frames;
  cl_object last_object, last_class;
  void *last_body;
  cl_index freed, freed_body; /* the latter: what was the last body */
};
static struct counter counter;
static cl_index threads_started, threads_ended;
static void (*next_freed)(void *memory);
static void (*next_thread_start)(cl_env_ptr env);
static void (*next_thread_end)(cl_env_ptr env);

static void
count_frame(void *frame)
{
  /* The allocator's frame lies above that of the hook that it calls. */
  int here;
  if ((char *)frame > (char *)&here)
    counter.frames++;
}

static void *
count_object(struct ecl_allocation_hooks *self, void *frame, cl_index kind,
             void *object)
{
  struct counter *c = (struct counter *)self;
  if (kind & ECL_ALLOCATED_RAW) {
    c->raw++;
  } else {
    c->objects[kind & 0xFF]++;
    c->object_bytes[kind & 0xFF] += kind >> ECL_ALLOCATED_BYTES_SHIFT;
    c->last_object = (cl_object)object;
  }
  count_frame(frame);
  return c->next ? c->next->allocated(c->next, frame, kind, object) : object;
}

static void *
count_instance(struct ecl_allocation_hooks *self, void *frame, cl_index kind,
               void *object, cl_object clas)
{
  struct counter *c = (struct counter *)self;
  if ((kind & 0xFF) == t_instance && (kind & ECL_ALLOCATED_SPLIT)) {
    c->instances++;
    c->instance_bytes += kind >> ECL_ALLOCATED_BYTES_SHIFT;
  }
  c->last_object = (cl_object)object;
  c->last_class = clas;
  count_frame(frame);
  return c->next ?
    c->next->instance_allocated(c->next, frame, kind, object, clas) : object;
}

static void
count_body(struct ecl_allocation_hooks *self, void *frame, cl_object owner,
           cl_index bytes, void *memory)
{
  struct counter *c = (struct counter *)self;
  c->bodies[ecl_t_of(owner)]++;
  c->body_bytes[ecl_t_of(owner)] += bytes;
  c->last_body = memory;
  count_frame(frame);
  if (c->next)
    c->next->body(c->next, frame, owner, bytes, memory);
}

static void
count_record(struct ecl_allocation_hooks *self, cl_index bytes)
{
  struct counter *c = (struct counter *)self;
  c->records++;
  if (c->next)
    c->next->collector_record(c->next, bytes);
}

static void
count_freed(void *memory)
{
  counter.freed++;
  counter.freed_body += memory == counter.last_body;
  if (next_freed)
    next_freed(memory);
}

static void
thread_starts(cl_env_ptr env)
{
  threads_started++;
  if (next_thread_start)
    next_thread_start(env);
}

static void
thread_ends(cl_env_ptr env)
{
  threads_ended++;
  if (next_thread_end)
    next_thread_end(env);
}

static const struct ecl_allocation_hooks hooks = {
  count_object, count_instance, count_body, count_record
};
")

(defun counting-allocations (function)
  "Calls FUNCTION, and counts what this thread allocates the while."
  (ffi:c-inline (function) (:object) :object "{
    cl_env_ptr env = ecl_process_env();
    memset(&counter, 0, sizeof(counter));
    counter.hooks = hooks;
    counter.next = env->allocation_hooks;
    env->allocation_hooks = &counter.hooks;
    @(return) = ecl_function_dispatch(env, #0)(0);
    env->allocation_hooks = counter.next;
  }"))

(defmacro c-value (expression &optional (type :unsigned-long))
  `(ffi:c-inline () () ,type ,expression :one-liner t :side-effects nil))

(defmacro counter (member &optional (type :unsigned-long))
  `(c-value ,(format nil "counter.~A" member) ,type))

(defmacro counting-c (code &rest values)
  "Runs CODE, statements of C, and gives a list of the VALUES after it."
  `(progn
     (counting-allocations (lambda () (ffi:c-inline () () :void ,code)))
     (list ,@values)))

(defun monitor-version-matches ()
  (c-value "ecl_allocation_monitor.version == ECL_ALLOCATION_MONITOR_VERSION"
           :bool))

(defun allocate-nothing ()
  (counting-c "{}" (counter "objects[t_list]") (counter "raw")
              (counter "frames")))

(defun allocate-conses (count)
  "How many conses COUNT calls of the allocator announce, and how many bytes."
  (counting-allocations
   (lambda ()
     (ffi:c-inline (count) (:fixnum) :void "{
       cl_fixnum i;
       for (i = 0; i < #0; i++) {
         ecl_cons(ECL_NIL, ECL_NIL);
         ecl_list1(ECL_NIL);
       }
     }")))
  (list (counter "objects[t_list]")
        (/ (counter "object_bytes[t_list]") (c-value "sizeof(struct ecl_cons)"))
        (counter "frames")))

(defun allocate-floats ()
  (counting-c "{
      ecl_make_double_float(1.5);
      ecl_make_single_float(1.5);
      ecl_make_double_float(2.5);
    }"
    (counter "objects[t_doublefloat]")
    (/ (counter "object_bytes[t_doublefloat]")
       (c-value "sizeof(struct ecl_doublefloat)"))
    (counter "objects[t_singlefloat]")
    (counter "frames")))

(defun allocate-vectors ()
  "A vector has a body of its own; a string is in one piece."
  (counting-c "{
      ecl_alloc_simple_vector(10, ecl_aet_object);
      ecl_alloc_simple_vector(9, ecl_aet_bc);
    }"
    (counter "objects[t_vector]")
    (= (counter "object_bytes[t_vector]") (c-value "sizeof(struct ecl_vector)"))
    (counter "bodies[t_vector]")
    (/ (counter "body_bytes[t_vector]") (c-value "sizeof(cl_object)"))
    (counter "objects[t_base_string]")
    (- (counter "object_bytes[t_base_string]")
       (c-value "sizeof(struct ecl_base_string)"))
    (counter "bodies[t_base_string]")))

(defun free-vector ()
  "What is freed explicitly: a vector, and its body, which was told of."
  (counting-c "{
      next_freed = ecl_allocation_monitor.freed;
      ecl_allocation_monitor.freed = count_freed;
      cl_object vector = ecl_alloc_simple_vector(10, ecl_aet_object);
      ecl_dealloc(vector->vector.self.t);
      ecl_dealloc(vector);
      ecl_allocation_monitor.freed = next_freed;
    }"
    (counter "freed")
    (counter "freed_body")))

(defun allocate-hash-table ()
  (counting-allocations (lambda () (make-hash-table)))
  (list (counter "objects[t_hashtable]")
        (counter "bodies[t_hashtable]")
        (mod (counter "body_bytes[t_hashtable]")
             (c-value "sizeof(struct ecl_hashtable_entry)"))))

(defun allocate-instance-of (class make)
  "Calls MAKE, which makes an instance or structure of CLASS.  How many events
there are, of how many slots, and whether they have the object and its class."
  (let ((instance (counting-allocations make)))
    (list (counter "instances")
          (/ (- (counter "instance_bytes")
                (c-value "sizeof(struct ecl_instance)"))
             (c-value "sizeof(cl_object)"))
          (eq instance (counter "last_object" :object))
          (eq class (counter "last_class" :object)))))

#+threads
(defun run-threads (count)
  "How many threads are announced of COUNT that begin and end, and how many
conses are counted in each that makes ten."
  (ffi:c-inline () () :void "{
    threads_started = threads_ended = 0;
    next_thread_start = ecl_allocation_monitor.thread_start;
    next_thread_end = ecl_allocation_monitor.thread_end;
    ecl_allocation_monitor.thread_start = thread_starts;
    ecl_allocation_monitor.thread_end = thread_ends;
  }")
  (let ((conses (loop repeat count
                      collect (mp:process-join
                               (mp:process-run-function
                                "counted"
                                (lambda () (first (allocate-conses 5))))))))
    (ffi:c-inline () () :void "{
      ecl_allocation_monitor.thread_start = next_thread_start;
      ecl_allocation_monitor.thread_end = next_thread_end;
    }")
    (list (c-value "threads_started") (c-value "threads_ended") conses)))
