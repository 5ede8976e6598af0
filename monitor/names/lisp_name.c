/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_name.c -- a printer for the few kinds of objects that name things:
 * symbols, strings, characters, fixnums and lists of these.  Anything else
 * (an EQL specializer may hold any object) shows its type in #<...>.
 *
 * Symbols are written for the standard readtable: upper case needs no
 * escape, all else is put between bars.
 */
#include "names/lisp_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hook/classify.h"

enum { MAX_DEPTH = 16, MAX_LENGTH = 64 };


static void
put_character(FILE *out, ecl_character c)
{
  if (c < 0x80) {
    putc((int)c, out);
  } else if (c < 0x800) {
    putc((int)(0xC0 | (c >> 6)), out);
    putc((int)(0x80 | (c & 0x3F)), out);
  } else if (c < 0x10000) {
    putc((int)(0xE0 | (c >> 12)), out);
    putc((int)(0x80 | ((c >> 6) & 0x3F)), out);
    putc((int)(0x80 | (c & 0x3F)), out);
  } else {
    putc((int)(0xF0 | (c >> 18)), out);
    putc((int)(0x80 | ((c >> 12) & 0x3F)), out);
    putc((int)(0x80 | ((c >> 6) & 0x3F)), out);
    putc((int)(0x80 | (c & 0x3F)), out);
  }
}

static ecl_character
string_ref(cl_object string, cl_index i)
{
#ifdef ECL_UNICODE
  if (ecl_t_of(string) == t_string)
    return string->string.self[i];
#endif
  return string->base_string.self[i];
}

static void
put_string(FILE *out, cl_object string)
{
  for (cl_index i = 0; i < string->base_string.fillp; i++)
    put_character(out, string_ref(string, i));
}

static int
equals(cl_object string, const char *text)
{
  cl_index n = strlen(text);
  if (string->base_string.fillp != n)
    return 0;
  for (cl_index i = 0; i < n; i++)
    if (string_ref(string, i) != (ecl_character)(unsigned char)text[i])
      return 0;
  return 1;
}

/* Would the reader take it for a number, or upcase or split it? */
static int
needs_bars(cl_object name)
{
  int letters = 0, digits = 0, dots = 0, others = 0;
  cl_index n = name->base_string.fillp;
  if (n == 0)
    return 1;
  for (cl_index i = 0; i < n; i++) {
    ecl_character c = string_ref(name, i);
    if (c >= 'A' && c <= 'Z')
      letters++;
    else if (c >= '0' && c <= '9')
      digits++;
    else if (c == '.')
      dots++;
    else if (c <= ' ' || c >= 127 || (c >= 'a' && c <= 'z') ||
             strchr("\"#'(),:;\\`|", (int)c) != NULL) {
      /* '#' is harmless after the first character */
      if (c != '#' || i == 0)
        return 1;
    } else
      others++;
  }
  if (letters == 0 && digits == 0 && others == 0)
    return 1; /* dots only */
  if (digits > 0 && letters == 0) {
    /* 12, -3, 1/2, 1.5 read as numbers; 1+ and 1- do not */
    ecl_character last = string_ref(name, n - 1);
    ecl_character first = string_ref(name, 0);
    if (last != '+' && last != '-' &&
        ((first >= '0' && first <= '9') || first == '-' || first == '+' ||
         first == '.'))
      return 1;
  }
  return 0;
}

static void
put_symbol_name(FILE *out, cl_object name)
{
  if (!needs_bars(name)) {
    put_string(out, name);
    return;
  }
  putc('|', out);
  for (cl_index i = 0; i < name->base_string.fillp; i++) {
    ecl_character c = string_ref(name, i);
    if (c == '|' || c == '\\')
      putc('\\', out);
    put_character(out, c);
  }
  putc('|', out);
}

static void
put_symbol(FILE *out, cl_object symbol)
{
  cl_object name, package;
  int intern_flag = 0;
  if (Null(symbol)) {
    fputs("NIL", out);
    return;
  }
  name = symbol->symbol.name;
  package = symbol->symbol.hpack;
  if (package == OBJNULL || Null(package)) {
    fputs("#:", out);
  } else if (package == cl_core.keyword_package) {
    putc(':', out);
  } else if (package != cl_core.lisp_package) {
    cl_object found = ecl_find_symbol(name, package, &intern_flag);
    if (equals(package->pack.name, "COMMON-LISP-USER"))
      fputs("CL-USER", out);
    else
      put_symbol_name(out, package->pack.name);
    fputs(found == symbol && intern_flag == ECL_EXTERNAL ? ":" : "::", out);
  }
  put_symbol_name(out, name);
}

static void
put_object(FILE *out, cl_object x, int depth)
{
  int length = 0;
  if (ECL_FIXNUMP(x)) {
    fprintf(out, "%ld", (long)ecl_fixnum(x));
    return;
  }
  if (ECL_CHARACTERP(x)) {
    fputs("#\\", out);
    put_character(out, (ecl_character)ECL_CHAR_CODE(x));
    return;
  }
  switch (ecl_t_of(x)) {
  case t_list:
    if (Null(x)) {
      fputs("NIL", out);
      break;
    }
    putc('(', out);
    for (; ECL_CONSP(x); x = ECL_CONS_CDR(x)) {
      if (length > 0)
        putc(' ', out);
      if (depth >= MAX_DEPTH || length++ >= MAX_LENGTH) {
        fputs("...", out);
        x = ECL_NIL;
        break;
      }
      put_object(out, ECL_CONS_CAR(x), depth + 1);
    }
    if (!Null(x)) {
      fputs(" . ", out);
      put_object(out, x, depth + 1);
    }
    putc(')', out);
    break;
  case t_symbol:
    put_symbol(out, x);
    break;
  case t_base_string:
#ifdef ECL_UNICODE
  case t_string:
#endif
    putc('"', out);
    for (cl_index i = 0; i < x->base_string.fillp; i++) {
      ecl_character c = string_ref(x, i);
      if (c == '"' || c == '\\')
        putc('\\', out);
      put_character(out, c);
    }
    putc('"', out);
    break;
  case t_instance:
    fputs("#<", out);
    if (ECL_CLASS_OF(x) != OBJNULL && ecl_t_of(ECL_CLASS_OF(x)) == t_instance)
      put_object(out, ECL_CLASS_NAME(ECL_CLASS_OF(x)), depth + 1);
    putc('>', out);
    break;
  default:
    fprintf(out, "#<%s>", classify_type_name((uint32_t)ecl_t_of(x)));
    break;
  }
}

static char *
printed(cl_object x, int as_thread_name)
{
  char *result = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&result, &size);
  if (out == NULL)
    return NULL;
  if (as_thread_name && x != OBJNULL && ECL_STRINGP(x))
    put_string(out, x);
  else if (x == OBJNULL)
    fputs("#<unbound>", out);
  else
    put_object(out, x, 0);
  if (fclose(out) != 0) {
    free(result);
    return NULL;
  }
  return result;
}

char *
lisp_name_of_function(cl_object name)
{
  return printed(name, 0);
}

char *
lisp_name_of_class(cl_object clas)
{
  if (clas != OBJNULL && ecl_t_of(clas) == t_instance)
    return printed(ECL_CLASS_NAME(clas), 0);
  return printed(clas, 0);
}

int
lisp_name_is_structure(cl_object clas)
{
  cl_object meta, name;
  if (clas == OBJNULL || ecl_t_of(clas) != t_instance)
    return clas != OBJNULL && ecl_t_of(clas) == t_symbol;
  meta = ECL_CLASS_OF(clas);
  if (meta == OBJNULL || ecl_t_of(meta) != t_instance)
    return 0;
  name = ECL_CLASS_NAME(meta);
  return ecl_t_of(name) == t_symbol && !Null(name) &&
         equals(name->symbol.name, "STRUCTURE-CLASS");
}

char *
lisp_name_of_thread(cl_object name)
{
  return printed(name, 1);
}
