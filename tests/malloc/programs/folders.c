/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * folders.c -- what the C library allocates for folders, the names in them,
 * and paths.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

#include "traced_cases.h"

/* A folder with 30 files, made anew. */
static void
make_folder(void)
{
  char name[40];
  mkdir("folder", 0777);
  for (int i = 0; i < 30; i++) {
    snprintf(name, sizeof name, "folder/file-%02d", i);
    close(open(name, O_CREAT | O_WRONLY, 0666));
  }
}

static void
case_opendir(void)
{
  DIR *d;
  make_folder();
  d = opendir("folder");
  demand(readdir(d) != NULL);
  closedir(d);
  demand(opendir("nonexistent") == NULL);
  kept = opendir("folder");
}

static int
even(const struct dirent *entry)
{
  return (entry->d_name[strlen(entry->d_name) - 1] & 1) == 0;
}

/* "." and ".." as well: each entry is as long as its name asks for. */
static void
case_scandir(void)
{
  struct dirent **names;
  int n;
  make_folder();
  n = scandir("folder", &names, even, alphasort);
  demand(n == 17);
  while (n-- > 0)
    free(names[n]);
  free(names);
}

static void
case_paths(void)
{
  char *here = getcwd(NULL, 0), *same = get_current_dir_name();
  char *there = realpath("/usr/../etc/./passwd", NULL);
  char *name = canonicalize_file_name("/");
  demand(strcmp(there, "/etc/passwd") == 0 && strcmp(name, "/") == 0);
  demand(realpath("/nonexistent/file", NULL) == NULL);
  free(here);
  free(same);
  free(name);
  free(there);
  kept = getcwd(NULL, 300);
}

static void
case_wordexp(void)
{
  wordexp_t words;
  make_folder();
  setenv("NAME", "some value", 1);
  demand(wordexp("a 'b c' $NAME \"$NAME\" folder/*-0?", &words, 0) == 0);
  demand(words.we_wordc == 15);
  wordfree(&words);
  demand(wordexp("$(echo one two)", &words, 0) == 0);
  demand(words.we_wordc == 2);
  wordfree(&words);
  demand(wordexp("a | b", &words, 0) == WRDE_BADCHAR);
}

static void
case_glob(void)
{
  glob_t names;
  make_folder();
  demand(glob("folder/*-1?", 0, NULL, &names) == 0 && names.gl_pathc == 10);
  demand(glob("{folder,.}/file-2?", GLOB_APPEND | GLOB_BRACE, NULL,
              &names) == 0);
  globfree(&names);
  demand(glob("nonexistent*", 0, NULL, &names) == GLOB_NOMATCH);
}

static int
visit(const char *path, const struct stat *status, int kind)
{
  return 0;
}

static void
case_ftw(void)
{
  char *roots[] = { "folder", NULL };
  FTS *tree;
  make_folder();
  demand(ftw("folder", visit, 5) == 0);
  tree = fts_open(roots, FTS_PHYSICAL, NULL);
  while (fts_read(tree) != NULL)
    continue;
  fts_close(tree);
}

static const struct test_case cases[] = {
  { "opendir", case_opendir },
  { "scandir", case_scandir },
  { "paths", case_paths },
  { "wordexp", case_wordexp },
  { "glob", case_glob },
  { "ftw", case_ftw },
  { NULL, NULL },
};

int
main(int argc, char **argv)
{
  return run_traced(cases, argc, argv);
}
