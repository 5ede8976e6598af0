;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Reads the Lisp form of profiles by the Lisp reader and prints what it
;;;; says as JSON, in the shape that lisp.py compares.

(defun json (value)
  "Print VALUE, of strings, integers, NIL and lists of these, as JSON."
  (etypecase value
    (null (write-string "null"))
    (integer (format t "~D" value))
    (string
     (write-char #\")
     (loop for c across value
           do (if (or (char< c #\Space) (find c "\"\\"))
                  (format t "\\u~4,'0x" (char-code c))
                  (write-char c)))
     (write-char #\"))
    (cons
     (write-char #\[)
     (loop for (item . more) on value
           do (json item)
              (when more (write-char #\,)))
     (write-char #\]))))

(defun row (plist keys)
  "The values of KEYS in PLIST, lists being empty rather than NIL."
  (mapcar (lambda (key) (getf plist key)) keys))

(defun type-row (type)
  (row type '(:category :type :class :allocations :bytes)))

(defun share-row (key)
  (lambda (share)
    (append (row share (list key :allocations :bytes))
            (getf share :category-bytes))))

(defun more (plist prefix)
  "What PLIST says behind bytes and allocations, the keywords beginning with
PREFIX; those that it has not left out."
  (loop for name in '("KEPT-BYTES" "KEPT-ALLOCATIONS" "PEAK-BYTES"
                      "PEAK-ALLOCATIONS" "TEMPORARY-ALLOCATIONS"
                      "LIVE-BYTES" "LIVE-ALLOCATIONS")
        for value = (getf (if (oddp (length plist)) (rest plist) plist)
                          (intern (concatenate 'string prefix name) :keyword))
        when value collect value))

(defun contents (form)
  (destructuring-bind (head &key allocations bytes language functions arcs
                              types bins regions phases threads comments
                        &allow-other-keys)
      form
    (assert (eq head :mprof-profile))
    (list (list allocations bytes language)
          (more form "")
          (mapcar (lambda (function)
                    (append (row function
                                 '(:name :self-allocations :self-bytes
                                   :inclusive-allocations :inclusive-bytes
                                   :activations :cycle :file :line))
                            (list (append (more function "SELF-")
                                          (more function "INCLUSIVE-")))
                            (mapcar #'type-row (getf function :types))))
                  functions)
          (mapcar (lambda (arc)
                    (row arc '(:caller :callee :calls :allocations :bytes)))
                  arcs)
          (mapcar #'type-row types)
          (mapcar (lambda (bin)
                    (list* (princ-to-string (getf bin :size))
                           (getf bin :allocations)
                           (getf bin :bytes)
                           (mapcar #'type-row (getf bin :types))))
                  bins)
          (mapcar (lambda (region)
                    (append (funcall (share-row :path) region)
                            (row region '(:entered :nanoseconds
                                          :first-entered :last-left
                                          :held-bytes))))
                  regions)
          (mapcar (share-row :phase) phases)
          (mapcar (share-row :name) threads)
          (mapcar (lambda (comment) (list (car comment) (cdr comment)))
                  comments))))

(dolist (path (cdr (member "--" (ext:command-args) :test #'string=)))
  (with-open-file (stream path :external-format :utf-8)
    (json (with-standard-io-syntax
            (let ((*read-eval* nil))
              (contents (read stream))))))
  (terpri))
