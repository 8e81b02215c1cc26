// The server's sanitised HTML → elements, with the words that were searched for marked. No other module takes HTML.

import { el } from "./dom.js";
import { excerpt, markPassage, spanOfSnippet, textNodes, unitsOf } from "./passage.js";
import { spoken, t } from "./texts.js";

const policy = globalThis.trustedTypes?.createPolicy("sectionary", { createHTML: (html) => html });

/** The `html` of an answer as elements; give it nothing else, since only the server's HTML has safe elements alone. */
function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = policy ? policy.createHTML(html) : html;
  translate(template.content);
  return template.content;
}

/** Say in the language of the page what the server says in English: how much is cut off, and that an image stood there. */
function translate(root) {
  const say = (element, text) => {
    element.textContent = text;
    element.lang = spoken();
  };
  for (const cut of root.querySelectorAll(".cut"))
    say(cut, t("section.cut", { count: Number(cut.textContent.replace(/\D/g, "")) }));
  for (const image of root.querySelectorAll(".image")) if (image.textContent === "image") say(image, t("section.image"));
}

/** What has a direction of its own in a rendering: what stands in one of these has the direction of the whole. */
const DIRECTED = "p, ul, ol, blockquote, h4, h5, h6, summary, .table";

/** Let each block run as its own text does, from the left or from the right. */
function setDirections(root) {
  for (const block of root.querySelectorAll(DIRECTED)) if (!block.parentElement?.closest("[dir]")) block.dir = "auto";
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{M}\p{N}]/u;
const KATAKANA = /[\p{Script=Katakana}ー]/u;

/** Whether two neighbouring letters belong to one word: letters of scripts with spaces, or two letters of Katakana. */
function isWithin(before, after) {
  if (!before || !after) return false;
  if (KATAKANA.test(before) && KATAKANA.test(after)) return true;
  return [before, after].every((letter) => WORD.test(letter) && !UNSPACED.test(letter));
}

/** The texts that the matches of an answer cover. The server's offsets count code points, not UTF-16 units. */
export function matchedTexts(results) {
  const found = new Set();
  for (const { content, matches } of results) {
    if (!matches.length) continue;
    const toUnits = unitsOf(content);
    for (const [start, end] of matches) found.add(content.slice(toUnits(start), toUnits(end)));
  }
  found.delete("");
  return found;
}

/** One pattern for all texts, the longest first, or null if there are none. */
function patternOf(texts) {
  const longest = [...texts].sort((a, b) => b.length - a.length).slice(0, 500);
  return longest.length
    ? new RegExp(longest.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|"), "gu")
    : null;
}

/** Wrap each of `texts` inside `root` in a mark, unless it is only a part of a longer word. */
export function mark(root, texts) {
  const pattern = patternOf(texts);
  if (!pattern) return;
  for (const node of textNodes(root)) markText(node, pattern);
}

function markText(node, pattern) {
  const text = node.data;
  const parts = [];
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    const start = match.index;
    const end = start + match[0].length;
    if (start < done || isWithin(text[start - 1], text[start]) || isWithin(text[end - 1], text[end])) continue;
    parts.push(text.slice(done, start), el("mark", {}, match[0]));
    done = end;
  }
  if (parts.length) node.replaceWith(...parts.filter((part) => part !== ""), text.slice(done));
}

/** Take the colours out of code, so that each block is one text, and return a function that puts them back. */
function withoutColours(root) {
  const found = [];
  for (const code of root.querySelectorAll("pre > code")) {
    const ranges = [];
    let at = 0;
    for (const node of code.childNodes) {
      const end = at + node.textContent.length;
      if (node.nodeType === Node.ELEMENT_NODE) ranges.push({ name: node.className, start: at, end });
      at = end;
    }
    if (!ranges.length) continue;
    code.replaceChildren(code.textContent);
    found.push({ code, ranges });
  }
  return () => found.forEach(({ code, ranges }) => colour(code, ranges));
}

/** Wrap ranges of a code block's text, which are in order, in elements with the classes of their colours. */
function colour(code, ranges) {
  let [begin, next] = [0, 0];
  for (const node of textNodes(code)) {
    const { data } = node;
    const stop = begin + data.length;
    const parts = [];
    let done = 0;
    while (next < ranges.length && ranges[next].start < stop) {
      const { name, start, end } = ranges[next];
      const [from, to] = [Math.max(start - begin, done), Math.min(end, stop) - begin];
      parts.push(data.slice(done, from), el("span", { class: name }, data.slice(from, to)));
      done = to;
      if (end > stop) break;
      next += 1;
    }
    if (parts.length) node.replaceWith(...parts.filter((part) => part !== ""), data.slice(done));
    begin = stop;
  }
}

/** The whole text of a section. `texts` are marked; `span`, a part of its `content` or null, is shown as its passage. */
export function prose(section, texts, span) {
  const made = el("div", { class: "prose" });
  made.append(parse(section.html));
  setDirections(made);
  const restoreColours = withoutColours(made);
  if (span) markPassage(made, section, span);
  mark(made, texts);
  restoreColours();
  for (const folded of made.querySelectorAll("details")) if (folded.querySelector(".passage")) folded.open = true;
  return made;
}

/** Let keys scroll code and tables that are too wide; `root` must be in the document, so that it has a width. */
export function letScroll(root) {
  for (const wide of root.querySelectorAll("pre, .table")) {
    if (wide.scrollWidth <= wide.clientWidth + 1) continue;
    wide.tabIndex = 0;
    wide.setAttribute("role", "group");
    wide.setAttribute("aria-label", t(wide.tagName === "PRE" ? "section.code" : "section.table"));
  }
}

/**
 * The passage of a hit that answers best. Its links and headings become plain text, since all of it is one link, and what is
 * folded is unfolded.
 */
export function snippet(hit) {
  const made = el("div", { class: "prose snippet" });
  if (!hit.snippet) return made;
  const whole = el("div", {});
  whole.append(parse(hit.html));
  for (const inner of whole.querySelectorAll("a, h4, h5, h6, details, summary")) {
    const plain = {
      A: () => el("span", {}),
      DETAILS: () => el("div", { class: inner.className }),
      SUMMARY: () => el("p", { class: "title" }),
    }[inner.tagName]?.() ?? el("p", { class: "subheading" });
    plain.append(...inner.childNodes);
    inner.replaceWith(plain);
  }
  const toUnits = unitsOf(hit.content);
  const matches = hit.matches.map(([start, end]) => ({ start: toUnits(start), end: toUnits(end) }));
  const spans = markPassage(whole, hit, spanOfSnippet(hit, hit.snippet), matches);
  made.append(...(spans.length ? excerpt(whole, spans).childNodes : [asWritten(hit.snippet)]));
  setDirections(made);
  return made;
}

/** A snippet as its author typed it, used if it is not found in the rendered section. */
function asWritten({ text, matches }) {
  const toUnits = unitsOf(text);
  const parts = [];
  let done = 0;
  for (const [start, end] of matches) {
    parts.push(text.slice(done, toUnits(start)), el("mark", {}, text.slice(toUnits(start), toUnits(end))));
    done = toUnits(end);
  }
  return el("p", { class: "written" }, parts, text.slice(done));
}
