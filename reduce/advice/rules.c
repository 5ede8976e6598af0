/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A text is read in place: the lines that continue a value are moved to the
 * end of it, and the names of a list apart.  An error names its line.
 */

#include "advice/rules.h"

#include "base/array.h"
#include "base/input_file.h"
#include "base/names.h"
#include "base/quote.h"
#include "common/system_functions.h"

extern const char advice_rules_text[]; /* rules.S */

static const struct key {
  const char *word;
  const char *choices; /* a list; NULL: any text */
  const char *usual;   /* where a stanza does not say it; NULL: "" */
  bool needed;
} keys[RULE_KEYS] = {
    [RULE_CALLED] = {.word = "called"},
    [RULE_THROUGH] = {.word = "through"},
    [RULE_WITHOUT] = {.word = "without"},
    [RULE_LEAF] = {.word = "leaf"},
    [RULE_TYPES] = {.word = "types"},
    [RULE_PACKAGE] = {.word = "package"},
    [RULE_COUNTED] = {.word = "counted"},
    [RULE_INTERPRETED] = {.word = "interpreted", .choices = "yes\0"},
    [RULE_NAME] = {.word = "rule"},
    [RULE_GRADE] = {.word = "grade",
                    .choices = "certain\0check\0",
                    .usual = "check"},
    [RULE_SAVES] = {.word = "saves",
                    .choices = "all\0all-of-many\0width\0",
                    .usual = "all"},
    [RULE_OBJECTS] = {.word = "objects", .usual = "objects"},
    [RULE_FAULT] = {.word = "fault", .needed = true},
    [RULE_REMEDY] = {.word = "remedy", .needed = true},
    [RULE_EXAMPLE] = {.word = "example"},
    [RULE_UNKNOWN] = {.word = "unknown"},
};

/* A text being read. */
struct parser {
  struct rule_list *list;
  const char *path;
  size_t first;  /* of its rules in the list */
  size_t line;   /* number of the line in hand */
  size_t stanza; /* of the first line of the stanza in hand; 0: none */
  struct rule rule;
  size_t lines[RULE_KEYS]; /* numbers, where its values begin */
  char *end;               /* of the last value */
};

/* Fails with a message about a line. */
#define REFUSE(p, line, format, ...)                                         \
  fail_with(MPROF_CANNOT_READ, "%s:%zu: " format, (p)->path, line,           \
            __VA_ARGS__)

/* ---- stanzas ---- */

/* Makes VALUE, names with commas between them, a list as in struct rule; it
 * begins one place earlier, where the colon or a blank was.  NULL: a name is
 * empty. */
static char *
split_names(char *value)
{
  char *names = value - 1;
  char *to = names;
  for (char *name; (name = strsep(&value, ",")) != NULL;) {
    name += strspn(name, " \t");
    size_t length = strlen(name);
    while (length > 0 && strchr(" \t", name[length - 1]) != NULL)
      length--;
    if (length == 0)
      return NULL;
    memmove(to, name, length);
    to += length;
    *to++ = '\0';
  }
  *to = '\0';
  return names;
}

/* Checks what the stanza says for KEY; whether it is NAMED. */
static void
end_value(struct parser *p, enum rule_key key, bool named)
{
  const char *word = keys[key].word;
  char *value = (char *)(uintptr_t)p->rule.values[key];
  if (value == NULL) {
    if (named && keys[key].needed)
      REFUSE(p, p->stanza, "the rule has no '%s'", word);
    p->rule.values[key] = keys[key].usual == NULL ? "" : keys[key].usual;
    return;
  }
  if (!named && key >= RULE_NAME)
    REFUSE(p, p->lines[key], "'%s' is of no rule; give 'rule: NAME'", word);
  value += strspn(value, " \t");
  if (*value == '\0')
    REFUSE(p, p->lines[key], "'%s' has no value", word);
  if (keys[key].choices != NULL &&
      !words_have(keys[key].choices, value, strlen(value)))
    REFUSE(p, p->lines[key], "'%s' cannot be '%s'", word, value);
  if (key < RULE_LISTS && (value = split_names(value)) == NULL)
    REFUSE(p, p->lines[key], "'%s' has an empty name", word);
  p->rule.values[key] = value;
}

/* Adds the rule of the stanza in hand, if there is one. */
static void
end_stanza(struct parser *p)
{
  struct rule_list *list = p->list;
  const bool named = p->rule.values[RULE_NAME] != NULL;
  if (p->stanza == 0)
    return;
  if (!named && list->count == p->first)
    REFUSE(p, p->stanza, "%s", "the first rule has no 'rule: NAME'");
  for (enum rule_key key = 0; key < RULE_KEYS; key++)
    end_value(p, key, named);
  ARRAY_PUSH(list->items, list->count, list->capacity, p->rule);
  p->rule = (struct rule){{NULL}};
  p->stanza = 0;
  p->end = NULL;
}

/* ---- lines ---- */

/* Takes LINE, "KEY: VALUE". */
static void
begin_value(struct parser *p, char *line)
{
  const size_t length = strcspn(line, ":");
  enum rule_key key = 0;
  if (line[length] != ':' || *line == ' ' || *line == '\t')
    REFUSE(p, p->line, "'%s' is not 'KEY: VALUE'", line);
  while (key < RULE_KEYS && (strncmp(keys[key].word, line, length) != 0 ||
                             keys[key].word[length] != '\0'))
    key++;
  if (key == RULE_KEYS) {
    struct suggestion meant = suggestion_for(line, length);
    for (key = 0; key < RULE_KEYS; key++)
      suggestion_offer(&meant, keys[key].word);
    REFUSE(p, p->line, "unknown key '%.*s'%s", (int)length, line,
           suggestion_text(&meant, ""));
  }
  if (p->rule.values[key] != NULL)
    REFUSE(p, p->line, "'%s' is given twice", keys[key].word);
  p->rule.values[key] = line + length + 1;
  p->lines[key] = p->line;
  p->end = line + strlen(line);
  if (p->stanza == 0)
    p->stanza = p->line;
}

/* Returns whether LINE is UTF-8 without control characters. */
static bool
is_text(const char *line)
{
  size_t length = 0;
  for (; *line != '\0'; line += length) {
    unsigned char c = (unsigned char)*line;
    length = utf8_length(line);
    if (length == 0 || (c < ' ' && c != '\t') || c == 0x7f)
      return false;
  }
  return true;
}

static void
add_line(struct parser *p, char *line)
{
  size_t length = strlen(line);
  while (length > 0 && strchr(" \t\r", line[length - 1]) != NULL)
    line[--length] = '\0';
  if (!is_text(line))
    REFUSE(p, p->line, "%s", "the line is not UTF-8 text");
  if (*line == '#')
    return;
  if (length == 0) {
    end_stanza(p);
  } else if (p->end == NULL || (*line != ' ' && *line != '\t')) {
    begin_value(p, line);
  } else {
    size_t blanks = strspn(line, " \t");
    *p->end++ = ' ';
    memmove(p->end, line + blanks, length - blanks + 1);
    p->end += length - blanks;
  }
}

/* Adds the rules of TEXT, which PATH is the name of, to LIST. */
static void
parse(struct rule_list *list, char *text, const char *path)
{
  struct parser p = {.list = list, .path = path, .first = list->count};
  for (char *line; (line = strsep(&text, "\n")) != NULL;) {
    p.line++;
    add_line(&p, line);
  }
  end_stanza(&p);
}

/* ---- texts ---- */

void
rule_list_init(struct rule_list *list, const char *path)
{
  *list = (struct rule_list){.count = 0};
  if (path != NULL)
    parse(list, text_file_load(path), path);
  parse(list, pool_text(advice_rules_text), "rules.txt");
}
