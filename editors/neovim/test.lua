-- Tries this folder in Neovim: nvim --headless --clean -l editors/neovim/test.lua
-- Wants `ctrc` on the path; colours are tried where `parser/ctr.so` stands in $CTRC_NVIM_PARSER.
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
vim.opt.rtp:prepend(here)
if vim.env.CTRC_NVIM_PARSER then
  vim.opt.rtp:prepend(vim.env.CTRC_NVIM_PARSER)
end
vim.cmd('filetype plugin indent on')
vim.cmd('runtime! ftdetect/*.lua plugin/ctrc.lua')

local failed = false
local function check(what, ok, more)
  print((ok and 'ok      ' or 'FAILED  ') .. what .. (more and ': ' .. more or '') .. '\n')
  failed = failed or not ok
end

local folder = vim.fn.tempname()
vim.fn.mkdir(folder, 'p')
vim.fn.writefile({ '' }, folder .. '/ctrc.toml')
vim.fn.writefile({
  'tool pay(amount: number)',
  '',
  '/// Small payments.',
  'contract small {',
  '  guarantee call pay only if   amount <= limit',
  '  guarantee call pya at most 3 times',
  '}',
}, folder .. '/a.ctr')
vim.cmd.edit(folder .. '/a.ctr')
local buffer = vim.api.nvim_get_current_buf()
check('the kind of file', vim.bo.filetype == 'ctr', vim.bo.filetype)
check('comments', vim.bo.commentstring == '// %s')

-- Formatted policies are indented as they are.
local files = vim.fn.glob(here .. '/../../examples/*/policy.ctr', true, true)
vim.list_extend(files, vim.fn.glob(here .. '/../../stdlib-contracts/*/*.ctr', true, true))
vim.g.ctrc_lsp = false
for _, file in ipairs(files) do
  local lines = vim.fn.readfile(file)
  local scratch = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(scratch, 0, -1, false, lines)
  vim.api.nvim_buf_call(scratch, function()
    vim.cmd.runtime('indent/ctr.lua')
    vim.bo.shiftwidth = 2
    vim.bo.expandtab = true
    vim.cmd('silent normal! gg=G')
  end)
  local now = vim.api.nvim_buf_get_lines(scratch, 0, -1, false)
  local wrong
  for n, line in ipairs(lines) do
    wrong = wrong or (line ~= now[n] and n .. ': ' .. now[n] or nil)
  end
  check('indentation of ' .. vim.fn.fnamemodify(file, ':h:t') .. '/' .. vim.fn.fnamemodify(file, ':t'), not wrong, wrong)
  vim.api.nvim_buf_delete(scratch, { force = true })
end

local function wait(condition)
  return vim.wait(20000, condition, 20)
end
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 20000) or {}
  for _, answer in pairs(answers) do
    if answer.error then
      return nil, answer.error.message
    end
    return answer.result
  end
end
local function at(line, column)
  return { textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = line, character = column } }
end

check('the server starts', wait(function()
  return #vim.lsp.get_clients({ bufnr = buffer, name = 'ctrc' }) > 0
end))
local client = vim.lsp.get_clients({ bufnr = buffer })[1]
check('the root', client.root_dir == vim.uv.fs_realpath(folder), client.root_dir)
check('diagnostics', wait(function()
  return #vim.diagnostic.get(buffer) >= 2
end))
for _, found in ipairs(vim.diagnostic.get(buffer)) do
  print('        ' .. (found.lnum + 1) .. ':' .. (found.col + 1) .. ' ' .. (found.code or '') .. ' ' .. found.message:gsub('\n.*', '') .. '\n')
end

local hover = ask('textDocument/hover', at(3, 10))
check('hover', hover ~= nil and hover.contents ~= nil, hover and hover.contents.value and hover.contents.value:gsub('\n.*', ''))

vim.lsp.buf.format({ async = false, timeout_ms = 20000 })
local line = vim.api.nvim_buf_get_lines(buffer, 4, 5, false)[1]
check('format', line == '  guarantee call pay only if amount <= limit', line)

vim.api.nvim_win_set_cursor(0, { 4, 10 })
vim.lsp.buf.rename('little')
check('rename', wait(function()
  return vim.api.nvim_buf_get_lines(buffer, 3, 4, false)[1] == 'contract little {'
end), vim.api.nvim_buf_get_lines(buffer, 3, 4, false)[1])

local actions = ask('textDocument/codeAction', {
  textDocument = vim.lsp.util.make_text_document_params(buffer),
  range = { start = { line = 5, character = 18 }, ['end'] = { line = 5, character = 18 } },
  context = { diagnostics = {} },
})
check('code actions', actions ~= nil and #actions > 0, actions and actions[1] and actions[1].title)

local completion = ask('textDocument/completion', at(4, 17))
local items = completion and (completion.items or completion) or {}
check('completion', #items > 0, #items .. ' entries')
local symbols = ask('textDocument/documentSymbol', { textDocument = vim.lsp.util.make_text_document_params(buffer) })
check('symbols', symbols ~= nil and #symbols > 0, symbols and #symbols .. ' symbols')
local definition = ask('textDocument/definition', at(4, 18))
check('definition', definition ~= nil and (definition.range or definition[1]) ~= nil)

local lenses = ask('textDocument/codeLens', { textDocument = vim.lsp.util.make_text_document_params(buffer) })
check('lenses', lenses ~= nil and #lenses > 0, lenses and #lenses .. ' lenses')

vim.api.nvim_buf_set_lines(buffer, 4, 6, false, { '  guarantee call pay only if amount <= 5' })
check('no diagnostics once it is right', wait(function()
  return #vim.diagnostic.get(buffer, { severity = vim.diagnostic.severity.ERROR }) == 0
end))

-- A lens that is run is told as a message, since there is no panel here.
local told
vim.lsp.handlers['window/showMessage'] = function(_, message)
  told = message.message
end
vim.api.nvim_buf_set_lines(buffer, -1, -1, false, {
  '',
  'test "small payments are made" for little {',
  '  call pay(amount: 5) -> { ok: true }',
  '  call pay(amount: 6) expect block by little',
  '}',
})
local tests = ask('workspace/executeCommand', { command = 'ctrc.tests', arguments = { { uri = vim.uri_from_bufnr(buffer) } } })
check('tests', tests ~= nil and #tests == 1, tests and tests[1] and tests[1].name)
local ran = ask('workspace/executeCommand', { command = 'ctrc.runTests', arguments = { { uri = vim.uri_from_bufnr(buffer) } } })
check('a test is run', ran ~= nil and ran[1] ~= nil and ran[1].passed)
check('its outcome is told', wait(function()
  return told ~= nil
end), told)

if vim.env.CTRC_NVIM_PARSER then
  local captures = vim.tbl_map(function(c)
    return c.capture
  end, vim.treesitter.get_captures_at_pos(buffer, 4, 3))
  check('colours by tree-sitter', vim.tbl_contains(captures, 'keyword'), table.concat(captures, ' '))
  check('folds by tree-sitter', vim.fn.foldlevel(5) == 1 or vim.treesitter.foldexpr(5) == '1', vim.treesitter.foldexpr(5))
  for _, name in ipairs({ 'highlights', 'folds', 'indents', 'injections', 'locals', 'textobjects' }) do
    check('query ' .. name, (pcall(vim.treesitter.query.get, 'ctr', name)))
  end
end

for _, client in ipairs(vim.lsp.get_clients()) do
  client:stop()
end
check('the server ends', wait(function()
  return #vim.lsp.get_clients() == 0
end))
vim.fn.delete(folder, 'rf')
os.exit(failed and 1 or 0)
