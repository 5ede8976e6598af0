/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_site.c -- see call_site.h.
 */
#include "walk/call_site.h"

#include "code/code_index.h"

call_site call_sites[CALL_SITES];

call_site
call_site_learn(uintptr_t ip)
{
  const call_site s = code_index_call_site(ip);
  __atomic_store_n(call_site_place(ip), s, __ATOMIC_RELAXED);
  return s;
}

void
call_sites_forget(void)
{
  for (size_t i = 0; i < CALL_SITES; i++)
    __atomic_store_n(&call_sites[i], 0, __ATOMIC_RELAXED);
}
