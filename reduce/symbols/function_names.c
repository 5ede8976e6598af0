/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names, see function_names.h.  Start-up functions are those of glibc and of
 * musl.
 */

#include "symbols/function_names.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A name that any program may use counts only in the C library. */
static const char *const start_up_functions[] = {
    "_start",
    "_start_c",
    "__libc_start_call_main",
    "__libc_start_main",
    "__libc_start_main_impl",
    "__libc_start_main_stage2",
    "libc_start_main_stage2",
    "__libc_csu_init",
    "__clone",
    "clone",
    "__clone3",
    "clone3",
    "start_thread",
    "__nptl_deallocate_tsd",
    "_dl_start_user",
    "_dl_init",
    "call_init",
};

/* What compilers put after a name, a number that may follow left out. */
static const char *const suffixes[] = {
    ".cold", ".constprop", ".isra", ".lto_priv", ".llvm", ".localalias",
};

/* The length of SYMBOL without one of these at its end; that of all of it
 * when there is none. */
static size_t
length_without_suffix(const char *symbol, size_t length)
{
  size_t end = length;
  while (end > 0 && isdigit((unsigned char)symbol[end - 1]))
    end--;
  if (end < length && end > 0 && symbol[end - 1] == '.')
    end--;
  else
    end = length;
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
    size_t size = strlen(suffixes[i]);
    if (end > size && memcmp(symbol + end - size, suffixes[i], size) == 0)
      return end - size;
  }
  return length;
}

char *
function_name_of_symbol(const char *symbol)
{
  size_t length = strlen(symbol);
  const char *version = strchr(symbol, '@'); /* as in "fopen@@GLIBC_2.2.5" */
  size_t shorter = version != NULL && version > symbol
                       ? (size_t)(version - symbol)
                       : length;
  do {
    length = shorter;
    shorter = length_without_suffix(symbol, length);
  } while (shorter < length);
  char *name = strndup(symbol, length);
  if (name == NULL)
    return NULL;
  char *readable = cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI |
                                            DMGL_RET_DROP | DMGL_AUTO);
  if (readable == NULL)
    return name;
  free(name);
  return readable;
}

bool
is_start_up_function(const char *name, const char *file)
{
  if (*name != '_' && !is_c_library(file))
    return false;
  for (size_t i = 0;
       i < sizeof start_up_functions / sizeof start_up_functions[0]; i++)
    if (strcmp(start_up_functions[i], name) == 0)
      return true;
  return false;
}

bool
is_c_library(const char *file)
{
  static const char *const starts[] = {"libc.so",  "libc-",   "libpthread",
                                       "ld-linux", "ld-musl", "ld.so",
                                       "ld-2."};
  const char *slash = strrchr(file, '/');
  const char *name = slash == NULL ? file : slash + 1;
  for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
    if (strncmp(name, starts[i], strlen(starts[i])) == 0)
      return true;
  return false;
}
