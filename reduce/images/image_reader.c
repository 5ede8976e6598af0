/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads an image from a file or from memory: its head, then the parts of each
 * array, which are joined; each length is checked.
 *
 * The image may have been written to meanwhile.  What is right of its trees
 * is all that a counter leads to: records are published before anything
 * refers to them, and counters are raised after that; so what nothing leads
 * to may be half a record, or none. */

#include "images/image_reader.h"

#include "tree/region_table.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- errors ------------------------------------------------------------ */

void
image_fault(const struct image *image, int64_t offset, const char *format,
            ...)
{
  va_list arguments;
  va_start(arguments, format);
  const char *text = pool_format_v(format, arguments);
  va_end(arguments);
  fail_file(MPROF_BAD_PROFILE, offset, image->path, "'%s' is damaged: %s",
            image->path, text);
}

/* ---- the file ---------------------------------------------------------- */

struct image_input {
  struct image *image;
  int file;
  const uint8_t *octets; /* NULL: they are in the file */
  uint64_t size;         /* of either */
};

/* Reads LENGTH bytes at OFFSET, which are there. */
static void
read_at(const struct image_input *input, void *bytes, size_t length,
        uint64_t offset)
{
  char *to = bytes;
  if (input->octets != NULL) {
    memcpy(to, input->octets + offset, length);
    return;
  }
  while (length > 0) {
    ssize_t got = pread(input->file, to, length, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      cannot_read(input->image->path, strerror(errno));
    if (got == 0)
      image_fault(input->image, (int64_t)offset,
                  "it ends in the middle of an array");
    to += got;
    length -= (size_t)got;
    offset += (uint64_t)got;
  }
}

static void
open_file(struct image_input *input)
{
  const char *path = input->image->path;
  struct stat status;
  input->file = input_open(path, O_RDONLY | O_NONBLOCK);
  if (fstat(input->file, &status) != 0)
    cannot_read(path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    cannot_read(path, strerror(S_ISDIR(status.st_mode) ? EISDIR : EINVAL));
  input->size = (uint64_t)status.st_size;
}

/* Fails, as the file is what FORMAT and what goes into it say. */
#define refuse(image, format, ...)                                           \
  fail_file(MPROF_BAD_PROFILE, MPROF_NO_OFFSET, (image)->path,               \
            "'%s' is " format, (image)->path, ##__VA_ARGS__)

static void
read_head(const struct image_input *input)
{
  struct image *image = input->image;
  struct image_head *head = &image->head;
  if (input->size >= sizeof *head)
    read_at(input, head, sizeof *head, 0);
  if (memcmp(head->magic, IMAGE_MAGIC, sizeof head->magic) != 0)
    refuse(image, "not an image of mprof");
  head->mprof[sizeof head->mprof - 1] = '\0';
  if (strcmp(head->mprof, MPROF_VERSION) != 0)
    refuse(image, "an image of mprof %s, but this is mprof " MPROF_VERSION,
           head->mprof);
  if (head->version != IMAGE_VERSION)
    refuse(image,
           "an image of version %" PRIu32 ", but this mprof reads version %d",
           head->version, IMAGE_VERSION);
  if (head->language != IMAGE_LISP && head->language != IMAGE_C)
    image_fault(image, 0, "its language is unknown");
}

bool
image_read_head(const char *path, struct image_head *head)
{
  struct stat status;
  /* who writes to a pipe would see one reader come and go */
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  *head = (struct image_head){.parts = 0};
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  bool is =
      file >= 0 &&
      pread(file, head, sizeof *head, 0) >= (ssize_t)sizeof head->magic &&
      memcmp(head->magic, IMAGE_MAGIC, sizeof head->magic) == 0;
  if (file >= 0)
    close(file);
  return is;
}

/* Returns the array of PART; adds it if it is new. */
static struct image_array *
find_array(struct image *image, const struct image_part *part)
{
  for (size_t i = image->array_count; i-- > 0;)
    if (image->arrays[i].kind == part->kind &&
        image->arrays[i].owner == part->owner)
      return &image->arrays[i];
  ARRAY_ADD(image, array,
            (struct image_array){.kind = (enum image_kind)part->kind,
                                 .owner = part->owner});
  return &image->arrays[image->array_count - 1];
}

/* Returns true if PART has records of its kind, within a file of SIZE bytes.
 */
static bool
is_valid(const struct image_part *part, uint64_t size)
{
  static const size_t record_bytes[IMAGE_KINDS_END] = {
      [IMAGE_CONTEXTS] = sizeof(struct context),
      [IMAGE_LEAVES] = sizeof(struct leaf),
      [IMAGE_KINDS] = sizeof(struct kind),
      [IMAGE_COUNTERS] = sizeof(struct leaf_counters),
      [IMAGE_STRIPES] = sizeof(struct stripes),
      [IMAGE_REGIONS] = sizeof(struct region),
      [IMAGE_NOTES] = 1,
      [IMAGE_LIVE_FIGURES] = sizeof(struct image_live),
      [IMAGE_OBJECTS] = sizeof(struct image_object),
      [IMAGE_REFERENCES] = sizeof(uint32_t),
      [IMAGE_BODIES] = sizeof(struct image_body),
      [IMAGE_ROOTS] = sizeof(struct image_root),
      [IMAGE_OUTSIDE] = sizeof(struct image_object)};
  return part->kind < IMAGE_KINDS_END && part->record_bytes != 0 &&
         part->record_bytes == record_bytes[part->kind] &&
         part->ready <= part->room && part->offset <= size &&
         part->ready <= (size - part->offset) / part->record_bytes;
}

/* Reads PART, which is valid and has its place in the directory at OFFSET. */
static void
read_part(const struct image_input *input, const struct image_part *part,
          uint64_t offset)
{
  struct image_array *array = find_array(input->image, part);
  const size_t bytes = part->ready * part->record_bytes;
  if (array->length != 0)
    image_fault(input->image, (int64_t)offset, "an array is there twice");
  ARRAY_ROOM(array->bytes, array->capacity, bytes);
  read_at(input, array->bytes, bytes, part->offset);
  array->length = bytes;
}

/* Reads all present parts into the present arrays.  Parts have no bytes in
 * common, so that all of them are no longer than the file. */
static void
read_parts(void *closure)
{
  struct image_input *input = closure;
  struct image *image = input->image;
  struct stat status = {.st_size = (off_t)input->size};
  uint32_t parts;
  if (input->octets == NULL && fstat(input->file, &status) != 0)
    cannot_read(image->path, strerror(errno));
  input->size = (uint64_t)status.st_size;
  if (input->size < sizeof image->head)
    image_fault(image, 0, "it is cut short");
  image->bytes = sizeof image->head;
  for (size_t i = 0; i < image->array_count; i++)
    image->arrays[i].length = 0;
  read_at(input, &parts, sizeof parts, offsetof(struct image_head, parts));
  for (uint32_t i = 0; i < parts; i++) {
    const uint64_t at = image_part_offset(i);
    struct image_part part = {.kind = IMAGE_KINDS_END};
    if (at + sizeof part <= input->size)
      read_at(input, &part, sizeof part, at);
    if (part.kind == 0)
      continue;
    if (!is_valid(&part, input->size))
      image_fault(image, (int64_t)at, "an array is invalid or cut short");
    image->bytes += part.ready * part.record_bytes;
    if (image->bytes > input->size)
      image_fault(image, (int64_t)at, "two arrays have bytes in common");
    read_part(input, &part, at);
  }
}

/* ---- trees ------------------------------------------------------------- */

void *
image_array(const struct image *image, enum image_kind kind, uint32_t owner,
            size_t *length)
{
  for (size_t i = 0; i < image->array_count; i++) {
    const struct image_array *array = &image->arrays[i];
    *length = array->length;
    if (array->kind == kind && array->length != 0 &&
        (owner == 0 || array->owner == owner))
      return array->bytes;
  }
  *length = 0;
  return NULL;
}

/* Makes trees of the arrays.  One whose last array is not there yet has
 * counted nothing. */
static void
find_trees(struct image *image)
{
  if ((image->head.flags & IMAGE_FORGETTING) != 0)
    return;
  for (size_t i = 0; i < image->array_count; i++) {
    struct image_tree t = {.owner = image->arrays[i].owner};
    struct context_tree *tree = &t.tree;
    size_t contexts = image->arrays[i].length, leaves, kinds;
    tree->contexts = (struct context *)image->arrays[i].bytes;
    tree->leaves = image_array(image, IMAGE_LEAVES, t.owner, &leaves);
    tree->kinds = image_array(image, IMAGE_KINDS, t.owner, &kinds);
    if (image->arrays[i].kind != IMAGE_CONTEXTS || contexts == 0 ||
        leaves == 0 || kinds == 0)
      continue;
    tree->context_count = (uint32_t)(contexts / sizeof(struct context));
    tree->leaf_count = (uint32_t)(leaves / sizeof(struct leaf));
    tree->kind_count = (uint32_t)(kinds / sizeof(struct kind));
    if (tree->context_count < CONTEXT_FIRST || tree->leaf_count < LEAF_FIRST)
      image_fault(image, MPROF_NO_OFFSET, "a tree has no root");
    ARRAY_ADD(image, tree, t);
  }
}

void
image_read(struct image *image, const char *path, struct input_octets octets)
{
  struct image_input input = {
      .image = image, .octets = octets.data, .size = octets.length};
  *image = (struct image){.path = path};
  if (octets.data == NULL)
    open_file(&input);
  read_head(&input);
  read_parts(&input);
  if (octets.data == NULL) {
    if (!image_hold(path, &image->head, read_parts, &input))
      cannot_read(path, "it changes all the time");
    pool_close(input.file);
  }
  find_trees(image);
}

/* ---- checks ------------------------------------------------------------ */

/* Returns by context whether it and all above are complete; parents first. */
static bool *
check_contexts(const struct context_tree *tree)
{
  struct context *contexts = tree->contexts;
  bool *good = pool_zeroed(tree->context_count, sizeof *good);
  contexts[CONTEXT_ROOT].parent = contexts[CONTEXT_OVERFLOW].parent =
      CONTEXT_ROOT;
  contexts[CONTEXT_OVERFLOW].site = SITE_OVER;
  good[CONTEXT_ROOT] = good[CONTEXT_OVERFLOW] = true;
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++) {
    good[i] = contexts[i].site != 0 && contexts[i].parent < i &&
              good[contexts[i].parent];
    if (!good[i])
      contexts[i] = (struct context){0}; /* nothing leads to it */
  }
  return good;
}

/* Checks LEAF.  What refers to a record that found no room in the file goes
 * with what is over the budget, and so does a leaf that counts nothing. */
static void
check_leaf(const struct image *image, const struct context_tree *tree,
           const bool *good, struct leaf *leaf)
{
  if (leaf->up < tree->context_count && good[leaf->up] &&
      leaf->target < tree->context_count && good[leaf->target] &&
      leaf->kind < tree->kind_count)
    return;
  if (image_leaf_counts(leaf) && (image->head.flags & IMAGE_INCOMPLETE) == 0)
    image_fault(image, MPROF_NO_OFFSET, "a count belongs to no context");
  leaf->up = leaf->target = CONTEXT_OVERFLOW;
  leaf->kind = KIND_ANY;
}

void
image_check_trees(const struct image *image)
{
  for (size_t i = 0; i < image->tree_count; i++) {
    const struct context_tree *tree = &image->trees[i].tree;
    bool *good = check_contexts(tree);
    for (uint32_t n = LEAF_OVERFLOW; n < tree->leaf_count; n++)
      check_leaf(image, tree, good, &tree->leaves[n]);
    pool_free(good);
  }
}
