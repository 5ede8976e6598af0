/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pieces are listed first, in their order, which is that in which arrays grew,
 * and then read.
 */

#include "recover/image_reader.h"

#include "base/array.h"
#include "recover/image_hold.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- errors ------------------------------------------------------------ */

bool
image_fault(const struct image *image, struct mprof_error *error,
            int64_t offset, const char *format, ...)
{
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return mprof_error_set(error, MPROF_BAD_PROFILE, offset,
                         "'%s' is damaged: %s", image->path, text);
}

static bool
cannot_read(const struct image *image, int number, struct mprof_error *error)
{
  return mprof_fail(error, MPROF_CANNOT_READ, "cannot read '%s': %s",
                    image->path, strerror(number));
}

/* ---- the file ---------------------------------------------------------- */

struct image_input {
  struct image *image;
  int file;
  const uint8_t *octets; /* NULL: they are in the file */
  uint64_t size; /* of either */
  uint64_t end;  /* of what is listed */
  struct image_part *parts; /* owned */
  size_t part_count, part_capacity;
  struct mprof_error *error;
};

/* Reads LENGTH bytes at OFFSET, which are there. */
static bool
read_at(const struct image_input *input, void *bytes, size_t length,
        uint64_t offset)
{
  char *to = bytes;
  if (input->octets != NULL) {
    memcpy(to, input->octets + offset, length);
    return true;
  }
  while (length > 0) {
    ssize_t got = pread(input->file, to, length, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return cannot_read(input->image, errno, input->error);
    if (got == 0)
      return image_fault(input->image, input->error, (int64_t)offset,
                         "it ends in the middle of a piece");
    to += got;
    length -= (size_t)got;
    offset += (uint64_t)got;
  }
  return true;
}

static bool
read_head(const struct image_input *input)
{
  struct image *image = input->image;
  struct image_head *head = &image->head;
  if (input->size < IMAGE_PAGE ||
      !read_at(input, head, sizeof *head, 0) ||
      memcmp(head->magic, IMAGE_MAGIC, sizeof head->magic) != 0)
    return mprof_fail(input->error, MPROF_BAD_PROFILE,
                      "'%s' is not an image of mprof", image->path);
  head->mprof[sizeof head->mprof - 1] = '\0';
  if (head->version != IMAGE_VERSION ||
      strcmp(head->mprof, MPROF_VERSION) != 0)
    return mprof_fail(input->error, MPROF_BAD_PROFILE,
                      "'%s' is an image of mprof %s, but this is "
                      "mprof " MPROF_VERSION,
                      image->path, head->mprof);
  return (head->language == IMAGE_LISP || head->language == IMAGE_C) ||
         image_fault(image, input->error, 0, "its language is unknown");
}

bool
image_read_head(const char *path, struct image_head *head)
{
  struct stat status;
  /* who writes to a pipe would see one reader come and go */
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  bool is = file >= 0 &&
            pread(file, head, sizeof *head, 0) >= (ssize_t)sizeof head->magic &&
            memcmp(head->magic, IMAGE_MAGIC, sizeof head->magic) == 0;
  if (file >= 0)
    close(file);
  return is;
}

bool
image_is(const char *path)
{
  struct image_head head;
  return image_read_head(path, &head);
}

/* The number of the array of the piece HEAD, made when it is the first one. */
static bool
find_array(const struct image_input *input, const struct image_piece *head,
           size_t *number)
{
  struct image *image = input->image;
  for (*number = image->array_count; (*number)-- > 0;)
    if (image->arrays[*number].kind == head->kind &&
        image->arrays[*number].owner == head->owner)
      return true;
  *number = image->array_count;
  return ARRAY_PUSH(image->arrays, image->array_count, image->array_capacity,
                    (struct image_array){.kind = (enum image_kind)head->kind,
                                         .owner = head->owner}) ||
         mprof_error_memory(input->error);
}

/* Adds the piece HEAD, whose bytes are at OFFSET, to the list. */
static bool
list_piece(struct image_input *input, const struct image_piece *head,
           uint64_t offset)
{
  struct image_part part = {.offset = offset, .bytes = head->bytes};
  if (!find_array(input, head, &part.array))
    return false;
  struct image_array *array = &input->image->arrays[part.array];
  if (head->at != array->length)
    return image_fault(input->image, input->error, (int64_t)offset,
                       "a piece does not follow the one before");
  part.at = array->length;
  if (array->kind == IMAGE_STRIPES)
    input->image->stripes_offset = offset;
  array->length += head->bytes;
  return ARRAY_PUSH(input->parts, input->part_count, input->part_capacity,
                    part) ||
         mprof_error_memory(input->error);
}

static bool
list_pieces(struct image_input *input)
{
  for (input->end = IMAGE_PAGE; input->end + IMAGE_PAGE <= input->size;) {
    struct image_piece head;
    if (!read_at(input, &head, sizeof head, input->end))
      return false;
    if (head.kind == 0)
      return true;
    const uint64_t at = input->end + IMAGE_PAGE;
    if (head.magic != IMAGE_PIECE_MAGIC || head.kind >= IMAGE_PIECE_KINDS ||
        head.bytes % IMAGE_PAGE != 0 || head.bytes > input->size - at)
      return image_fault(input->image, input->error, (int64_t)at,
                         "a piece is invalid or cut short");
    if (head.kind != IMAGE_FREE && !list_piece(input, &head, at))
      return false;
    input->end = at + head.bytes;
  }
  return true;
}

/* Whether ARRAY may stay where it is in memory, in one PART: the check writes
 * into some arrays. */
static bool
may_borrow(const struct image_input *input, const struct image_array *array,
           const struct image_part *part)
{
  return input->octets != NULL &&
         (uintptr_t)input->octets % sizeof(uint64_t) == 0 &&
         part->bytes == array->length && array->kind != IMAGE_CONTEXTS &&
         array->kind != IMAGE_LEAVES && array->kind != IMAGE_REGIONS;
}

/* Reads a part of ARRAY, for which there is room when the first one is. */
static bool
read_part(const struct image_input *input, struct image_array *array,
          const struct image_part *part)
{
  if (may_borrow(input, array, part)) {
    array->bytes = (char *)(uintptr_t)(input->octets + part->offset);
    array->borrowed = true;
    return true;
  }
  if (array->bytes == NULL)
    array->bytes = malloc(array->length + 1);
  return array->bytes == NULL
             ? mprof_error_memory(input->error)
             : read_at(input, array->bytes + part->at, part->bytes,
                       part->offset);
}

/* Reads the arrays but those that HELD says were copied. */
static bool
read_arrays(const struct image_input *input, bool held)
{
  struct image *image = input->image;
  for (size_t i = 0; i < input->part_count; i++) {
    const struct image_part *part = &input->parts[i];
    struct image_array *array = &image->arrays[part->array];
    if (!(held && image_is_held(array->kind)) &&
        !read_part(input, array, part))
      return false;
  }
  return true;
}

static void
forget_arrays(struct image_input *input)
{
  struct image *image = input->image;
  for (size_t i = 0; i < image->array_count; i++)
    if (!image->arrays[i].borrowed)
      free(image->arrays[i].bytes);
  image->array_count = input->part_count = 0;
}

/* A file may have grown meanwhile. */
static bool
measure(struct image_input *input)
{
  struct stat status;
  if (input->octets != NULL)
    return true;
  if (fstat(input->file, &status) != 0)
    return cannot_read(input->image, errno, input->error);
  input->size = (uint64_t)status.st_size;
  return true;
}

/* Of a program that runs and lets itself be held up, the counters are all of
 * one moment; what they are of may be changed by it meanwhile, and then it is
 * read once more. */
static bool
read_pieces(struct image_input *input)
{
  enum { TRIES = 100 };
  bool good = true, again = true;
  for (int i = 0; good && again && i < TRIES; i++) {
    struct image_hold hold;
    forget_arrays(input);
    good = measure(input) && list_pieces(input);
    bool held = good && input->octets == NULL &&
                image_hold(&hold, input->image, input->file,
                                   input->parts, input->part_count,
                                   input->end);
    good = good && read_arrays(input, held);
    again = held && !image_hold_is_good(&hold);
    if (held)
      image_hold_release(&hold);
  }
  return good && (!again || mprof_fail(input->error, MPROF_CANNOT_READ,
                                       "cannot read '%s': it changes all the "
                                       "time",
                                       input->image->path));
}

/* ---- trees ------------------------------------------------------------- */

const struct image_array *
image_array(const struct image *image, enum image_kind kind, uint32_t owner)
{
  for (size_t i = 0; i < image->array_count; i++)
    if (image->arrays[i].kind == kind &&
        (owner == 0 || image->arrays[i].owner == owner))
      return &image->arrays[i];
  return NULL;
}

/* Makes trees of the arrays.  One whose last array is not there yet has
 * counted nothing. */
static bool
find_trees(struct image *image, struct mprof_error *error)
{
  if ((image->head.flags & IMAGE_FORGETTING) != 0)
    return true;
  for (size_t i = 0; i < image->array_count; i++) {
    const struct image_array *contexts = &image->arrays[i];
    if (contexts->kind != IMAGE_CONTEXTS)
      continue;
    const struct image_array *leaves =
        image_array(image, IMAGE_LEAVES, contexts->owner);
    const struct image_array *kinds =
        image_array(image, IMAGE_KINDS, contexts->owner);
    if (leaves == NULL || kinds == NULL)
      continue;
    struct image_tree t = {.owner = contexts->owner};
    t.tree.contexts = (struct context *)contexts->bytes;
    t.tree.leaves = (struct leaf *)leaves->bytes;
    t.tree.kinds = (struct kind *)kinds->bytes;
    t.tree.context_count =
        (uint32_t)(contexts->length / sizeof(struct context));
    t.tree.leaf_count = (uint32_t)(leaves->length / sizeof(struct leaf));
    t.tree.kind_count = (uint32_t)(kinds->length / sizeof(struct kind));
    if (!ARRAY_PUSH(image->trees, image->tree_count, image->tree_capacity, t))
      return mprof_error_memory(error);
  }
  return true;
}

bool
image_read(struct image *image, const char *path, struct mprof_error *error)
{
  struct image_input input = {.image = image, .error = error};
  struct stat status;
  *image = (struct image){.path = path};
  input.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (input.file < 0)
    return mprof_fail(error, MPROF_CANNOT_READ, "cannot open '%s': %s", path,
                      strerror(errno));
  bool good = fstat(input.file, &status) == 0 ||
              cannot_read(image, errno, error);
  if (good && !S_ISREG(status.st_mode))
    good = cannot_read(image, S_ISDIR(status.st_mode) ? EISDIR : EINVAL,
                       error);
  input.size = good ? (uint64_t)status.st_size : 0;
  good = good && read_head(&input) && read_pieces(&input);
  image->bytes = input.size;
  close(input.file);
  free(input.parts);
  return good && find_trees(image, error);
}

bool
image_is_octets(struct input_octets octets)
{
  return octets.length >= sizeof IMAGE_MAGIC - 1 &&
         memcmp(octets.data, IMAGE_MAGIC, sizeof IMAGE_MAGIC - 1) == 0;
}

bool
image_read_octets(struct image *image, struct input_octets octets,
                  struct mprof_error *error)
{
  struct image_input input = {.image = image,
                              .octets = octets.data,
                              .size = octets.length,
                              .error = error};
  *image = (struct image){.path = "memory", .bytes = octets.length};
  const bool good = read_head(&input) && read_pieces(&input);
  free(input.parts);
  return good && find_trees(image, error);
}

struct stripes
image_stripes(const struct image *image)
{
  const struct image_array *array = image_array(image, IMAGE_STRIPES, 0);
  struct stripes all = {0};
  if (array != NULL && array->length >= sizeof all)
    memcpy(&all, array->bytes, sizeof all);
  return all;
}

void
image_read_release(struct image *image)
{
  for (size_t i = 0; i < image->array_count; i++)
    if (!image->arrays[i].borrowed)
      free(image->arrays[i].bytes);
  free(image->arrays);
  free(image->trees);
  *image = (struct image){0};
}
