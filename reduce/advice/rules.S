/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The text of the rules, with a zero at its end (rules.c), found through the
 * -I of the folder that it is in. */

	.section .rodata
	.globl	advice_rules_text
	.hidden	advice_rules_text
advice_rules_text:
	.incbin	"rules.txt"
	.byte	0

	.section .note.GNU-stack,"",%progbits
