/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The text of the patterns, with a zero at its end (suppressions.c), found
 * through the -I of the folder that it is in. */

	.section .rodata
	.globl	suppressions_text
	.hidden	suppressions_text
suppressions_text:
	.incbin	"suppressions.txt"
	.byte	0

	.section .note.GNU-stack,"",%progbits
