;;; test.el --- Tries ctr-mode with eglot  -*- lexical-binding: t; -*-

;;; Commentary:

;; emacs --batch -l editors/emacs/test.el
;; Wants `ctrc' on the path, and eglot (part of Emacs 29; GNU ELPA or Debian's elpa-eglot before).

;;; Code:

(defvar test--here (file-name-directory (or load-file-name buffer-file-name)))
(load (expand-file-name "ctr-mode.el" test--here) nil t)
(load (expand-file-name "eglot.el" test--here) nil t)
(require 'flymake)

(defvar test--failed nil)
(defun test--check (what ok &optional more)
  "Tell whether OK holds of WHAT, with MORE."
  (message "%s  %s%s" (if ok "ok    " "FAILED") what (if more (format ": %s" more) ""))
  (unless ok (setq test--failed t)))

(defun test--wait (condition)
  "Wait until CONDITION holds."
  (let ((end (+ (float-time) 20)) found)
    (while (and (not (setq found (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.05))
    found))

;; Formatted policies are indented as they are.
(dolist (file (file-expand-wildcards (expand-file-name "../../examples/*/policy.ctr" test--here)))
  (with-temp-buffer
    (insert-file-contents file)
    (ctr-mode)
    (let ((before (buffer-string))
          (inhibit-message t))
      (indent-region (point-min) (point-max))
      (let ((same (equal before (buffer-string)))
            (inhibit-message nil))
        (test--check "indentation of an example" same (file-name-nondirectory (directory-file-name (file-name-directory file))))))))

(let* ((folder (make-temp-file "ctr" t))
       (file (expand-file-name "a.ctr" folder)))
  (with-temp-file file
    (insert "tool pay(amount: number)\n\n/// Small payments.\ncontract small {\n"
            "  guarantee call pay only if   amount <= limit\n"
            "  guarantee call pay(text(args) matches /a/) at most 3 times\n}\n"))
  (let ((default-directory folder))
    (call-process "git" nil nil nil "init" "-q"))
  (find-file file)
  (test--check "the mode" (eq major-mode 'ctr-mode) major-mode)
  (font-lock-ensure)
  (goto-char (point-min))
  (search-forward "guarantee")
  (test--check "a keyword's colour" (eq (get-text-property (- (point) 2) 'face) 'font-lock-keyword-face))
  (search-forward "call pay")
  (test--check "a tool's colour" (eq (get-text-property (- (point) 2) 'face) 'font-lock-function-name-face))
  (search-forward "/a/")
  (test--check "a regular expression's colour" (eq (get-text-property (- (point) 2) 'face) 'font-lock-string-face))
  (goto-char (point-min))
  (search-forward "Small")
  (test--check "a comment's colour" (memq (get-text-property (- (point) 2) 'face)
                                          '(font-lock-comment-face font-lock-doc-face)))
  (let ((before (buffer-string)))
    (indent-region (point-min) (point-max))
    (test--check "indentation" (equal before (buffer-string))))
  (apply #'eglot (eglot--guess-contact))
  (test--check "the server starts" (test--wait #'eglot-current-server))
  (flymake-start)
  (test--check "diagnostics" (test--wait #'flymake-diagnostics)
               (mapconcat #'flymake-diagnostic-text (flymake-diagnostics) "; "))
  (eglot-format-buffer)
  (test--check "format" (string-match-p "only if amount <= limit" (buffer-string)))
  (goto-char (point-min))
  (search-forward "contract sm")
  (let* ((server (eglot-current-server))
         (hover (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams)))
         (symbols (jsonrpc-request server :textDocument/documentSymbol
                                   (list :textDocument (eglot--TextDocumentIdentifier)))))
    (test--check "hover" (plist-get hover :contents))
    (test--check "symbols" (> (length symbols) 0) (length symbols)))
  ;; In a batch no timer sends what has changed.
  (eglot--signal-textDocument/didChange)
  (eglot-rename "little")
  (test--check "rename" (string-match-p "contract little {" (buffer-string)))
  (set-buffer-modified-p nil)
  (eglot-shutdown (eglot-current-server))
  (test--check "the server ends" (not (eglot-current-server)))
  (delete-directory folder t))
(kill-emacs (if test--failed 1 0))
;;; test.el ends here
