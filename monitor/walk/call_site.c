/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_site.c -- see call_site.h.
 */
#include "walk/call_site.h"

#include <ecl/ecl.h>
#include <gc/gc.h>

#include "code/code_functions.h"
#include "code/sites.h"
#include "walk/rule_cache.h"

call_site call_sites[CALL_SITES];
uint64_t call_site_functions[CALL_SITES];

/* Whether the frame pointer leads to the caller, as arch.h has it. */
static bool
keeps_frame_pointer(uintptr_t ip)
{
  const struct frame_rule rule = rule_cache_find(rule_key(ip, false));
  const int word = sizeof(uintptr_t);
  return rule.base == FRAME_FROM_POINTER && rule.offset == 2 * word &&
         rule.saved == -2;
}

call_site
call_site_learn(uintptr_t ip)
{
  const struct code_function *f =
      code_function_at(code_function_of_site(ip));
  call_site s = call_site_pack(ip, 0, CALL_FOREIGN);
  if (f->code == (uintptr_t)GC_invoke_finalizers)
    s = call_site_pack(ip, 0, CALL_FINALIZERS);
  else if (keeps_frame_pointer(ip))
    s = call_site_pack(ip, f->word_at,
                       f->code == (uintptr_t)ecl_interpret ? CALL_INTERPRETER
                                                           : CALL_FRAME);
  __atomic_store_n(call_site_place(ip), s, __ATOMIC_RELAXED);
  return s;
}

uint32_t
call_site_learn_function(uint64_t site, uint32_t caller)
{
  const uint32_t f = site_function_in_tree(NULL, site, caller);
  if (site >> 47 == 0 && !site_function_depends(f))
    __atomic_store_n(&call_site_functions[(site ^ site >> 14) % CALL_SITES],
                     site >> 14 << 31 | f, __ATOMIC_RELAXED);
  return f;
}

void
call_sites_forget(void)
{
  for (size_t i = 0; i < CALL_SITES; i++) {
    __atomic_store_n(&call_sites[i], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&call_site_functions[i], 0, __ATOMIC_RELAXED);
  }
}
