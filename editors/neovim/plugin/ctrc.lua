-- `vim.g.ctrc_lsp = false` leaves the server to your own configuration.
if vim.g.ctrc_lsp ~= false and vim.lsp.enable then
  vim.lsp.enable('ctrc')
end
