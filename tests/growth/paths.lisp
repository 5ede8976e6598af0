;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A program that has as many contexts as one asks for, and can say how many.
;;;;
;;;; Functions in +LEVELS+ levels, two in each.  Each calls, at one of two
;;;; places, one of the two of the next level, as one bit of its argument says;
;;;; those of the last level allocate a cons.  Nothing is recursive, so nothing
;;;; is folded.  The argument of the I-th walk is I times an odd number: the
;;;; lowest bit chooses first, so that walks that follow each other part at the
;;;; root, and no two share their last calls.  That is the hard case for what
;;;; looks for likeness between neighbours, as the compressor does.
;;;;
;;;; Of the first N walks, the lowest K bits take min (2^K, N) values.  Each is
;;;; a context in level K, but for the last level: a call there and the cons that
;;;; it makes are one leaf, and each walk has its own.

(defpackage #:growth
  (:use #:cl)
  (:export #:+levels+ #:walk #:calls #:walks-for #:walks-within))

(in-package #:growth)

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defconstant +levels+ 24)
  (defun name (level side)
    (intern (format nil "~A-~D" side level) '#:growth)))

(declaim (optimize (speed 1) (safety 1) (debug 0)))

(macrolet ((levels ()
             `(progn
                ,@(loop for level from +levels+ downto 0
                        append
                        (loop for side in '("LEFT" "RIGHT")
                              collect
                              `(defun ,(name level side) (bits)
                                 (declare (fixnum bits))
                                 ,(if (= level +levels+)
                                      '(list bits)
                                      `(if (logbitp ,level bits)
                                           (,(name (1+ level) "RIGHT") bits)
                                           (,(name (1+ level) "LEFT")
                                            bits)))))))))
  (levels))

(defun walk (n)
  "Walk N paths, no two alike; N at most 2^24."
  (declare (fixnum n))
  (dotimes (i n)
    (left-0 (logand (* i 10368889) #.(1- (ash 1 +levels+))))))

(defun calls (n)
  "How many contexts N walks make below LEFT-0; the leaves come on top."
  (loop for level from 1 below +levels+
        sum (min (ash 1 level) n)))

(defun walks-within (contexts)
  "How many walks make at most so many contexts below LEFT-0."
  (let ((low 0) (high (ash 1 +levels+)))
    (loop while (< low high)
          do (let ((middle (ceiling (+ low high) 2)))
               (if (<= (calls middle) contexts)
                   (setf low middle)
                   (setf high (1- middle)))))
    low))

(defun walks-for (paths)
  "How many walks make about so many paths: contexts and leaves."
  (loop with n = (walks-within paths)
        while (> (+ (calls n) n) paths)
        do (setf n (min (1- n) (floor (* n paths) (+ (calls n) n))))
        finally (return n)))
