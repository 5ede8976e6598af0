/* -*- Mode: C; c-basic-offset: 2; indent-tabs-mode: nil -*- */
/* vim: set filetype=c tabstop=2 shiftwidth=2 expandtab: */

/*
 * frame_names.d -- names and source lines for backtraces and profiles
 *
 * For compiler.d and read.d, with --enable-allocation-hooks; the functions are
 * declared in allocation_monitor.h.
 */

#include <ecl/ecl.h>
#include <ecl/internal.h>

/* What a form such as (DEFVAR *X* ...) or (DEFSTRUCT (S ...) ...) defines, by
 * what its operator is called; NIL for other forms. */
static cl_object
defined_name(cl_object form) {
  cl_object operator, name;
  if (!ECL_CONSP(form) || !ECL_SYMBOLP(ECL_CONS_CAR(form)) ||
      !ECL_CONSP(ECL_CONS_CDR(form)))
    return ECL_NIL;
  operator = ecl_symbol_name(ECL_CONS_CAR(form));
  if (ecl_length(operator) < 4 || ecl_char(operator, 0) != 'D' ||
      ecl_char(operator, 1) != 'E' || ecl_char(operator, 2) != 'F')
    return ECL_NIL;
  name = ECL_CONS_CAR(ECL_CONS_CDR(form));
  if (ECL_CONSP(name) && ECL_CONS_CAR(name) == @'setf')
    return name;
  if (ECL_CONSP(name))
    name = ECL_CONS_CAR(name);
  return ECL_SYMBOLP(name) || ECL_STRINGP(name) ? name : ECL_NIL;
}

/* The functions that are compiled next are in a top-level form. */
void
_ecl_note_definition(cl_compiler_env_ptr c_env, cl_object form) {
  if (Null(c_env->definition) && !Null(defined_name(form)))
    c_env->definition = form;
}

/* What a SI::FRAME-NAME declaration says, the name of a global function, or for
 * a local one what it is and the outermost function or definition that it is
 * in. */
cl_object
_ecl_frame_name(cl_object kind, cl_object name, cl_object decl,
                cl_compiler_env_ptr around) {
  cl_object frame_name = name;
  bool local = 0;
  for (; !Null(decl); decl = ECL_CONS_CDR(decl)) {
    cl_object l = ECL_CONS_CAR(decl);
    if (ECL_CONSP(l) && ECL_CONS_CAR(l) == @'si::frame-name')
      return ECL_CONS_CAR(ECL_CONS_CDR(l));
  }
  if (kind == @'flet' || kind == @'labels' || kind == @'macro-function') {
    frame_name = cl_list(2, kind, name);
    local = (kind != @'macro-function');
  } else if (Null(name)) {
    frame_name = ecl_list1(@'lambda');
    local = 1;
  }
  if (local && around != NULL) {
    cl_object in = around->frame_name;
    if (Null(in) && !Null(around->definition))
      in = cl_list(2, ECL_CONS_CAR(around->definition),
                   defined_name(around->definition));
    if (!Null(in))
      frame_name = ecl_append(frame_name,
                              cl_list(2, ecl_make_keyword("IN"), in));
  }
  return frame_name;
}

/* The reader notes in SI::*FORM-POSITIONS* where each list that it reads begins:
 * the position behind its parenthesis, or NIL if nobody asks. */
cl_object
_ecl_form_position(cl_object in)
{
  const cl_object positions = ECL_SYM_VAL(ecl_process_env(), @'si::*form-positions*');
  return ecl_t_of(positions) == t_hashtable ? ecl_file_position(in) : ECL_NIL;
}

cl_object
_ecl_note_form(cl_object position, cl_object form)
{
  if (!Null(position) && ECL_CONSP(form))
    _ecl_sethash(form, ECL_SYM_VAL(ecl_process_env(), @'si::*form-positions*'),
                 position);
  return form;
}
