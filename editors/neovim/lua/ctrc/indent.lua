-- Indentation as `ctrc fmt` writes it: by the bracket that is open, and by whether a line goes on with the one before.
local M = {}

local goes_on = {}
for word in
  ([[after and at before by contains ends exactly expect iff immediately implies in inside leads like matches only or
  release since starts unless until with within]]):gmatch('%a+')
do
  goes_on[word] = true
end

-- The length of a regular expression at the beginning of a text, if there is one; a class may hold the slash.
local function regex(text)
  local at, class = 2, false
  if text:sub(2, 2) == '*' or text:sub(2, 2) == '/' then
    return nil
  end
  while at <= #text do
    local c = text:sub(at, at)
    if c == '\\' then
      at = at + 1
    elseif c == '[' then
      class = true
    elseif c == ']' then
      class = false
    elseif c == '/' and not class then
      return at
    end
    at = at + 1
  end
end

-- The brackets that are open before a line, each with its sign and the indentation of its line; whether the line begins in a
-- comment; and the code of the line before it.
local function before(lines)
  local open, comment, last = {}, false, ''
  for _, line in ipairs(lines) do
    local at, code = 1, ''
    while at <= #line do
      local rest = line:sub(at)
      local length
      if comment then
        local stop = rest:find('*/', 1, true)
        comment = not stop
        length = stop and stop + 1 or #rest
      elseif rest:match('^//') then
        length = #rest
      elseif rest:match('^/%*') then
        comment, length = true, 2
      elseif rest:match('^"') then
        local stop = 2
        while stop <= #rest and rest:sub(stop, stop) ~= '"' do
          stop = stop + (rest:sub(stop, stop) == '\\' and 2 or 1)
        end
        code, length = code .. '"', stop
      elseif rest:match('^`') then
        code, length = code .. '`', rest:find('`', 2, true) or #rest
      elseif rest:match('^/') then
        code, length = code .. '/', regex(rest) or 1
      else
        local sign = rest:sub(1, 1)
        if sign:match('[%(%[{]') then
          open[#open + 1] = { sign = sign, indent = #line:match('^%s*') }
        elseif sign:match('[%)%]}]') then
          open[#open] = nil
        end
        code, length = code .. sign, 1
      end
      at = at + length
    end
    if code:match('%S') then
      last = code
    end
  end
  return open, comment, last
end

-- The column for a line; `lines` are those before it.
function M.column(lines, line, width)
  local open, comment, last = before(lines)
  local text = line:match('^%s*(.*)$')
  if comment then
    return #line:match('^%s*')
  end
  local top = open[#open]
  local base = top and top.indent or 0
  if text:match('^[%)%]}]') then
    return base
  end
  local far = base + width * (top and 2 or 1)
  if not top or top.sign == '{' then
    local word = text:match('^%a+')
    local step = text:match('^after%s+%d+%a+')
    if not step and (goes_on[word or ''] or text:match('^not%s+in%f[%W]')) then
      return far
    end
    if text:match('^%->') or text:match('^[=!<>]=') or text:match('^[<>+*|%-]') or text:match('^%?%?') then
      return far
    end
    if last:match('%f[%w]guarantee%s*$') or last:match('%f[%w]assume%s*$') or last:match('[^=!<>]=%s*$') then
      return far
    end
  end
  return top and base + width or 0
end

-- For 'indentexpr'.
function M.expr()
  local number = vim.v.lnum
  -- An item begins at the margin: what stands before the last one says nothing.
  local first = number - 1
  while first > 1 and not vim.fn.getline(first):match('^[%a@]') do
    first = first - 1
  end
  local lines = vim.api.nvim_buf_get_lines(0, math.max(first - 1, 0), number - 1, false)
  return M.column(lines, vim.fn.getline(number), vim.fn.shiftwidth())
end

return M
