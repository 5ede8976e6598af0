/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * attributes.h -- what the compiler has to be told about the hook.
 *
 * Variables: where they are declared, that no other library can have them;
 * else it looks up their address first, one instruction for each use.
 * Functions on the way of nearly all allocations: that they are written into
 * their callers, though there are several of these (442 instructions for an
 * allocation and its free without that, 405 with it).
 */
#pragma once

#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
#define HIDDEN_THREAD                                                        \
  __attribute__((visibility("hidden"), tls_model("initial-exec")))

#define HOOK_INLINE static inline __attribute__((always_inline))

/* A function that reads memory which may not be the program's. */
#ifdef __SANITIZE_ADDRESS__
#define UNSANITIZED __attribute__((no_sanitize_address))
#elif defined __SANITIZE_THREAD__
#define UNSANITIZED __attribute__((no_sanitize("thread")))
#else
#define UNSANITIZED
#endif

/* Let the compiler know nothing of a value but that it is there. */
#define HOOK_KEEP(value) __asm__("" : "+r"(value))
