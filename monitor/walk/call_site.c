/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_site.c -- see call_site.h.
 */
#include "walk/call_site.h"

#include <ecl/ecl.h>
#include <gc/gc.h>

#include "names/lisp_functions.h"
#include "unwind/frame_rule.h"

unsigned long call_sites_generation;
bool call_sites_apart;

/* Set how to get from the frame of the function to its caller's. */
static void
set_way(struct call_site *site, struct frame_rule rule,
        const struct code_function *f)
{
  const int word = sizeof(uintptr_t);
  site->kind = CALL_ELSEWHERE;
  if (f->code == (uintptr_t)GC_invoke_finalizers) {
    site->kind = CALL_FINALIZERS;
  } else if (rule.base == FRAME_FROM_POINTER && rule.offset == 2 * word &&
             rule.saved == -2) {
    site->kind =
        f->code == (uintptr_t)ecl_interpret ? CALL_INTERPRETER : CALL_FRAME;
    site->word_at = f->word_at;
  } else if (rule.base <= FRAME_FROM_POINTER && rule.offset >= word &&
             rule.offset <= UINT16_MAX &&
             (rule.saved == 0 ||
              (rule.saved < -1 && rule.saved >= -UINT8_MAX))) {
    const bool on_stack = rule.base == FRAME_FROM_STACK;
    site->kind = on_stack ? CALL_ON_STACK : CALL_ON_POINTER;
    site->word_at = (uint16_t)(rule.offset - (on_stack ? 0 : word));
    site->saved = (uint8_t)(rule.saved == 0 ? 0 : -1 - rule.saved);
  }
}

void
call_site_learn(struct call_site *site, uintptr_t ip)
{
  const uint32_t function = site_function_in_tree(NULL, ip, 0);
  *site = (struct call_site){
      .ip = ip,
      .place = code_function_place(ip, call_sites_apart),
      .function = site_function_depends(function) ? 0 : function};
  set_way(site, frame_rule_find(ip, false),
          code_function_at(code_function_of_site(ip)));
}
