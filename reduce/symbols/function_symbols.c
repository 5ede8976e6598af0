/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Symbols are sorted once and searched by halving.  (libdwfl's own search
 * goes through all symbols for each address.)  Start-up functions are those
 * of glibc and of musl.
 */

#include "symbols/code_file.h"

#include "common/second_allocators.h"

#include <ctype.h>
#include <gelf.h>
#include <libiberty/demangle.h>

/* How far back a function that begins before others may still go on. */
enum { MOST_NESTED = 16 };

struct function_symbol {
  uint64_t start, end; /* END is after the last byte */
  const char *name;    /* the linker's; of the file */
  unsigned rank;       /* among names for one place; less is better */
};

/* ---- symbols ---------------------------------------------------------- */

static int
compare_symbols(const void *left, const void *right)
{
  const struct function_symbol *a = left, *b = right;
  return array_order(a->start, b->start)
             ?: array_order(a->rank, b->rank)
             ?: array_order(strlen(a->name), strlen(b->name))
             ?: strcmp(a->name, b->name);
}

/* Returns whether NAME is that of an allocator beside malloc. */
static bool
is_second_malloc(const char *name)
{
  static const char *const prefixes[] = {SECOND_ALLOCATORS};
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
    if (name[0] != prefixes[i][0])
      continue;
    const size_t length = strlen(prefixes[i]);
    if (strncmp(name, prefixes[i], length) == 0 &&
        strcmp(name + length, "malloc") == 0)
      return true;
  }
  return false;
}

static void
read_symbols(struct function_symbols *symbols, const struct code_file *file)
{
  int count = dwfl_module_getsymtab(file->module);
  for (int i = 1; i < count; i++) {
    GElf_Sym symbol;
    GElf_Addr address;
    const char *name = dwfl_module_getsym_info(file->module, i, &symbol,
                                               &address, NULL, NULL, NULL);
    const unsigned type = GELF_ST_TYPE(symbol.st_info);
    const unsigned binding = GELF_ST_BIND(symbol.st_info);
    if (name == NULL || *name == '\0' || symbol.st_shndx == SHN_UNDEF ||
        (type != STT_FUNC && type != STT_GNU_IFUNC))
      continue;
    struct function_symbol new = {
        .start = address,
        .end = address + symbol.st_size,
        .name = name,
        .rank = (unsigned)strspn(name, "_") * 4 + (binding == STB_GLOBAL ? 0
                                                   : binding == STB_WEAK ? 1
                                                                         : 2),
    };
    ARRAY_PUSH(symbols->symbols, symbols->count, symbols->capacity, new);
    if (is_second_malloc(name))
      symbols->second_malloc = name;
  }
}

/* Sorts the symbols.  They are put into as many ranges of addresses as there
 * are symbols, and each range is sorted: less than half of the instructions
 * of sorting all at once. */
static void
sort_symbols(struct function_symbols *symbols)
{
  struct function_symbol *const all = symbols->symbols;
  const size_t count = symbols->count;
  struct function_symbol *sorted = pool_zeroed(count, sizeof *sorted);
  uint32_t *range_of = pool_zeroed(count, sizeof *range_of);
  uint64_t lowest = UINT64_MAX, highest = 0;
  struct lists ranges;
  for (size_t i = 0; i < count; i++) {
    lowest = all[i].start < lowest ? all[i].start : lowest;
    highest = all[i].start > highest ? all[i].start : highest;
  }
  for (size_t i = 0; i < count; i++)
    range_of[i] = (uint32_t)((all[i].start - lowest) /
                             ((highest - lowest) / count + 1));
  lists_init(&ranges, count, range_of, count);
  for (size_t range = 0, end = 0; range < count; range++) {
    const size_t begin = end;
    for (uint32_t i = lists_first(&ranges, range); i != UINT32_MAX;
         i = lists_next(&ranges, i))
      sorted[end++] = all[i];
    array_sort(sorted + begin, end - begin, sizeof *sorted, compare_symbols);
  }
  lists_release(&ranges);
  pool_free(range_of);
  pool_free(all);
  symbols->symbols = sorted;
}

/* Keeps the best of the symbols for each place; one without a size goes as
 * far as the next. */
static void
settle_symbols(struct function_symbols *symbols)
{
  sort_symbols(symbols);
  struct function_symbol *all = symbols->symbols;
  size_t kept = 0;
  for (size_t i = 0; i < symbols->count; i++) {
    if (kept > 0 && all[kept - 1].start == all[i].start) {
      if (all[i].end > all[kept - 1].end)
        all[kept - 1].end = all[i].end;
    } else {
      all[kept++] = all[i];
    }
  }
  symbols->count = kept;
  for (size_t i = 0; i + 1 < kept; i++)
    if (all[i].end == all[i].start)
      all[i].end = all[i + 1].start;
}

/* ---- call-frame information ------------------------------------------- */

/* Table in .eh_frame_hdr, as every linker writes it: sorted by `start'. */
struct __attribute__((packed)) start_table {
  uint8_t version;
  uint8_t encodings[3]; /* of the next two and of the entries */
  int32_t frames;
  uint32_t count;
  struct {
    int32_t start, description; /* of a function, relative to the table */
  } entries[];
};

/* Version 1; relative to itself, signed, 4 bytes; as it is, unsigned, 4
 * bytes; relative to the table, signed, 4 bytes. */
static const uint8_t usual_table[] = {1, 0x1b, 0x03, 0x3b};

/* Takes the starts from the SIZE bytes at TABLE, which is at ADDRESS. */
static void
take_starts(struct function_symbols *symbols, const struct start_table *table,
            size_t size, uint64_t address)
{
  if (size < sizeof *table ||
      memcmp(table, usual_table, sizeof usual_table) != 0)
    return;
  size_t count = (size - sizeof *table) / sizeof table->entries[0];
  if (table->count < count)
    count = table->count;
  symbols->starts = pool_zeroed(count, sizeof *symbols->starts);
  for (size_t i = 0; i < count; i++)
    symbols->starts[i] = address + (uint64_t)(int64_t)table->entries[i].start;
  symbols->start_count = count;
}

static void
read_starts(struct function_symbols *symbols, const struct code_file *file)
{
  size_t count;
  const char *identity = elf_getident(file->elf, NULL);
  if (identity == NULL || identity[EI_DATA] != ELFDATA2LSB ||
      elf_getphdrnum(file->elf, &count) != 0)
    return;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr header;
    if (gelf_getphdr(file->elf, (int)i, &header) == NULL ||
        header.p_type != PT_GNU_EH_FRAME)
      continue;
    Elf_Data *data = elf_getdata_rawchunk(file->elf, (int64_t)header.p_offset,
                                          header.p_filesz, ELF_T_BYTE);
    if (data != NULL && data->d_buf != NULL) {
      take_starts(symbols, data->d_buf, data->d_size, header.p_vaddr);
      return;
    }
  }
}

/* ---- both ------------------------------------------------------------- */

void
function_symbols_init(struct function_symbols *symbols,
                      const struct code_file *file)
{
  memset(symbols, 0, sizeof *symbols);
  read_symbols(symbols, file);
  settle_symbols(symbols);
  read_starts(symbols, file);
}

bool
function_symbols_find(const struct function_symbols *symbols,
                      uint64_t address, struct function_found *found)
{
  const struct function_symbol *all = symbols->symbols;
  size_t before =
      array_count_until(all, symbols->count, sizeof *all, address);
  for (size_t i = before; i > 0 && before - i < MOST_NESTED; i--)
    if (address < all[i - 1].end) {
      *found = (struct function_found){all[i - 1].start, all[i - 1].name};
      return true;
    }
  before = array_count_until(symbols->starts, symbols->start_count,
                             sizeof *symbols->starts, address);
  if (before > 0)
    *found = (struct function_found){symbols->starts[before - 1], NULL};
  return before > 0;
}

/* ---- names ------------------------------------------------------------- */

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

/* Returns the length of SYMBOL without one of these at its end. */
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

/* Returns the length of SYMBOL, not empty, without all of them. */
static size_t
bare_length(const char *symbol)
{
  size_t length;
  size_t shorter = 1 + strcspn(symbol + 1, "@"); /* fopen@@GLIBC_2.2.5 */
  do {
    length = shorter;
    shorter = length_without_suffix(symbol, length);
  } while (shorter < length);
  return length;
}

char *
function_name_of_symbol(const char *symbol)
{
  char *name = pool_text_part(symbol, bare_length(symbol));
  char *readable = cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI |
                                            DMGL_RET_DROP | DMGL_AUTO);
  if (readable == NULL)
    return name;
  pool_on_release(free, readable);
  pool_free(name);
  name = pool_text(readable);
  pool_release_now(readable);
  return name;
}

bool
is_start_up_function(const char *symbol, const char *file)
{
  if (symbol == NULL || (*symbol != '_' && !is_c_library(file)))
    return false;
  const size_t length = bare_length(symbol);
  for (size_t i = 0;
       i < sizeof start_up_functions / sizeof start_up_functions[0]; i++)
    if (strncmp(start_up_functions[i], symbol, length) == 0 &&
        start_up_functions[i][length] == '\0')
      return true;
  return false;
}

bool
is_c_library(const char *file)
{
  static const char *const starts[] = {"libc.so",  "libc-",   "libpthread",
                                       "ld-linux", "ld-musl", "ld.so",
                                       "ld-2."};
  const char *name = basename(file);
  for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
    if (strncmp(name, starts[i], strlen(starts[i])) == 0)
      return true;
  return false;
}
