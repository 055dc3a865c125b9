vim.filetype.add({ extension = { ctr = 'ctr' } })
