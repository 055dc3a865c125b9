vim.bo.commentstring = '// %s'
vim.bo.comments = 's1:/*,mb:*,ex:*/,:///,://!,://'
vim.bo.expandtab = true
vim.bo.shiftwidth = 2
vim.bo.softtabstop = 2
vim.bo.suffixesadd = '.ctr'

-- Colours and folds, where the parser has been built (see docs/editors.md).
if pcall(vim.treesitter.start, 0, 'ctr') then
  vim.wo[0][0].foldexpr = 'v:lua.vim.treesitter.foldexpr()'
  vim.wo[0][0].foldmethod = 'expr'
  vim.wo[0][0].foldlevel = 99
end

vim.b.undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< suffixesadd< foldexpr< foldmethod<'
