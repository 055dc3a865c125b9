-- The language server, for `vim.lsp.enable('ctrc')` (Neovim 0.11 and later).
return {
  cmd = { 'ctrc', 'lsp' },
  filetypes = { 'ctr' },
  root_markers = { 'ctrc.toml', '.git' },
}
