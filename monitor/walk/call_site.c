/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_site.c -- see call_site.h.
 */
#include "walk/call_site.h"

#include "code/code_index.h"
#include "code/sites.h"

call_site call_sites[CALL_SITES];
uint64_t call_site_functions[CALL_SITES];

call_site
call_site_learn(uintptr_t ip)
{
  const call_site s = code_index_call_site(ip);
  __atomic_store_n(call_site_place(ip), s, __ATOMIC_RELAXED);
  return s;
}

uint32_t
call_site_learn_function(uint64_t site, uint32_t caller)
{
  const uint32_t f = sites_function_in_tree(NULL, site, caller);
  if (site >> 47 == 0 && !sites_function_depends(f))
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
