/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions and files of code are matched once; then one pass from the root
 * of the tree to its leaves.
 */

#include "analysis/suppressions.h"

#include "base/array.h"
#include "base/text_file.h"

#include <string.h>

/* ---- the libraries ----------------------------------------------------- */

/* How the names of their files begin. */
static const char *const libraries[] = {
    "libc.so",      "libc-2.",      "ld-linux",      "ld-2.",
    "libpthread.",  "libpthread-",  "libdl.so",      "libdl-2.",
    "libresolv.so", "libresolv-2.", "libnss_files.", "libnss_dns.",
    "libgcc_s.so",  "libstdc++.so",
};

/* Functions that keep what they allocate.  Some have a symbol only in debug
 * information: their callers are listed as well, if these return nothing that
 * must be freed. */
static const char *const keepers[] = {
    /* stdio, the buffers; the streams are the program's */
    "_IO_file_doallocate",
    "_IO_wdoallocbuf",
    "_IO_doallocbuf",
    /* threads: their storage, which the stack keeps that is used again */
    "_dl_allocate_tls",
    "__tls_get_addr",
    "pthread_setspecific",
    "__cxa_thread_atexit_impl",
    /* libraries, exceptions of the dynamic linker */
    "_dl_catch_exception",
    "_dl_catch_error",
    "dlerror",
    "__gconv_find_shlib",
    "__gconv_find_transform",
    "__gconv_load_conf",
    /* locales and messages */
    "setlocale",
    "__wcsmbs_load_conv",
    "bindtextdomain",
    "textdomain",
    "gettext",
    "dgettext",
    "dcgettext",
    "ngettext",
    "dngettext",
    "dcngettext",
    "__dcigettext",
    "std::locale::global(std::locale const&)",
    "std::locale::_S_initialize_once()",
    /* users, hosts, services: results that stand in static memory */
    "getpwuid",
    "getpwnam",
    "getpwent",
    "getgrgid",
    "getgrnam",
    "getgrent",
    "getspnam",
    "gethostbyname",
    "gethostbyname2",
    "gethostbyaddr",
    "gethostent",
    "getservbyname",
    "getservbyport",
    "getservent",
    "getprotobyname",
    "getprotobynumber",
    "getnetbyname",
    "__nss_database_get",
    "nss_database_check_reload_and_get",
    "__nss_module_allocate",
    "__resolv_context_get",
    "__check_pf",
    "ttyname",
    "getlogin",
    /* time */
    "tzset",
    "localtime",
    "localtime_r",
    "mktime",
    "timelocal",
    "ctime",
    "ctime_r",
    "strftime",
    "__tz_convert",
    "tzset_internal",
    /* errors, the environment, what is called at the end */
    "strerror",
    "strerror_l",
    "strsignal",
    "perror",
    "setenv",
    "putenv",
    "clearenv",
    "__add_to_environ",
    "__cxa_atexit",
    "on_exit",
    "__new_exitfn",
    "__register_atfork",
    "syslog",
    "openlog",
    "__vsyslog_internal",
};

/* The same of the C++ library, in a program linked with it statically: they
 * make the reserve of memory for exceptions. */
static const char *const keepers_anywhere[] = {
    "_GLOBAL__sub_I_eh_alloc.cc",
    "_GLOBAL__sub_I__ZN9__gnu_cxx9__freeresEv",
};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static bool
is_among(const char *const *names, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

/* Returns whether the name of the file PATH begins with one of COUNT. */
static bool
begins_with(const char *const *starts, size_t count, const char *path)
{
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  for (size_t i = 0; i < count; i++)
    if (strncmp(name, starts[i], strlen(starts[i])) == 0)
      return true;
  return false;
}

/* ---- the user's file ----------------------------------------------------
 */

/* The patterns of a file in the form of LeakSanitizer:
 *
 *     # a comment
 *     leak:PATTERN
 */
struct suppression_file { /* all zero: empty */
  const char **patterns;
  size_t count, capacity;
};

/* Returns whether PATTERN matches TEXT from its beginning, and to its end if
 * it ends in $. */
static bool
matches_here(const char *pattern, const char *text)
{
  const char *star = NULL; /* behind the last one, */
  const char *from = text; /* which stands for what is before this */
  for (;;) {
    if (*pattern == '*') {
      star = ++pattern;
      from = text;
    } else if (*pattern == '\0' ||
               (pattern[0] == '$' && pattern[1] == '\0' && *text == '\0')) {
      return true;
    } else if (*text != '\0' && *pattern == *text) {
      pattern++;
      text++;
    } else if (star != NULL && *from != '\0') {
      pattern = star;
      text = ++from;
    } else {
      return false;
    }
  }
}

/* Returns whether a pattern of FILE matches TEXT, the name of a function or a
 * file. */
static bool
suppression_file_names(const struct suppression_file *file, const char *text)
{
  for (size_t i = 0; i < file->count; i++)
    if (matches_here(file->patterns[i], text))
      return true;
  return false;
}

/* Adds the pattern of LINE, whose number is NUMBER, to FILE.  A pattern has a
 * "*" in front, unless it is anchored. */
static void
add_line(struct suppression_file *file, char *line, const char *path,
         size_t number)
{
  static const char key[] = "leak:";
  line += strspn(line, " \t");
  size_t length = strlen(line);
  while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
    line[--length] = '\0';
  if (*line == '\0' || *line == '#')
    return;
  const char *pattern = line + sizeof key - 1;
  if (strncmp(line, key, sizeof key - 1) != 0 || *pattern == '\0')
    fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, path,
              "cannot read '%s': line %zu is not 'leak:PATTERN'", path,
              number);
  ARRAY_PUSH(file->patterns, file->count, file->capacity,
             *pattern == '^' ? pattern + 1 : pool_format("*%s", pattern));
}

/* Reads the file PATH.  Fails if it cannot be read, or has another line. */
static struct suppression_file
suppression_file_read(const char *path)
{
  struct suppression_file file = {0};
  size_t number = 0;
  for (char *text = text_file_load(path); text != NULL && *text != '\0';)
    add_line(&file, strsep(&text, "\n"), path, ++number);
  return file;
}

/* ---- chains ------------------------------------------------------------ */

enum trait {
  TRAIT_LIBRARY = 1, /* the code is that of a library of the list */
  TRAIT_LINKER = 2,  /* of the dynamic linker */
  TRAIT_KEEPER = 4,  /* the function is one */
  TRAIT_ALWAYS = 8,  /* ... wherever its code is */
  TRAIT_USER = 16    /* matches the user's file */
};

/* Returns the traits of FUNCTION; IN_LIBRARY: its code is in a library. */
static unsigned
traits_of_function(const struct profile *profile,
                   const struct profile_function *function, bool in_library,
                   const struct suppression_file *user)
{
  const char *name = names_text(&profile->names, function->name);
  return (in_library && is_among(keepers, COUNT(keepers), name) ? TRAIT_KEEPER
                                                                : 0u) |
         (is_among(keepers_anywhere, COUNT(keepers_anywhere), name)
              ? TRAIT_ALWAYS
              : 0u) |
         (suppression_file_names(user, name) ||
                  suppression_file_names(
                      user, names_text(&profile->names, function->file))
              ? TRAIT_USER
              : 0u);
}

static unsigned
traits_of_mapping(const struct profile *profile,
                  const struct profile_mapping *mapping,
                  const struct suppression_file *user)
{
  static const char *const linkers[] = {"ld-linux", "ld-2."};
  const char *file = names_text(&profile->names, mapping->file);
  return (begins_with(libraries, COUNT(libraries), file) ? TRAIT_LIBRARY
                                                         : 0u) |
         (begins_with(linkers, COUNT(linkers), file) ? TRAIT_LINKER : 0u) |
         (suppression_file_names(user, file) ? TRAIT_USER : 0u);
}

/* Gives each location the traits that its functions have, or, with GIVE, each
 * of these the location's. */
static void
pass_traits(const struct profile *profile, unsigned char *locations,
            unsigned char *functions, bool give)
{
  for (size_t i = 0; i < profile->location_count; i++) {
    const struct profile_location *l = &profile->locations[i];
    for (size_t j = 0; j < l->line_count; j++) {
      uint32_t f = profile->lines[l->first_line + j].function;
      if (f != INDEX_NONE && give)
        functions[f] |= locations[i];
      else if (f != INDEX_NONE)
        locations[i] |= functions[f];
    }
  }
}

/* Returns the traits of each location. */
static unsigned char *
find_traits(const struct profile *profile,
            const struct suppression_file *user)
{
  unsigned char *functions = pool_zeroed(profile->function_count, 1);
  unsigned char *mappings = pool_zeroed(profile->mapping_count, 1);
  unsigned char *traits = pool_zeroed(profile->location_count, 1);
  for (size_t i = 0; i < profile->mapping_count; i++)
    mappings[i] = (unsigned char)traits_of_mapping(
        profile, &profile->mappings[i], user);
  for (size_t i = 0; i < profile->location_count; i++)
    if (profile->locations[i].mapping != INDEX_NONE)
      traits[i] = mappings[profile->locations[i].mapping];
  pass_traits(profile, traits, functions, true);
  for (size_t i = 0; i < profile->function_count; i++)
    functions[i] = (unsigned char)traits_of_function(
        profile, &profile->functions[i], (functions[i] & TRAIT_LIBRARY) != 0,
        user);
  pass_traits(profile, traits, functions, false);
  return traits;
}

/* What is known of the end of a chain. */
enum state {
  STATE_LIBRARY = 1, /* in a library, called by a keeper or one in it, or by
                        the dynamic linker alone when a program begins */
  STATE_USER = 2
};

static unsigned
next_state(unsigned before, unsigned traits, bool first)
{
  bool library = (traits & TRAIT_LIBRARY) != 0;
  bool begins =
      (traits & TRAIT_KEEPER) != 0 || (first && (traits & TRAIT_LINKER) != 0);
  bool kept = library && (begins || (before & STATE_LIBRARY) != 0);
  return (kept || (traits & TRAIT_ALWAYS) != 0 ? STATE_LIBRARY : 0u) |
         ((before & STATE_USER) != 0 || (traits & TRAIT_USER) != 0
              ? STATE_USER
              : 0u);
}

bool
suppressions_know_library(const char *path)
{
  return begins_with(libraries, COUNT(libraries), path);
}

/* Returns whether OPTIONS ask that nothing is suppressed. */
static bool
is_off(const struct view_options *options)
{
  return options->suppressions != NULL &&
         strcmp(options->suppressions, "none") == 0;
}

/* Returns the file that OPTIONS name; one without patterns if they name none.
 */
static struct suppression_file
file_of(const struct view_options *options)
{
  return options->suppressions == NULL || is_off(options)
             ? (struct suppression_file){0}
             : suppression_file_read(options->suppressions);
}

void
suppressions_check(const struct view_options *options)
{
  file_of(options);
}

bool *
suppressions_find(const struct profile *profile,
                  const struct view_options *options)
{
  if (is_off(options))
    return NULL;
  const struct suppression_file user = file_of(options);
  const bool c = profile->by_mprof && profile->language == LANGUAGE_C;
  if (!c && user.count == 0)
    return NULL;
  const unsigned mask = c ? ~0u : TRAIT_USER;
  const unsigned char *traits = find_traits(profile, &user);
  unsigned char *states = pool_zeroed(profile->tree.count, 1);
  bool *nodes = pool_zeroed(profile->tree.count, sizeof *nodes);
  for (size_t i = TREE_ROOT + 1; i < profile->tree.count; i++) {
    const struct tree_node *node = &profile->tree.nodes[i];
    states[i] = (unsigned char)next_state(states[node->parent],
                                          traits[node->item] & mask,
                                          node->parent == TREE_ROOT);
    nodes[i] = states[i] != 0;
  }
  pool_free(states);
  return nodes;
}
