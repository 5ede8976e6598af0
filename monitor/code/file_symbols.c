/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * file_symbols.c -- see file_symbols.h.
 *
 * The table of hashes: four words, the second of which is the number of the
 * first symbol that is in it; a filter; for each bucket the number of its
 * first symbol; for each symbol its hash, in which the lowest bit says that
 * it is the last one of its bucket. */
#include "code/file_symbols.h"

#include <dlfcn.h> /* dl_find_object */
#include <stddef.h>
#include <string.h>

bool
file_symbols_of(const void *address, struct file_symbols *symbols)
{
  struct dl_find_object object;
  if (_dl_find_object((void *)(uintptr_t)address, &object) != 0)
    return false;
  *symbols = (struct file_symbols){.head = object.dlfo_map_start,
                                   .base = object.dlfo_link_map->l_addr};
  for (const ElfW(Dyn) *d = object.dlfo_link_map->l_ld; d->d_tag != DT_NULL;
       d++)
    if (d->d_tag == DT_SYMTAB)
      symbols->table = (ElfW(Sym) *)d->d_un.d_ptr;
    else if (d->d_tag == DT_STRTAB)
      symbols->names = (const char *)d->d_un.d_ptr;
    else if (d->d_tag == DT_GNU_HASH)
      symbols->hash = (const uint32_t *)d->d_un.d_ptr;
  /* in the kernel's own object they are no addresses */
  return symbols->table != NULL && symbols->names != NULL &&
         (const void *)symbols->hash > object.dlfo_map_start;
}

static const uint32_t *
buckets_of(const struct file_symbols *symbols)
{
  return symbols->hash + 4 + 2 * symbols->hash[2];
}

/* Returns the word of the hash table for a symbol. */
static uint32_t
chain_at(const struct file_symbols *symbols, size_t symbol)
{
  return buckets_of(symbols)[symbols->hash[0] + symbol - symbols->hash[1]];
}

/* Returns the first symbol of a bucket, 0 if it is empty. */
static size_t
first_of(const struct file_symbols *symbols, uint32_t bucket)
{
  const uint32_t first = buckets_of(symbols)[bucket];
  return first < symbols->hash[1] ? 0 : first;
}

/* Returns the symbol behind it in its bucket, or 0. */
static size_t
next_of(const struct file_symbols *symbols, size_t symbol)
{
  return (chain_at(symbols, symbol) & 1) != 0 ? 0 : symbol + 1;
}

static uint32_t
hash_of(const char *name)
{
  uint32_t hash = 5381;
  for (; *name != '\0'; name++)
    hash = hash * 33 + (unsigned char)*name;
  return hash;
}

ElfW(Sym) * file_symbol(const struct file_symbols *symbols, const char *name,
                        uintptr_t address, const ElfW(Sym) * last)
{
  const uint32_t hash = hash_of(name), count = symbols->hash[0];
  size_t i = last != NULL ? next_of(symbols, (size_t)(last - symbols->table))
             : count == 0 ? 0
                          : first_of(symbols, hash % count);
  for (; i != 0; i = next_of(symbols, i)) {
    ElfW(Sym) *const s = &symbols->table[i];
    if ((chain_at(symbols, i) | 1) == (hash | 1) &&
        s->st_shndx != SHN_UNDEF &&
        (address == 0 || symbols->base + s->st_value == address) &&
        strcmp(symbols->names + s->st_name, name) == 0)
      return s;
  }
  return NULL;
}

uintptr_t
file_symbols_own(const struct file_symbols *first,
                 const struct file_symbols *second, uintptr_t address)
{
  for (uint32_t bucket = 0; bucket < first->hash[0]; bucket++)
    for (size_t i = first_of(first, bucket); i != 0; i = next_of(first, i)) {
      const ElfW(Sym) *const s = &first->table[i];
      if (s->st_shndx != SHN_UNDEF &&
          file_symbol(second, first->names + s->st_name, address, NULL) !=
              NULL)
        return first->base + s->st_value;
    }
  return 0;
}
