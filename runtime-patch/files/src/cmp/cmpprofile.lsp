;;;; -*- Mode: Lisp; Syntax: Common-Lisp; indent-tabs-mode: nil; Package: C -*-
;;;; vim: set filetype=lisp tabstop=8 shiftwidth=2 expandtab:

;;;; Information for a profiler in compiled code: the names of functions, lines
;;;; of the source, and why a number becomes an object.  A part of the compiler
;;;; only with --enable-allocation-hooks; see allocation_monitor.h.

(in-package "COMPILER")

(defvar *frame-names* nil
  "List of (C-NAME LISP-NAME POSITION) for the functions emitted so far.")

(defvar *note-source-lines* t
  "True if compiled files are to tell which line of the source code is from.")

(defvar *source-lines* nil
  "NIL, or the name of the source file as a C string literal, and a vector of the
positions behind its newlines.")

(defvar *source-positions* nil
  "NIL, or where the lists of the top-level form begin: a hash table.")

(defvar *source-line* nil
  "The line of the form that is compiled, or NIL.")

(defvar *boxing-reason* nil
  "What a value is for, should it have to be an object: the arguments that are
computed, or what is stored.")

;;; NAMES
;;;
;;; A table in the compiled code from each C function to the name that people
;;; read in backtraces. It outlives the stripping of symbols and needs no
;;; debugging information.

(defun print-frame-name (name stream)
  (cond ((consp name)
         (write-char #\( stream)
         (loop for tail = name then (cdr tail)
            do (print-frame-name (car tail) stream)
              (cond ((null (cdr tail)) (return))
                    ((consp (cdr tail)) (write-char #\Space stream))
                    (t (write-string " . " stream)
                       (print-frame-name (cdr tail) stream)
                       (return))))
         (write-char #\) stream))
        ((and (symbolp name) (symbol-package name))
         (let* ((*package* (symbol-package name))
                (package-name (package-name *package*)))
           (unless (or (eq *package* (find-package "CL"))
                       (keywordp name))
             (write (make-symbol (if (string= package-name "COMMON-LISP-USER")
                                     "CL-USER"
                                     package-name))
                    :gensym nil :stream stream)
             (write-string (if (eq (nth-value 1 (find-symbol (symbol-name name)
                                                             *package*))
                                   :external)
                               ":" "::")
                           stream))
           (prin1 name stream)))
        (t (prin1 name stream))))

(defun definition-name (form)
  "(DEFVAR *X*) for (DEFVAR *X* ...), (DEFSTRUCT S) for (DEFSTRUCT (S ...) ...), by
what the operator is called; NIL for other forms."
  (when (and (consp form) (symbolp (first form)) (consp (rest form))
             (eql (mismatch "DEF" (symbol-name (first form))) 3))
    (let ((name (second form)))
      (when (and (consp name) (not (eq (first name) 'setf)))
        (setf name (first name)))
      (when (and name (or (atom name) (eq (first name) 'setf))
                 (typep name '(or symbol string cons)))
        (list (first form) name)))))

(defun definition-around ()
  "The name of the outermost definition among the top-level forms that the code
now compiled is in, the result of a macro being in its form; or NIL."
  (and (listp *current-toplevel-form*)
       (some #'definition-name (reverse *current-toplevel-form*))))

(defun fun-frame-name* (fun)
  "The name of FUN in profiles: what a SI::FRAME-NAME declaration says, else the
name of a global function, else what it is and the outermost function around;
for one in a top-level form what the form defines, or else the file."
  (let ((kind (fun-frame-kind fun))
        (outermost (loop for f = (fun-parent fun) then (fun-parent f)
                      while (and f (fun-parent f))
                      finally (return f))))
    (cond ((fun-frame-name fun))
          ((null kind)
           (or (fun-name fun) (fun-description fun) '(lambda)))
          (t
           (append (if (eq kind 'lambda)
                       (list 'lambda)
                       (list kind (fun-name fun)))
                   (cond (outermost
                          (list :in (fun-frame-name* outermost)))
                         ((fun-definition fun)
                          (list :in (fun-definition fun)))
                         ((fun-file fun)
                          (list :in (load-frame-name (fun-file fun))))))))))

(defun with-frame-kind (operator body)
  "BODY, the lambda list and the forms of a function, declared to be a LAMBDA if
OPERATOR says so, and no local function."
  `(,(first body)
    (declare (si::frame-kind ,(if (eq operator 'lambda) 'lambda nil)))
    ,@(rest body)))

(defun with-frame-name (name lambda)
  "LAMBDA, declared to have NAME in profiles if it is a lambda expression."
  (if (and name (consp lambda) (eq (first lambda) 'lambda) (rest lambda))
      `(lambda ,(second lambda) (declare (si::frame-name ,name))
         ,@(cddr lambda))
      lambda))

(defun declared-frame (kind declarations &optional default)
  "What a declaration SI::FRAME-KIND or SI::FRAME-NAME says, or DEFAULT."
  (let ((declaration (assoc kind declarations)))
    (if declaration (second declaration) default)))

(defun decoded-filename (string)
  "The characters of STRING, a name of a file, which ECL before release 24 has as
one for each octet."
  (or (unless (find-symbol "OCTETS-TO-STRING" "EXT")
        (ignore-errors
         (let ((octets (map '(vector (unsigned-byte 8)) #'char-code
                            (format nil "~A~3%" string)))
               (decoded (make-string (+ (length string) 3))))
           (with-open-stream (in (ext:make-sequence-input-stream
                                  octets :external-format :utf-8))
             (subseq decoded 0 (- (read-sequence decoded in) 3))))))
      string))

(defun load-frame-name (file)
  "The name of the function that runs the top-level forms of FILE."
  (if file
      (list 'load (decoded-filename (file-namestring file)))
      '(load)))

(defun c-string-literal (string)
  "STRING as a C string literal in UTF-8.  A sign stands for what it cannot have:
NUL, which would end it, and halves of a surrogate pair."
  (with-output-to-string (out)
    (write-char #\" out)
    (flet ((octet (code)
             (if (and (<= 32 code 126) (not (member code '(34 63 92))))
                 (write-char (code-char code) out)
                 (format out "\\~3,'0O" code))))
      (loop for char across string
         for code = (let ((code (char-code char)))
                      (cond ((zerop code) #x2400)
                            ((<= #xD800 code #xDFFF) #xFFFD)
                            (t code)))
         for more = (cond ((< code #x80) 0) ((< code #x800) 1)
                          ((< code #x10000) 2) (t 3))
         do (octet (logior (svref #(0 #xC0 #xE0 #xF0) more)
                           (ash code (* -6 more))))
            (loop for n from (1- more) downto 0
               do (octet (logior #x80 (ldb (byte 6 (* 6 n)) code))))))
    (write-char #\" out)))

(defun frame-name-literal (name)
  (c-string-literal
   (let ((*print-case* :upcase) (*print-pretty* nil) (*print-base* 10)
         (*print-radix* nil) (*print-readably* nil) (*print-escape* t)
         (*print-length* nil) (*print-level* nil) (*print-circle* nil)
         (*print-gensym* t))
     (with-output-to-string (stream)
       (print-frame-name name stream)))))

(defun note-frame-name (c-name fun)
  "The C function is that of FUN, a function of the compiler's or a list, its
name."
  (push (if (consp fun)
            (list c-name fun -1)
            (list c-name (fun-frame-name* fun) (fun-file-position fun)))
        *frame-names*))

(defun wt-frame-name (c-name fun)
  "The same where the body of the C function begins."
  (note-frame-name c-name fun)
  (wt-nl "ECL_FRAME_WORD"))

(defun wt-frame-names (init-name)
  (let* ((source (if (consp ext:*source-location*)
                     (car ext:*source-location*)
                     *compile-file-truename*))
         (file (and source (pathnamep (pathname source))
                    (namestring source))))
    (wt-nl1 "static const struct ecl_function_name compiler_frame_names[] = {")
    (loop for (c-name name position) in (reverse *frame-names*)
       do (wt-nl1 "{(const void *)" c-name "," (frame-name-literal name) ","
                  (if (integerp position) position -1) "},"))
    (wt-nl1 "{(const void *)" init-name ","
            (frame-name-literal (load-frame-name file)) ",-1},")
    (wt-nl1 "{NULL,NULL,-1}};")
    (wt-nl1 "static struct ecl_function_names compiler_frame_name_table = {NULL,"
            (if file (c-string-literal (decoded-filename file)) "NULL")
            ",compiler_frame_names,ECL_FRAME_WORDS_HERE};")
    (wt-nl1 "static void compiler_register_names(void)")
    (wt-nl1 "{ ecl_register_function_names(&compiler_frame_name_table); }")))

;;; LINES OF THE SOURCE
;;;
;;; The reader notes where each list of a file begins. A form has the line of
;;; its list; what a macro makes has the line of the form around it.

(defun newline-positions (file)
  (with-open-file (stream file :element-type '(unsigned-byte 8))
    (loop with positions = (make-array 256 :adjustable t :fill-pointer 0)
       with buffer = (make-array 4096 :element-type '(unsigned-byte 8))
       for start of-type fixnum = 0 then (+ start count)
       for count of-type fixnum = (read-sequence buffer stream)
       until (zerop count)
       do (loop for i below count
             when (= (aref buffer i) 10)
             do (vector-push-extend (+ start i 1) positions))
       finally (return positions))))

(defun find-source-lines (offset)
  "Has the lines noted of the file that is compiled, which begins so many bytes
into the source file."
  (let ((file (and *note-source-lines* (probe-file (car ext:*source-location*)))))
    (when file
      (setf *source-lines*
            (list (c-string-literal
                   (decoded-filename
                    (namestring (car ext:*source-location*))))
                  (newline-positions file)
                  offset)))))

(defun source-line (form)
  "The line where FORM begins, or that of the form around it."
  (let ((position (and *source-positions* (consp form)
                       (gethash form *source-positions*))))
    (if position
        (1+ (count-up-to (+ position (third *source-lines*))
                         (second *source-lines*)))
        *source-line*)))

(defun count-up-to (limit vector)
  "How many elements of the ascending VECTOR are at most LIMIT."
  (loop with low fixnum = 0
     with high fixnum = (length vector)
     while (< low high)
     do (let ((middle (ash (+ low high) -1)))
          (if (<= (aref vector middle) limit)
              (setf low (1+ middle))
              (setf high middle)))
     finally (return low)))

(defun read-source-form (stream eof)
  (let ((si::*form-positions* (and *source-lines* (make-hash-table :test #'eq))))
    (setf *source-positions* si::*form-positions*)
    (si:read-object-or-ignore stream eof)))

(defun wt-source-line ()
  "Each line of C belongs to a line of the source, or to none."
  (when *source-lines*
    (wt #\Newline "#line " (or *source-line* 1) " "
        (if *source-line* (first *source-lines*) "\"generated code\""))))

;;; BOXES
;;;
;;; A number for which a C type serves becomes an object where nothing else will
;;; do. The function that makes the object says in its name what for, so that a
;;; profile of allocations tells why.

(defun boxing-function (to-lisp reason)
  "The function that makes an object by TO-LISP, for that REASON."
  (let ((maker (cdr (assoc to-lisp
                           '(("ecl_make_single_float" . "single_float")
                             ("ecl_make_double_float" . "double_float")
                             ("ecl_make_long_float" . "long_float")
                             ("ecl_make_csfloat" . "csfloat")
                             ("ecl_make_cdfloat" . "cdfloat")
                             ("ecl_make_clfloat" . "clfloat")
                             ("ecl_make_long" . "integer")
                             ("ecl_make_ulong" . "unsigned_integer"))
                           :test #'equal))))
    (if (and maker reason)
        (format nil "ecl_~A_for_~(~A~)" maker reason)
        to-lisp)))

(defun c-array-type-p (type)
  "Whether the elements of an array of that type are numbers of C."
  (and (consp type)
       (member (first type) '(array simple-array vector))
       (not (eq (second type) '*))
       (c-number-type-p (second type))))

(defun function-boxing-reason (fname args)
  "What the ARGS (forms) of the global function FNAME are objects for.  A cons:
also what for while they are computed, since they are all the same numbers of C
that the compiler puts into variables for objects on their way to code in C."
  (case (if (consp fname) (second fname) fname)
    ((cons list list* acons vector append nconc rplaca rplacd svref aref elt
      vector-push vector-push-extend si:svset si:elt-set)
     'element)
    ((si:aset si:row-major-aset)
     (if (and args (c-array-type-p (c1form-primary-type (first args))))
         '(element . temporary)
         'element))
    ((slot-value si:structure-set si:instance-set clos:slot-value-set
      clos:standard-instance-set)
     'slot)
    ((set symbol-value)
     'special)
    ((+ - * / 1+ 1- = /= < > <= >= max min abs signum zerop plusp minusp
      sqrt exp expt log sin cos tan sinh cosh tanh asin acos atan
      asinh acosh atanh floor ceiling truncate round ffloor fceiling
      ftruncate fround mod rem float rational rationalize complex realpart
      imagpart conjugate phase cis logand logior logxor lognot logandc1
      logandc2 logorc1 logorc2 logeqv lognand lognor ash integer-length
      oddp evenp gcd lcm scale-float decode-float integer-decode-float)
     (if (and (policy-assume-right-type)
              (every #'(lambda (arg) (c-number-type-p (c1form-primary-type arg)))
                     args))
         '(arithmetic . temporary)
         'arithmetic))
    (t 'argument)))

(defun template-boxing-reason (template)
  "What the arguments of a C expression are objects for."
  (cond ((or (search "slots[" template) (search "structure_set" template))
         'slot)
        ((search "ECL_CONS_C" template) 'element)
        (t 'argument)))

(defun operand-boxing-reason ()
  "The same for the arguments themselves."
  (if (consp *boxing-reason*) (car *boxing-reason*) *boxing-reason*))

(defun temporary-boxing-reason (reason)
  "And while they are computed."
  (if (consp reason) (cdr reason) reason))

(defun variable-boxing-reason (var)
  "What the value of a local variable is an object for.  One without a name is
made here, for what is computed; one with a name that no package has comes from
a macro, for what reads it."
  (flet ((reader-reason (node)
           (let ((form (second node)))
             (and form
                  (temporary-boxing-reason
                   (case (c1form-name form)
                     (FCALL               ; of the form, arguments and name
                      (function-boxing-reason (third (c1form-args form))
                                              (second (c1form-args form))))
                     (CALL-GLOBAL         ; before 23.9: name and arguments
                      (function-boxing-reason (first (c1form-args form))
                                              (second (c1form-args form))))
                     (FFI:C-INLINE
                      (template-boxing-reason (fourth (c1form-args form))))))))))
    (cond ((null (var-name var)) (temporary-boxing-reason *boxing-reason*))
          ((and (symbolp (var-name var)) (not (symbol-package (var-name var)))
                (some #'reader-reason (var-read-nodes var))))
          (t 'variable))))

(defun destination-boxing-reason (destination)
  "What a value is an object for that goes to DESTINATION, or is kept until it
can go there."
  (cond ((and (consp destination) (eq (first destination) 'the))
         (destination-boxing-reason (third destination)))
        ((and (consp destination) (var-p (second destination)))
         (destination-boxing-reason (second destination)))
        ((vv-p destination) nil)
        ((not (var-p destination)) 'value)
        ((global-var-p destination) 'special)
        ((member (var-kind destination) '(closure lexical)) 'variable)
        ((not (eq (loc-c-type destination) :object)) 'temporary)
        (t (variable-boxing-reason destination))))

(defun loc-c-type (loc)
  (funcall (if (fboundp 'loc-host-type)
               'loc-host-type
               'loc-representation-type) ; before 23.9
           loc))
