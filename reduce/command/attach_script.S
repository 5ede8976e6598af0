/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* attach.gdb, with a zero at its end (attach.c), found through the -I of the
 * folder that it is in. */

	.section .rodata
	.globl	attach_script
	.hidden	attach_script
attach_script:
	.incbin	"attach.gdb"
	.byte	0

	.section .note.GNU-stack,"",%progbits
