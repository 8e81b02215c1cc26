-- What Sphinx shows of its directives and roles in reStructuredText, which pandoc does not know.

local function set(names)
  local found = {}
  for name in names:gmatch("%S+") do found[name] = true end
  return found
end

-- What stands before the version that is the argument of a directive.
local VERSIONS = {
  versionadded = "New in version",
  versionchanged = "Changed in version",
  deprecated = "Deprecated since version",
  versionremoved = "Removed in version",
}
-- Directives of which a page shows nothing: lists of pages, settings for what follows.
local SILENT = set([[
  toctree contents index highlight module currentmodule program sectionauthor codeauthor moduleauthor tabularcolumns
  testsetup testcleanup
]])
-- Fields at the top of a file that are about the page.
local FIELDS = set("orphan tocdepth nocomments nosearch no-search")
-- Directives whose argument is the name of something in code.
local OBJECTS = set([[
  function method classmethod staticmethod class attribute property data exception decorator decoratormethod type
  member macro var enum enumerator struct union describe object confval envvar
]])
-- Directives with a text in place of a name.
local TEXTS = set("attention caution danger error hint important note seealso tip todo warning rubric centered only glossary")
-- Roles whose text is no code.
local PLAIN = set("abbr any doc guilabel menuselection numref ref term")
-- Roles of names in Python, which may begin with a dot that is not shown.
local NAMES = set("attr class const data exc func meth mod obj type")
local STANDARDS = { pep = "PEP ", rfc = "RFC " }

-- The name of a directive, without the domain that it may have (py:function).
local function name_of(div)
  local name = (div.classes[1] or ""):gsub("^%a+:", "")
  return name
end

-- Whether it only names what follows, as ".. setting:: TIMEOUT" does before the heading TIMEOUT.
local function is_mark(block)
  -- a label above a directive is a block around it
  while block.t == "Div" and #block.classes == 0 and #block.content == 1 do block = block.content[1] end
  if block.t ~= "Div" or #block.content ~= 1 or block.content[1].t ~= "Para" then return false end
  local name = name_of(block)
  local is_known = VERSIONS[name] or SILENT[name] or OBJECTS[name] or TEXTS[name] or name:sub(1, 4) == "auto"
  return name ~= "" and not is_known and not pandoc.utils.stringify(block):find("%s")
end

-- Names of what a heading begins go below it, and those that it says itself go away.
local function with_marks_below(blocks)
  local found, marks = pandoc.List(), pandoc.List()
  for _, block in ipairs(blocks) do
    if is_mark(block) then
      marks:insert(block)
    else
      if block.t ~= "Header" then found:extend(marks) end
      found:insert(block)
      if block.t == "Header" then
        local title = pandoc.utils.stringify(block)
        found:extend(marks:filter(function(mark) return pandoc.utils.stringify(mark) ~= title end))
      end
      marks = pandoc.List()
    end
  end
  found:extend(marks)
  return found
end

local function directive(div)
  local name, first = name_of(div), div.content[1]
  if SILENT[name] then return {} end
  if first == nil or first.t ~= "Para" then return nil end
  if VERSIONS[name] then
    if #first.content > 1 and first.content[1].t == "Str" then first.content[1].text = first.content[1].text .. ":" end
    first.content:insert(1, pandoc.Space())
    first.content:insert(1, pandoc.Str(VERSIONS[name]))
  elseif OBJECTS[name] then
    div.content[1] = pandoc.Para({ pandoc.Code(pandoc.utils.stringify(first)) })
  end
  return div
end

local function role(code)
  if not code.classes:includes("interpreted-text") then return nil end
  local name, text = code.attributes.role or "", code.text:gsub("%s+", " ")
  if STANDARDS[name] then return pandoc.Str(STANDARDS[name] .. text) end
  if PLAIN[name] then return pandoc.Str(text) end
  -- of ~package.Class only the last part is shown, and !name has no link
  local last = text:match("^~[%a_.@][%w_.@]*$") and text:match("[^.~]*$")
  if NAMES[name:gsub("^%a+:", "")] then text = text:gsub("^%.", "") end
  return pandoc.Code(last or text:gsub("^!(%a)", "%1"))
end

local function without_fields(document)
  local first = document.blocks[1]
  if first == nil or first.t ~= "DefinitionList" then return nil end
  first.content = first.content:filter(function(item) return not FIELDS[pandoc.utils.stringify(item[1])] end)
  if #first.content == 0 then document.blocks:remove(1) end
  return document
end

return { { Pandoc = without_fields }, { Blocks = with_marks_below }, { Div = directive, Code = role } }
