/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The child sets its environment before it becomes the program; a pipe that
 * closes on exec tells whether that succeeded.
 *
 * Whether a program cannot be monitored is known by the rights, program
 * headers and symbols of its file; of a script, by those of its interpreter.
 * Programs that a monitored program starts are not looked at.
 */

#include "command/run_program.h"

#include "command/program_start.h"
#include "command/run_files.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { SHELL_CANNOT_RUN = 126, SHELL_NOT_FOUND = 127, SHELL_SIGNAL = 128 };

/* ---- the library ------------------------------------------------------- */

/* Sets PATH, of PATH_MAX bytes, to the file of a LIBRARY of mprof's, which is
 * WHAT: in the folder that MPROF_LIB names, else in lib beside the folder of
 * this command. */
static void
library_find(const char *library, const char *what, char *path)
{
  char own[PATH_MAX] = "";
  const char *given = secure_getenv("MPROF_LIB");
  if (given == NULL || *given == '\0') {
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length < 0 ? 0 : length] = '\0';
    for (int i = 0; i < 2 && strrchr(own, '/') != NULL; i++)
      *strrchr(own, '/') = '\0';
    given = pool_format("%s/lib", own);
  }
  const char *wanted = pool_format("%s/%s", given, library);
  if (realpath(wanted, path) == NULL)
    fail_with(MPROF_CANNOT_READ,
              "cannot find the %s '%s': %s (MPROF_LIB can name its folder)",
              what, wanted, strerror(errno));
}

void *
library_load(const char *name)
{
  char path[PATH_MAX];
  library_find("libmprof-serve.so", "server library", path);
  void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *found = opened == NULL ? NULL : dlsym(opened, name);
  if (found == NULL)
    fail_with(MPROF_CANNOT_READ, "cannot load '%s': %s", path, dlerror());
  return found;
}

void
monitor_find(char *path)
{
  library_find("libmprof-malloc.so", "monitor", path);
  if (strpbrk(path, " :") != NULL)
    fail_with(MPROF_CANNOT_READ,
              "cannot preload '%s': its path has a space or a colon", path);
}

/* ---- which programs take it -------------------------------------------- */

enum { SCRIPTS = 4 }; /* that interpret one another, as in the kernel */

/* Returns whether the kernel lets the program PATH do other things than this
 * process may: then the dynamic linker preloads nothing that is named by a
 * path.  Such a program need not be readable. */
static bool
has_other_rights(const char *path)
{
  struct stat status;
  if (stat(path, &status) != 0)
    return false;
  return ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) ||
         ((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid()) ||
         (geteuid() != 0 &&
          getxattr(path, "security.capability", NULL, 0) > 0);
}

/* Returns why the 64-bit program ELF cannot be monitored, by the dynamic
 * linker that it asks for; or NULL. */
static const char *
reason_of_linker(Elf *elf)
{
  size_t parts = 0, bytes = 0;
  const char *file = elf_rawfile(elf, &bytes);
  elf_getphdrnum(elf, &parts);
  for (size_t i = 0; i < parts; i++) {
    GElf_Phdr part;
    if (gelf_getphdr(elf, (int)i, &part) == NULL || part.p_type != PT_INTERP)
      continue;
    const bool known = file != NULL && part.p_offset < bytes &&
                       part.p_filesz <= bytes - part.p_offset;
    return !known || memmem(file + part.p_offset, part.p_filesz, "/ld-linux",
                            strlen("/ld-linux")) != NULL
               ? NULL
               : "it does not use the GNU C library; link it with glibc";
  }
  return "it is statically linked, so mprof cannot be preloaded; link it "
         "without -static";
}

/* Returns whether the table of symbols SECTION of ELF defines NAME. */
static bool
defines(Elf *elf, Elf_Scn *section, const char *name)
{
  GElf_Shdr header;
  GElf_Sym symbol;
  Elf_Data *data = elf_getdata(section, NULL);
  if (data == NULL || gelf_getshdr(section, &header) == NULL)
    return false;
  for (int i = 0; gelf_getsym(data, i, &symbol) != NULL; i++) {
    const char *own = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (symbol.st_shndx != SHN_UNDEF && own != NULL && strcmp(own, name) == 0)
      return true;
  }
  return false;
}

/* Returns whether the program ELF has a malloc that all of it finds before
 * any library's, and that is not mprof's. */
static bool
has_own_malloc(Elf *elf)
{
  bool own = false, ours = false;
  for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s)) != NULL;) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == NULL)
      continue;
    own = own || (header.sh_type == SHT_DYNSYM && defines(elf, s, "malloc"));
    ours = ours ||
           (header.sh_type == SHT_SYMTAB && defines(elf, s, "mprof_bypass"));
  }
  return own && !ours;
}

/* Returns whether ELF needs a library that takes the place of malloc, as those
 * of sanitizers do. */
static bool
needs_sanitizer(Elf *elf)
{
  static const char *const names[] = {
      "libasan.so",       "libhwasan.so",     "liblsan.so",
      "libtsan.so",       "libclang_rt.asan", "libclang_rt.hwasan",
      "libclang_rt.tsan",
  };
  for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s)) != NULL;) {
    GElf_Shdr header;
    GElf_Dyn entry;
    if (gelf_getshdr(s, &header) == NULL || header.sh_type != SHT_DYNAMIC)
      continue;
    Elf_Data *data = elf_getdata(s, NULL);
    for (int i = 0; gelf_getdyn(data, i, &entry) != NULL; i++) {
      const char *library = entry.d_tag == DT_NEEDED
                                ? elf_strptr(elf, header.sh_link,
                                             entry.d_un.d_val)
                                : NULL;
      for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        if (library != NULL &&
            strncmp(library, names[n], strlen(names[n])) == 0)
          return true;
    }
  }
  return false;
}

static bool
is_valgrind(const char *path)
{
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  return strcmp(name, "valgrind") == 0 || strcmp(name, "valgrind.bin") == 0;
}

/* Returns why the file open as DESCRIPTOR, not a script, cannot be monitored;
 * or NULL. */
static const char *
reason_of_file(int descriptor)
{
  const char *reason = NULL;
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
  if (elf_kind(elf) == ELF_K_ELF)
    reason = gelf_getclass(elf) != ELFCLASS64 ? "it is not a 64-bit program"
                                              : reason_of_linker(elf);
  if (elf_kind(elf) == ELF_K_ELF && reason == NULL)
    reason = needs_sanitizer(elf)
                 ? "a sanitizer takes the place of its malloc; build it "
                   "without -fsanitize"
             : has_own_malloc(elf)
                 ? "it has its own malloc; link it without one"
                 : NULL;
  elf_end(elf);
  return reason;
}

const char *
file_reason(const char *path)
{
  char interpreter[PATH_MAX];
  const char *reason = NULL;
  for (int i = 0; i < SCRIPTS && path[0] != '\0' && reason == NULL; i++) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
      return NULL;
    if (is_valgrind(path))
      reason = "valgrind takes the place of malloc itself; run the program "
               "without it";
    else if (!program_interpreter(descriptor, interpreter))
      reason = reason_of_file(descriptor);
    close(descriptor);
    path = interpreter;
  }
  return reason;
}

const char *
unmonitored_reason(const char *name)
{
  char path[PATH_MAX];
  if (!program_find(name, getenv("PATH"), path))
    return NULL;
  return has_other_rights(path)
             ? "it runs with other rights than yours (setuid), so mprof "
               "cannot be preloaded; run a copy of it without them"
             : file_reason(path);
}

/* ---- the process ------------------------------------------------------- */

/* Returns NUMBER as text; NULL for 0. */
static const char *
number_text(size_t number)
{
  return number == 0 ? NULL : pool_format("%zu", number);
}

const struct run_setting *
run_settings(const struct run_options *run, const char *file)
{
  const bool attaches = run->process != 0;
  const bool alone = attaches || run->children == CHILDREN_LEFT_OUT;
  const char *reader = pool_format("%010u", (unsigned)getpid());
  const struct run_setting settings[] = {
      {"MPROF_OUT", file},
      {"MPROF_ONLY", run->only},
      {"MPROF_BY", attaches ? reader : NULL},
      {"MPROF_WATCHED", run->serve != NULL ? "1" : NULL},
      {"MPROF_CHILDREN", alone ? "no" : NULL},
      {"MPROF_COUNT", run->off ? "off" : NULL},
      {"MPROF_UNFOLDED", run->unfolded ? "1" : NULL},
      {"MPROF_REACHABLE", run->reachable ? reader : NULL},
      {"MPROF_SIGNAL", run->signal},
      {"MPROF_BUDGET", number_text(run->budget)},
      {"MPROF_TEMPORARY", number_text(run->temporary)},
      {NULL, NULL}};
  return memcpy(pool_alloc(sizeof settings), settings, sizeof settings);
}

/* Makes this process, with all that it becomes, one that preloads LIBRARY,
 * before what is preloaded already; but not valgrind.  In a child nothing may
 * end the attempt of its parent: the memory is malloc's. */
static bool
set_preload(const char *program, const char *library)
{
  const char *others = getenv("LD_PRELOAD");
  bool any = others != NULL && *others != '\0';
  char path[PATH_MAX];
  char *preload;
  if (program_find(program, getenv("PATH"), path) && is_valgrind(path))
    return true;
  return asprintf(&preload, "%s%s%s", library, any ? ":" : "",
                  any ? others : "") >= 0 &&
         setenv("LD_PRELOAD", preload, true) == 0;
}

/* Makes this process one that does as SETTINGS say. */
static bool
set_environment(const struct run_setting *settings)
{
  char process[16];
  /* as long for all processes, see process_image.c */
  snprintf(process, sizeof process, "%010u", (unsigned)getpid());
  bool good = setenv("MPROF_ROOT_PID", process, true) == 0;
  for (; settings->name != NULL; settings++)
    good = good && (settings->value == NULL
                        ? unsetenv(settings->name)
                        : setenv(settings->name, settings->value, true)) == 0;
  return good;
}

/* Becomes the program that OPTIONS name, as execvp does; but no shell reads
 * an ELF file that the kernel refuses, such as one for another processor. */
static void
execute(const struct options *options)
{
  char *const *arguments = (char *const *)(uintptr_t)options->files;
  char path[PATH_MAX], magic[SELFMAG] = "";
  if (program_find(arguments[0], getenv("PATH"), path)) {
    execv(path, arguments);
    const int file = errno == ENOEXEC ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    errno = ENOEXEC;
    if (file >= 0 && read(file, magic, SELFMAG) == SELFMAG &&
        memcmp(magic, ELFMAG, SELFMAG) == 0)
      return;
  }
  execvp(arguments[0], arguments);
}

/* Becomes the program, in the child; writes a failure to the pipe REPORT. */
static void
become_program(const struct options *options, const char *library,
               const struct run_setting *settings, const sigset_t *signals,
               int report)
{
  sigprocmask(SIG_SETMASK, signals, NULL);
  if (set_preload(options->files[0], library) && set_environment(settings))
    execute(options);
  int failure = errno;
  while (write(report, &failure, sizeof failure) < 0 && errno == EINTR)
    continue;
  _exit(SHELL_CANNOT_RUN);
}

/* Fails with what FAILURE, an errno value of exec, means. */
static _Noreturn void
cannot_run(const struct options *options, int failure,
           struct outcome *outcome)
{
  const char *name = options->files[0];
  bool unknown = failure == ENOENT && strchr(name, '/') == NULL;
  outcome->status = failure == ENOENT ? SHELL_NOT_FOUND : SHELL_CANNOT_RUN;
  fail_with(MPROF_CANNOT_RUN, "cannot run '%s': %s", name,
            unknown ? "command not found" : strerror(failure));
}

void
program_check(const struct options *options, struct outcome *outcome)
{
  char path[PATH_MAX];
  if (!program_find(options->files[0], getenv("PATH"), path))
    cannot_run(options, errno, outcome);
}

void
program_run(const struct options *options, struct run_files *files,
            struct outcome *outcome)
{
  char library[PATH_MAX];
  int report[2];
  sigset_t before;
  struct sigaction action = {.sa_handler = SIG_DFL};
  struct sigaction action_before; /* an ignored end could not be waited for */
  int failure = 0;
  monitor_find(library);
  const struct run_setting *settings =
      run_settings(&options->run, files->path);
  if (pipe2(report, O_CLOEXEC) != 0)
    fail_with(MPROF_CANNOT_RUN, "cannot make a pipe: %s", strerror(errno));
  run_signals_block(&before);
  sigaction(SIGCHLD, &action, &action_before);
  pid_t child = fork();
  if (child == 0) {
    sigaction(SIGCHLD, &action_before, NULL);
    become_program(options, library, settings, &before, report[1]);
  }
  if (child < 0)
    failure = errno;
  close(report[1]);
  while (failure == 0 && read(report[0], &failure, sizeof failure) < 0 &&
         errno == EINTR)
    continue;
  close(report[0]);
  if (failure == 0)
    run_files_settle(files, true);
  int status =
      child < 0 ? 0
                : run_signals_wait_child(child, options->run.serve != NULL);
  if (failure != 0)
    cannot_run(options, failure, outcome);
  outcome->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome->status = outcome->signal != 0 ? SHELL_SIGNAL + outcome->signal
                                         : WEXITSTATUS(status);
}
