;;; ctr-mode.el --- Contracts for the tool calls of agents  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages
;; SPDX-License-Identifier: Apache-2.0 OR MIT

;;; Commentary:

;; Colours and comments for `.ctr' files, and the language server of ctrc for eglot.

;;; Code:

(defgroup ctr nil
  "Contracts for the tool calls of agents."
  :group 'languages)

(defcustom ctr-indent-offset 2
  "How far the clauses of a contract and the steps of a test are indented."
  :type 'integer
  :safe #'integerp)

(defcustom ctr-server-command '("ctrc" "lsp")
  "The command that starts the language server."
  :type '(repeat string))

(defvar ctr-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (modify-syntax-entry ?` "." table)
    (modify-syntax-entry ?' "." table)
    (dolist (sign '(?+ ?- ?= ?< ?> ?! ?| ?? ?:))
      (modify-syntax-entry sign "." table))
    table))

;; A word that is a keyword in the place where it stands: not after a dot, not before a colon.
(defconst ctr--keywords
  '("after" "always" "and" "any" "as" "assume" "at" "before" "block" "by" "call" "consecutive" "contains" "context"
    "contract" "each" "earlier" "end" "ends" "escalate" "event" "eventually" "every" "exactly" "except" "expect"
    "failure" "for" "from" "group" "guarantee" "historically" "if" "iff" "immediately" "implies" "import" "in"
    "include" "input" "inside" "leads" "least" "let" "like" "lookup" "matches" "module" "most" "never" "next" "not"
    "once" "only" "or" "otherwise" "output" "predicate" "previously" "redirect" "release" "repair" "return" "since"
    "some" "starts" "step" "steps" "success" "test" "time" "times" "to" "tool" "tools" "unknown" "unless" "until"
    "warn" "weak" "where" "while" "with" "within"))

(defconst ctr--types
  '("bool" "duration" "enum" "int" "list" "map" "number" "string" "timestamp"))

(defconst ctr--constants '("false" "null" "true"))

(defconst ctr--functions
  '("abs" "count" "duration" "elapsed" "first" "has" "host" "keys" "latest" "len" "lower" "max" "mentioned" "min"
    "number" "streak" "sum" "text" "timestamp" "trim" "upper" "values"))

(defvar ctr-font-lock-keywords
  (let ((field "\\_>\\(?:[ \t]*\\??[ \t]*:\\)"))
    `(("@[A-Za-z_][A-Za-z0-9_]*" . font-lock-preprocessor-face)
      ("\\_<\\(contract\\)[ \t]+\\(`[^`\n]+`\\|\\w+\\)"
       (1 font-lock-keyword-face) (2 font-lock-type-face))
      ("\\_<\\(predicate\\|lookup\\|event\\|tool\\)[ \t]+\\(`[^`\n]+`\\|[A-Za-z_][A-Za-z0-9_.]*\\)"
       (1 font-lock-keyword-face) (2 font-lock-function-name-face))
      ("\\_<\\(call\\|return\\|success\\|failure\\|unknown\\)[ \t]+\\(`[^`\n]+`\\|[A-Za-z_][A-Za-z0-9_.]*\\)"
       (1 font-lock-keyword-face)
       (2 (unless (member (match-string 2) ctr--keywords) font-lock-function-name-face)))
      ("\\.[ \t]*\\(\\w+\\)" (1 'default))
      (,(concat "\\_<\\w+" field) (0 'default))
      (,(concat "\\_<" (regexp-opt ctr--functions t) "(") (1 font-lock-builtin-face))
      (,(regexp-opt ctr--keywords 'symbols) . font-lock-keyword-face)
      (,(concat "[:>|<][ \t]*" (regexp-opt (append ctr--types '("any" "null" "event")) 'symbols))
       (1 font-lock-type-face))
      (,(regexp-opt ctr--constants 'symbols) . font-lock-constant-face)
      ("\\_<[0-9]+\\(?:ms\\|s\\|min\\|h\\|d\\)?\\_>" . font-lock-constant-face))))

;; A class may hold the slash.
(defconst ctr--regex
  (let ((char "\\\\[^\n]\\|\\[\\(?:[^]\\\n]\\|\\\\[^\n]\\)*\\]"))
    (concat "/\\(?:[^/*\n\\[]\\|" char "\\)\\(?:[^/\n\\[]\\|" char "\\)*\\(/\\)"))
  "A regular expression between slashes.")

(defun ctr--syntax-propertize (start end)
  "Make strings of the regular expressions from START to END."
  (goto-char start)
  (while (search-forward "/" end t)
    (let ((begin (1- (point)))
          (fence (string-to-syntax "|")))
      (unless (nth 8 (save-excursion (syntax-ppss begin)))
        (goto-char begin)
        (if (looking-at ctr--regex)
            (progn
              (put-text-property begin (1+ begin) 'syntax-table fence)
              (put-text-property (match-beginning 1) (match-end 1) 'syntax-table fence)
              (goto-char (match-end 1)))
          (goto-char (min end (+ begin 2))))))))

;; What goes on with the line before.
(defconst ctr--goes-on
  (concat (regexp-opt '("after" "and" "at" "before" "by" "contains" "ends" "exactly" "expect" "iff" "immediately"
                        "implies" "in" "inside" "leads" "like" "matches" "only" "or" "release" "since" "starts"
                        "unless" "until" "with" "within")
                      'symbols)
          "\\|not[ \t]+in\\_>\\|->\\|[=!<>]=\\|[<>+*|]\\|-[^>]\\|\\?\\?"))

(defun ctr--step-word-p ()
  "Whether the line begins a step of a test with a word that could go on a formula."
  (looking-at "after[ \t]+[0-9]+\\(?:ms\\|s\\|min\\|h\\|d\\)\\_>"))

(defun ctr--wanted-column ()
  "The column for this line, by the open bracket and what goes on."
  (save-excursion
    (back-to-indentation)
    (let* ((open (nth 1 (syntax-ppss)))
           (block (or (null open) (eq (char-after open) ?{)))
           (base (if open (save-excursion (goto-char open) (current-indentation)) 0)))
      (cond ((nth 4 (syntax-ppss)) (current-indentation))
            ((looking-at "[])}]") base)
            ((and block (looking-at ctr--goes-on) (not (ctr--step-word-p)))
             (+ base (* ctr-indent-offset (if open 2 1))))
            ((and block (save-excursion
                          (forward-comment (- (point)))
                          (looking-back "\\_<\\(?:guarantee\\|assume\\)\\|[^=!<>]=" (line-beginning-position))))
             (+ base (* ctr-indent-offset (if open 2 1))))
            (open (+ base ctr-indent-offset))
            (t 0)))))

(defun ctr-indent-line ()
  "Indent by the brackets that are open."
  (interactive)
  (let ((column (ctr--wanted-column)))
    (if (<= (current-column) (current-indentation))
        (indent-line-to column)
      (save-excursion (indent-line-to column)))))

;;;###autoload
(define-derived-mode ctr-mode prog-mode "Contracts"
  "Major mode for contracts for the tool calls of agents."
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "\\(?://+!?\\|/\\*+\\)[ \t]*")
  (setq-local font-lock-defaults '(ctr-font-lock-keywords))
  (setq-local syntax-propertize-function #'ctr--syntax-propertize)
  (setq-local indent-line-function #'ctr-indent-line)
  (setq-local indent-tabs-mode nil)
  (setq-local imenu-generic-expression
              '(("Contracts" "^[ \t]*contract[ \t]+\\(\\S-+\\)" 1)
                ("Predicates" "^[ \t]*predicate[ \t]+\\(\\w+\\)" 1)
                ("Tests" "^[ \t]*test[ \t]+\"\\([^\"\n]+\\)\"" 1))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ctr\\'" . ctr-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               `(ctr-mode . ,(lambda (&rest _) ctr-server-command))))

(provide 'ctr-mode)
;;; ctr-mode.el ends here
