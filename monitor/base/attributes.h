/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * attributes.h -- what the compiler has to be told about the hook.
 *
 * HIDDEN, where a variable is declared: no other library can define it.  Else
 * each use takes one instruction more, to look up its address.
 * HOOK_INLINE, on functions that nearly all allocations call: inlined, though
 * there are several callers (442 instructions for an allocation and its free
 * without that, 405 with it).
 */
#pragma once

#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
#define HIDDEN_THREAD                                                        \
  __attribute__((visibility("hidden"), tls_model("initial-exec")))

#define HOOK_INLINE static inline __attribute__((always_inline))

/* For a function that reads memory which may not be the program's. */
#ifdef __SANITIZE_ADDRESS__
#define UNSANITIZED __attribute__((no_sanitize_address))
#elif defined __SANITIZE_THREAD__
#define UNSANITIZED __attribute__((no_sanitize("thread")))
#else
#define UNSANITIZED
#endif
