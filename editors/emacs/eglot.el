;;; eglot.el --- Finds eglot for the test  -*- lexical-binding: t; -*-

;;; Commentary:

;; Part of Emacs since 29; before, a package of GNU ELPA, or Debian's elpa-eglot, which a batch does not look for.

;;; Code:

(when (< emacs-major-version 29)
  (let ((default-directory "/usr/share/emacs/site-lisp/elpa-src/"))
    (when (file-directory-p default-directory)
      (normal-top-level-add-subdirs-to-load-path))))
(require 'eglot)
;;; eglot.el ends here
