-- A document as pandoc reads it → what Markdown can say: wrappers go, pictures become their text, a title becomes a heading.

local function contents(element)
  return element.content
end

local function has_same_text(header, title)
  return pandoc.utils.stringify(header) == pandoc.utils.stringify(title)
end

local function with_title(document)
  local title = document.meta.title
  if title == nil or pandoc.utils.stringify(title) == "" then
    return document
  end
  local first = document.blocks[1]
  if first ~= nil and first.t == "Header" and first.level == 1 and has_same_text(first, title) then
    return document
  end
  document = document:walk({
    Header = function(header)
      header.level = header.level + 1
      return header
    end,
  })
  document.blocks:insert(1, pandoc.Header(1, pandoc.utils.type(title) == "Inlines" and title or pandoc.utils.stringify(title)))
  return document
end

return {
  {
    Div = contents,
    Span = contents,
    Figure = contents,
    -- Markdown has no table without a head
    Table = function(element)
      local first = element.bodies[1]
      if #element.head.rows == 0 and first ~= nil and #first.body > 0 then
        element.head.rows = { table.remove(first.body, 1) }
      end
      return element
    end,
    Image = function(image)
      -- the reader of reStructuredText names pictures so that have no text
      return pandoc.utils.stringify(image.caption) == "image" and {} or image.caption
    end,
    RawBlock = function() return {} end,
    RawInline = function() return {} end,
    -- a reference that is not resolved; with a class, a link would become HTML
    Link = function(link)
      if link.target == "" or link.target:sub(1, 9) == "##SUBST##" then return link.content end
      link.attr = pandoc.Attr()
      return link
    end,
    -- a heading often links to itself
    Header = function(header)
      return header:walk({
        Link = function(link)
          if link.target:sub(1, 1) == "#" then return link.content end
        end,
      })
    end,
  },
  { Pandoc = with_title },
}
