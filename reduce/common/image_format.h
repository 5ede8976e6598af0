/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The format of images: the counters of a program, and what their numbers
 * stand for.  Of an image the reader makes a profile.  Counters are in it as
 * they are counted, in a file that the program maps into its memory and that
 * outlives it, however it ends; or as they were at one moment, in memory.
 *
 *     offset 0    struct image_head
 *            64   struct image_part, 0 to parts - 1: the directory
 *     anywhere    the records of each part
 *
 * A part is `room' records of an array that grew, from its record `first' on;
 * `ready' of them may be read.  The parts of an array come in their order,
 * without a gap.  A part of kind 0 is none.  The rest of the file is holes,
 * and records that are not used yet are zero.
 *
 * Arrays of records are those of the monitor's memory (context_tree.h,
 * stripes.h), so an image is read by the version of mprof that has made it.
 * Records that are not complete count nothing: counters are stored after all
 * that they are of.
 *
 * What is no number is in notes, in the order of their writing; a later one
 * on the same matter holds.
 *
 * This is of one machine: its byte order, and its sizes.
 */

#pragma once

#include "arch/arch.h"

#define IMAGE_MAGIC "mprofmap"
#define IMAGE_MOST_BUDGET 16711679 /* contexts of a C program */

enum {
  IMAGE_VERSION = 12,
  IMAGE_PAGE = ARCH_PAGE,   /* of a file, parts of which are mapped */
  IMAGE_MOST_TEMPORARY = 64 /* allocations that a temporary object outlives */
};

enum image_language { IMAGE_LISP = 1, IMAGE_C = 2 };

/* Of struct image_head. */
enum image_flag {
  IMAGE_FORGETTING = 1, /* figures are being forgotten: there are none */
  IMAGE_INCOMPLETE = 2, /* something found no room in the file */
  IMAGE_SAVED = 4,      /* the process has written its profile, at its end or
                           before exec */
  IMAGE_LIVE = 8        /* objects were followed: see IMAGE_LIVE_FIGURES */
};

struct image_head {
  char magic[8];
  uint32_t version;
  uint32_t language; /* enum image_language */
  uint32_t flags;    /* sum of enum image_flag */
  uint32_t process;  /* its number */
  char mprof[28];    /* version of mprof, a text */
  uint32_t parts;    /* of the directory; raised when the last is complete */
  uint64_t zero;
};

enum image_kind {
  IMAGE_CONTEXTS = 1, /* of a tree; the three have one owner */
  IMAGE_LEAVES,
  IMAGE_KINDS,
  IMAGE_COUNTERS, /* of a stripe, the owner */
  IMAGE_STRIPES,  /* the struct itself */
  IMAGE_REGIONS,  /* region_table.h */
  IMAGE_NOTES,
  IMAGE_LIVE_FIGURES, /* struct image_live by leaf of a tree, the owner */
  IMAGE_OBJECTS,      /* struct image_object: what a collector found alive */
  IMAGE_REFERENCES,   /* uint32_t: numbers of objects */
  IMAGE_BODIES,       /* struct image_body */
  IMAGE_ROOTS,        /* struct image_root */
  IMAGE_OUTSIDE, /* struct image_object: what is counted and alive, but none
                    of these */
  IMAGE_KINDS_END
};

struct image_part {
  uint32_t kind;  /* enum image_kind; 0: none */
  uint32_t owner; /* number of the tree or stripe that has the array */
  uint64_t room;   /* records that there is place for */
  uint64_t ready;  /* records that may be read; at most `room' */
  uint64_t offset; /* of the first record in the file */
  uint32_t record_bytes; /* of one record */
  uint32_t zero;
};

_Static_assert(sizeof(struct image_head) == 64, "a format");
_Static_assert(sizeof(struct image_part) == 40, "a format");

/* Returns the offset of that part of the directory. */
static inline uint64_t
image_part_offset(uint64_t number)
{
  return sizeof(struct image_head) + number * sizeof(struct image_part);
}

/* The objects of a leaf that were alive at the end of the last collection,
 * and at the end of that which left most. */
struct image_live {
  uint64_t count, bytes;
  uint64_t peak_count, peak_bytes;
};

/* The graph of live objects.  In each of its arrays but that of references
 * the record 0 tells how many there are, in its first member; the objects
 * have one more at their end. */
struct image_object {
  uint64_t bytes;      /* bytes requested; 0: it is not counted */
  uint32_t references; /* index of its first one; they end where those of the
                          next object begin */
  uint32_t owner;      /* owner of the tree with its leaf, if it is counted */
  uint32_t leaf;       /* a root: its index among the roots, from 0; else, if
                          it is counted, its leaf; else its NOTE_HOLDER */
  uint32_t flags;      /* enum image_object_flag */
};

enum image_object_flag {
  IMAGE_COUNTED = 1,
  IMAGE_WHOLE = 2, /* known to be an object, not the body of one */
  IMAGE_CONS = 4,  /* something refers to it as a list */
  IMAGE_BODY = 8,  /* set by the reader only: it is a body of what refers to
                      it */
  IMAGE_ROOT_OBJECT = 16,
  IMAGE_HAS_BODY = 32 /* see struct image_body */
};

/* `body' is a part of `object', such as the data of an array.  They are in
 * the order of objects. */
struct image_body {
  uint32_t object, body;
};

/* In the order in which they take what they hold: level by level. */
struct image_root {
  uint32_t object; /* number of its object */
  uint32_t level;  /* below IMAGE_LEVELS; IMAGE_LEVELS - 1 of the last root */
  uint32_t holder; /* key of its NOTE_HOLDER: its index + 1 */
};
enum { IMAGE_LEVELS = 4 };

/* The array of notes begins with how many bytes of it are complete, this
 * number included.  A note is 32 bytes and its text, with zeros up to a whole
 * number of 8 bytes. */
struct image_note {
  uint32_t kind; /* enum image_note_kind */
  uint32_t text_bytes;
  uint64_t key, value;
  uint64_t more;
};

enum image_note_kind {
  NOTE_PROGRAM = 1, /* text: as the comment mprof.program */
  NOTE_ROOT,      /* text: name of the function that runs what is profiled */
  NOTE_THREAD,    /* key: owner of a tree, or label of a C thread; text */
  NOTE_TYPE,      /* key: its bits of kind.what; value: category; text */
  NOTE_CLASS,     /* key: kind.clas; value: is it a structure's; text */
  NOTE_FUNCTION,  /* key: number; value: enum note_flag; more: code */
  NOTE_NAME,      /* key: number of a function; text */
  NOTE_SOURCE,    /* key: the same; value: position + 1; text: file */
  NOTE_MODULE,    /* key: 0; value: address where its code begins; more:
                     offset of that in the file; text: address where the code
                     ends, in hexadecimal, blank, build id, blank, path */
  NOTE_RETIRED,   /* the same of a module that is unloaded; key: its number,
                     from 1 on (code_objects.h) */
  NOTE_ALLOCATOR, /* key: as of NOTE_TYPE; value: number of the function
                     that made such objects, and that shows */
  NOTE_COMMENT,   /* text: a comment of the profile, KEY=VALUE */
  NOTE_HOLDER,    /* key: number; value: what objects it is, kind.what, and
                     the category + 1 from bit NOTE_CATEGORY_SHIFT on (0: it
                     is none); text */
  NOTE_KINDS
};

/* In the value of NOTE_TYPE: its objects have a class. */
enum { NOTE_HAS_CLASS = 256, NOTE_TYPE_ALONE = 63 };

enum { NOTE_CATEGORY_SHIFT = 32 };

enum note_flag {
  NOTE_RUNTIME = 1,     /* a function of the runtime */
  NOTE_CALLS_KNOWN = 2, /* its calls are counted */
  NOTE_UNLOADED = 4     /* it is gone: its code is a retired site
                           (context_tree.h), in the file of NOTE_RETIRED */
};

/* The request of a C program that is about to end and waits until the reader
 * has found what it has lost (reduce/leak_search/).  Addresses are those of
 * the program. */
struct image_search {
  uint32_t state;                  /* enum image_search_state */
  uint32_t pthread_bytes;          /* of the C library's struct pthread */
  uint64_t tls_bytes;              /* of variables of a thread, before that */
  uint64_t objects;                /* struct object_table, object_table.h */
  uint32_t objects_bytes;          /* the size of that struct */
  uint32_t has_chunks;             /* 1: blocks as of the GNU C library */
  uint64_t objects_lock;           /* struct spin_lock of it */
  uint64_t modules;                /* struct r_debug */
};

enum image_search_state {
  SEARCH_NONE,  /* the program may go on */
  SEARCH_ASKED, /* the program waits for a reader */
  SEARCH_BEGUN  /* a reader is searching */
};

/* The bits of kind.what that tell the name of a type: those that ECL calls
 * type, element type and not simple. */
#define NOTE_TYPE_BITS(what) ((what)&0x4FFFFu)
