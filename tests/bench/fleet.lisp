;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; fleet.lisp -- a server of some kind, which answers requests.  Saves
;;;; fleet-0.data, fleet-1.data and so on as it goes on: what a shipper would see
;;;; each time.

(require :mprof)
(require :asdf)

(asdf:load-asd "/usr/share/common-lisp/source/cl-ppcre/cl-ppcre.asd")
(asdf:load-system "cl-ppcre")

(defun words (i)
  "A text."
  (format nil "~{~R ~}" (loop for j below 20 collect (mod (* i j) 1009))))

(defun matches (regex text)
  (funcall (find-symbol "ALL-MATCHES-AS-STRINGS" "CL-PPCRE") regex text))

(defun sorted-counts (words)
  (let ((counts (make-hash-table :test 'equal)))
    (dolist (word words)
      (incf (gethash word counts 0)))
    (let ((pairs '()))
      (maphash (lambda (word count) (push (cons word count) pairs)) counts)
      (sort pairs #'string< :key #'car))))

(defun request (i)
  "Find the words of a text, count them, and make a page of that."
  (let ((parsed (read-from-string
                 (prin1-to-string (sorted-counts (matches "[a-z]+"
                                                          (words i)))))))
    (with-output-to-string (page)
      (loop for (word . count) in parsed
            do (format page "<li>~A: ~D, ~,2F %</li>~%" word count
                       (/ count (length parsed) 1/100))))))

(mprof:start)
(dotimes (i 9)
  (dotimes (j 200)
    (request (+ (* i 200) j)))
  (mprof:save (format nil "fleet-~D.data" i)))
