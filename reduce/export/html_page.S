/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The two pieces of the page (export_html.c), found through the -I of the
 * folder that they were built in. */

	.macro	piece	name, file
	.globl	html_page_\name, html_page_\name\()_length
	.hidden	html_page_\name, html_page_\name\()_length
html_page_\name:
	.incbin	"\file"
.Lend_\name:
	.byte	0
	.balign	8
html_page_\name\()_length:
	.8byte	.Lend_\name - html_page_\name
	.endm

	.section .rodata
	piece	head, page-head.html
	piece	tail, page-tail.html

	.section .note.GNU-stack,"",%progbits
