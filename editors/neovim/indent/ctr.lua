if vim.b.did_indent then
  return
end
vim.b.did_indent = 1
vim.bo.indentexpr = "v:lua.require'ctrc.indent'.expr()"
vim.bo.indentkeys = '0{,0},0),0],!^F,o,O,e,=only ,=and ,=or ,=leads ,=implies ,=until ,=unless ,=since ,=within ,=expect ,=->'
vim.b.undo_indent = 'setlocal indentexpr< indentkeys<'
