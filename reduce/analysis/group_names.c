/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names are taken apart where they stand; nothing is copied, and no depth of
 * nesting leads to recursion.
 */

#include "analysis/frames.h"

#include "common/system_functions.h"

#include <inttypes.h>
#include <string.h>

/* A part of a name; without LENGTH it is missing. */
struct span {
  const char *text;
  size_t length;
};

static const struct span nothing = {"", 0};

static bool
is_word(struct span span, const char *word)
{
  return span.length == strlen(word) &&
         memcmp(span.text, word, span.length) == 0;
}

/* Returns the length of the string that TEXT starts with, quotes included. */
static size_t
string_length(const char *text)
{
  size_t i = 1;
  while (text[i] != '\0' && text[i] != '"')
    i += text[i] == '\\' && text[i + 1] != '\0' ? 2 : 1;
  return i + (text[i] == '"');
}

/* Returns the form at the start of TEXT, which does not begin with a blank.
 */
static struct span
scan_form(const char *text)
{
  size_t depth = 0;
  size_t i = 0;
  do {
    if (text[i] == '(' || text[i] == ')')
      depth += text[i++] == '(' ? 1 : depth > 0 ? SIZE_MAX : 0;
    else if (text[i] == '"')
      i += string_length(text + i);
    else if (text[i] == ' ')
      i++;
    else
      i += lisp_token_scan(text + i).length;
  } while (depth > 0 && text[i] != '\0');
  return (struct span){text, i};
}

/* Takes the next element of a list off *REST, which begins behind the
 * parenthesis that opens it; nothing at its end. */
static struct span
next_element(const char **rest)
{
  *rest += strspn(*rest, " ");
  if (**rest == ')' || **rest == '\0')
    return nothing;
  struct span element = scan_form(*rest);
  *rest += element.length;
  return element;
}

/* Returns the package of SYMBOL, none for one without a home. */
static struct span
package_of(struct span symbol)
{
  struct lisp_token token = lisp_token_scan(symbol.text);
  if (symbol.length == 0 || token.length == 0 ||
      strchr("\"#", symbol.text[0]) != NULL)
    return nothing;
  if (token.package_length == 0)
    return (struct span){"KEYWORD", 7};
  if (token.package_length < token.length)
    return (struct span){symbol.text, token.package_length};
  return token.odd ? (struct span){"[C]", 3}
                   : (struct span){"COMMON-LISP", 11};
}

static bool
is_ours(struct span package)
{
  return is_word(package, "COMMON-LISP") ||
         is_system_package(package.text, package.length);
}

/* Returns the first of the SPECIALISERS, a list, that is a class other than
 * T. */
static struct span
first_class(struct span specialisers)
{
  struct span element;
  const char *rest = specialisers.text + 1;
  if (specialisers.length == 0 || *specialisers.text != '(')
    return nothing;
  while ((element = next_element(&rest)).length > 0)
    if (*element.text != '(' && !is_word(element, "T"))
      return element;
  return nothing;
}

/* The home of a Lisp function: the symbol whose package is its own, and the
 * class of the method that it is, or is local to. */
struct home {
  struct span symbol;
  struct span class_name;
};

/* Returns the home of a method; REST is the part of its name after METHOD. */
static struct home
home_of_method(const char *rest)
{
  struct span generic = next_element(&rest);
  struct span last = nothing;
  struct span element;
  while ((element = next_element(&rest)).length > 0)
    last = element;
  if (*generic.text == '(') { /* (SETF F) */
    const char *inner = generic.text + 1;
    next_element(&inner);
    generic = next_element(&inner);
  }
  struct home home = {generic, first_class(last)};
  if (home.class_name.length > 0 && is_ours(package_of(generic)) &&
      !is_ours(package_of(home.class_name)))
    home.symbol = home.class_name;
  return home;
}

/* Returns whether a list that begins with KIND names something by its second
 * element: a local function, or what a form such as DEFVAR defines. */
static bool
is_namer(struct span kind)
{
  if (words_have("FLET\0LABELS\0MACRO-FUNCTION\0SETF\0", kind.text,
                 kind.length))
    return true;
  size_t package = lisp_token_scan(kind.text).package_length;
  const char *word = kind.text;
  if (package < kind.length)
    word += package + strspn(word + package, ":");
  return strncmp(word, "DEF", 3) == 0;
}

static struct home
home_of(const char *name)
{
  struct span form = scan_form(name);
  if (name[form.length] != '\0') /* as "profiled body" */
    form = nothing;
  while (form.length > 0 && *form.text == '(') {
    const char *rest = form.text + 1;
    struct span kind = next_element(&rest);
    if (kind.length == 0)
      break;
    if (is_word(kind, "METHOD"))
      return home_of_method(rest);
    struct span named = is_namer(kind) ? next_element(&rest) : nothing;
    do
      form = next_element(&rest);
    while (form.length > 0 && !is_word(form, ":IN"));
    form = next_element(&rest); /* what it is in, if anything */
    if (form.length == 0)
      form = named;
  }
  return (struct home){form, nothing};
}

/* The parts of a C++ name, without return type and parameters. */
struct qualified {
  struct span first; /* up to the first "::" */
  struct span scope; /* up to the last one */
};

static struct qualified
split_qualified(const char *name)
{
  static const char anonymous[] = "(anonymous namespace)";
  struct qualified parts = {nothing, nothing};
  size_t start = 0;
  size_t depth = 0; /* of template arguments */
  for (size_t i = 0; name[i] != '\0'; i++) {
    bool fresh = i == start || name[i - 1] == ':';
    if (fresh && strncmp(name + i, "operator", 8) == 0 &&
        strchr(" ()<>=!+-*/%^&|~,[\"", name[i + 8]) != NULL)
      break; /* the member's name; the rest may hold anything */
    if (fresh && strncmp(name + i, anonymous, sizeof anonymous - 1) == 0) {
      i += sizeof anonymous - 2;
    } else if (name[i] == '<') {
      depth++;
    } else if (name[i] == '>' && depth > 0) {
      depth--;
    } else if (depth > 0) {
      continue;
    } else if (name[i] == '(') {
      break;
    } else if (name[i] == ' ') {
      start = i + 1;
      parts = (struct qualified){nothing, nothing};
    } else if (name[i] == ':' && name[i + 1] == ':') {
      parts.scope = (struct span){name + start, i - start};
      if (parts.first.length == 0)
        parts.first = parts.scope;
      i++;
    }
  }
  return parts;
}

bool
is_cxx_runtime(const char *name, const char *file)
{
  static const char new[] = "operator new", abi[] = "__cxa_";
  const struct span scope = split_qualified(name).first;
  return words_have("std\0__gnu_cxx\0__cxxabiv1\0", scope.text,
                    scope.length) ||
         strncmp(name, new, sizeof new - 1) == 0 ||
         strncmp(name, abi, sizeof abi - 1) == 0 ||
         strstr(file, "/include/c++/") != NULL;
}

/* Returns the package of a Go function, and with a method its package and
 * type: of "path/package.F", "path/package.(*T).F" or "path/package.T.F". */
static struct qualified
split_go(const char *name)
{
  struct qualified parts = {nothing, nothing};
  size_t path = 0;
  for (size_t i = 0; name[i] != '\0' && name[i] != '['; i++)
    if (name[i] == '/')
      path = i + 1;
  size_t dot = path + strcspn(name + path, ".");
  if (name[dot] == '\0')
    return parts;
  parts.first = (struct span){name, dot};
  const char *type = name + dot + 1;
  size_t length = strcspn(type, ".[");
  if (length < strlen(type) && strncmp(type + length + 1, "func", 4) != 0)
    parts.scope = (struct span){name, dot + 1 + length};
  return parts;
}

/* Returns whether NAME, in a profile of a Lisp program, is that of a C
 * function. */
static bool
is_c_name(const char *name)
{
  struct lisp_token token = lisp_token_scan(name);
  return token.length > 0 && name[token.length] == '\0' && token.odd &&
         token.package_length == token.length &&
         strchr("|#\"", *name) == NULL;
}

/* Returns what of the name of SOURCE stands for its package or its class. */
static struct span
group_part(enum granularity by, bool lisp, const struct group_source *source)
{
  if (lisp) {
    struct home home = home_of(source->name);
    return by == BY_PACKAGE ? package_of(home.symbol) : home.class_name;
  }
  const char *end = strrchr(source->file, '.');
  struct qualified parts = end != NULL && strcmp(end, ".go") == 0
                               ? split_go(source->name)
                               : split_qualified(source->name);
  return by == BY_PACKAGE ? parts.first : parts.scope;
}

static void
write_part(enum granularity by, bool lisp, const struct group_source *source,
           struct sink *sink)
{
  struct span part = group_part(by, lisp, source);
  if (part.length > 0)
    sink_format(sink, by == BY_CLASS && lisp ? "(CLASS %.*s)" : "%.*s",
                (int)part.length, part.text);
  else if (by == BY_CLASS)
    sink_text(sink, source->name);
  else
    sink_text(sink, source->runtime ? "[runtime]"
                    : lisp          ? "[no package]"
                                    : "[C]");
}

static void
write_line(const struct group_source *source, struct sink *sink)
{
  sink_text(sink, source->name);
  if (*source->file == '\0' || source->runtime)
    return;
  sink_format(sink, " %s", source->file);
  if (source->line > 0)
    sink_format(sink, ":%" PRId64, source->line);
}

void
group_name_write(enum granularity by, enum language language,
                 const struct group_source *source, struct sink *sink)
{
  bool lisp = language == LANGUAGE_LISP && !source->runtime &&
              !is_c_name(source->name);
  if (by == BY_FUNCTION || is_placeholder(source->name))
    sink_text(sink, source->name);
  else if (by == BY_LINE || by == BY_SITE)
    write_line(source, sink);
  else if (by == BY_FILE)
    sink_text(sink, *source->file == '\0' ? "[no file]" : source->file);
  else
    write_part(by, lisp, source, sink);
}
