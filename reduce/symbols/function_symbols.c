/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Symbols are sorted once and searched by halving.  (libdwfl's own search
 * goes through all symbols for each address.)
 */

#include "symbols/function_symbols.h"

#include "base/array.h"

#include <gelf.h>
#include <string.h>

/* How far back a function that begins before others may still go on. */
enum { MOST_NESTED = 16 };

/* ---- symbols ---------------------------------------------------------- */

static int
compare_symbols(const void *left, const void *right)
{
  const struct function_symbol *a = left;
  const struct function_symbol *b = right;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  if (a->rank != b->rank)
    return a->rank < b->rank ? -1 : 1;
  size_t lengths[] = {strlen(a->name), strlen(b->name)};
  if (lengths[0] != lengths[1])
    return lengths[0] < lengths[1] ? -1 : 1;
  return strcmp(a->name, b->name);
}

static unsigned
rank_of(const char *name, unsigned binding)
{
  unsigned underscores = (unsigned)strspn(name, "_");
  return underscores * 4 + (binding == STB_GLOBAL ? 0
                            : binding == STB_WEAK ? 1
                                                  : 2);
}

static bool
is_function(const GElf_Sym *symbol)
{
  unsigned type = GELF_ST_TYPE(symbol->st_info);
  return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
         symbol->st_shndx != SHN_UNDEF;
}

static bool
read_symbols(struct function_symbols *symbols, const struct code_file *file)
{
  int count = dwfl_module_getsymtab(file->module);
  for (int i = 1; i < count; i++) {
    GElf_Sym symbol;
    GElf_Addr address;
    const char *name = dwfl_module_getsym_info(file->module, i, &symbol,
                                               &address, NULL, NULL, NULL);
    if (name == NULL || *name == '\0' || !is_function(&symbol))
      continue;
    struct function_symbol *room =
        array_reserve(symbols->symbols, &symbols->capacity,
                      symbols->count + 1, sizeof *room);
    if (room == NULL)
      return false;
    symbols->symbols = room;
    room[symbols->count++] = (struct function_symbol){
        .start = address,
        .end = address + symbol.st_size,
        .name = name,
        .rank = rank_of(name, GELF_ST_BIND(symbol.st_info)),
    };
  }
  return true;
}

/* Keeps the best of the symbols for each place; one without a size goes as
 * far as the next. */
static void
settle_symbols(struct function_symbols *symbols)
{
  struct function_symbol *all = symbols->symbols;
  size_t kept = 0;
  array_sort(all, symbols->count, sizeof *all, compare_symbols);
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

/* The table in .eh_frame_hdr as every linker writes it: version 1, then how
 * three things are encoded, the address of .eh_frame and the number of
 * entries, four bytes each, then pairs of four bytes each relative to the
 * table: where a function begins, and where its description is. */
enum {
  HEADER_BYTES = 12,
  ENTRY_BYTES = 8,
  POINTER_IN_4 = 0x1b, /* relative to itself, signed, 4 bytes */
  COUNT_IN_4 = 0x03,   /* as it is, unsigned, 4 bytes */
  TABLE_IN_4 = 0x3b    /* relative to the table, signed, 4 bytes */
};

static int32_t
read_4(const unsigned char *bytes)
{
  int32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static int
compare_starts(const void *left, const void *right)
{
  uint64_t a = *(const uint64_t *)left;
  uint64_t b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

/* Takes the starts from the SIZE bytes at TABLE, which is at ADDRESS. */
static bool
take_starts(struct function_symbols *symbols, const unsigned char *table,
            size_t size, uint64_t address)
{
  if (size < HEADER_BYTES || table[0] != 1 || table[1] != POINTER_IN_4 ||
      table[2] != COUNT_IN_4 || table[3] != TABLE_IN_4)
    return true;
  size_t count = (uint32_t)read_4(table + 8);
  if (count > (size - HEADER_BYTES) / ENTRY_BYTES)
    count = (size - HEADER_BYTES) / ENTRY_BYTES;
  symbols->starts = array_zeroed(count, sizeof *symbols->starts);
  if (symbols->starts == NULL)
    return false;
  for (size_t i = 0; i < count; i++)
    symbols->starts[i] =
        address +
        (uint64_t)(int64_t)read_4(table + HEADER_BYTES + i * ENTRY_BYTES);
  symbols->start_count = count;
  array_sort(symbols->starts, count, sizeof *symbols->starts, compare_starts);
  return true;
}

static bool
read_starts(struct function_symbols *symbols, const struct code_file *file)
{
  size_t count;
  const char *identity = elf_getident(file->elf, NULL);
  if (identity == NULL || identity[EI_DATA] != ELFDATA2LSB ||
      elf_getphdrnum(file->elf, &count) != 0)
    return true;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr header;
    if (gelf_getphdr(file->elf, (int)i, &header) == NULL ||
        header.p_type != PT_GNU_EH_FRAME)
      continue;
    Elf_Data *data = elf_getdata_rawchunk(file->elf, (int64_t)header.p_offset,
                                          header.p_filesz, ELF_T_BYTE);
    if (data != NULL && data->d_buf != NULL)
      return take_starts(symbols, data->d_buf, data->d_size, header.p_vaddr);
  }
  return true;
}

/* ---- both ------------------------------------------------------------- */

bool
function_symbols_init(struct function_symbols *symbols,
                      const struct code_file *file)
{
  memset(symbols, 0, sizeof *symbols);
  if (!read_symbols(symbols, file))
    return false;
  settle_symbols(symbols);
  return read_starts(symbols, file);
}

void
function_symbols_release(struct function_symbols *symbols)
{
  free(symbols->symbols);
  free(symbols->starts);
  memset(symbols, 0, sizeof *symbols);
}

/* How many symbols begin at ADDRESS or before it. */
static size_t
count_symbols_until(const struct function_symbols *symbols, uint64_t address)
{
  size_t low = 0;
  size_t high = symbols->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (symbols->symbols[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static size_t
count_starts_until(const struct function_symbols *symbols, uint64_t address)
{
  size_t low = 0;
  size_t high = symbols->start_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (symbols->starts[middle] <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool
function_symbols_find(const struct function_symbols *symbols,
                      uint64_t address, struct function_found *found)
{
  size_t before = count_symbols_until(symbols, address);
  for (size_t i = before; i > 0 && before - i < MOST_NESTED; i--) {
    const struct function_symbol *symbol = &symbols->symbols[i - 1];
    if (address < symbol->end) {
      *found = (struct function_found){symbol->start, symbol->name};
      return true;
    }
  }
  size_t starts = count_starts_until(symbols, address);
  if (starts == 0)
    return false;
  *found = (struct function_found){symbols->starts[starts - 1], NULL};
  return true;
}
