// The server's sanitised HTML → elements, with the places that were searched for marked. The only door for HTML.

import { el } from "./dom.js";
import { excerpt, markPassage, spanOfSnippet, unitsOf } from "./passage.js";

const policy = globalThis.trustedTypes?.createPolicy("sectionary", { createHTML: (html) => html });

/** The `html` of an answer as elements. It takes nothing else: the server made it from a short list of elements. */
function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = policy ? policy.createHTML(html) : html;
  return template.content;
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{M}\p{N}]/u;
const KATAKANA = /[\p{Script=Katakana}ー]/u;

/** Whether two letters beside each other are of one word: in spaced scripts, and in Katakana, where a run of them is one. */
function isWithin(before, after) {
  if (!before || !after) return false;
  if (KATAKANA.test(before) && KATAKANA.test(after)) return true;
  return [before, after].every((letter) => WORD.test(letter) && !UNSPACED.test(letter));
}

/** What an answer found, as the texts that stand there; spans count characters (code points), not UTF-16 units. */
export function surfaces(results) {
  const found = new Set();
  for (const { content, matches } of results) {
    if (!matches.length) continue;
    const unit = unitsOf(content);
    for (const [start, end] of matches) found.add(content.slice(unit(start), unit(end)));
  }
  found.delete("");
  return found;
}

/** One pattern for all of them, the longest first; null where there are none. */
function patternOf(texts) {
  const longest = [...texts].sort((a, b) => b.length - a.length).slice(0, 500);
  return longest.length
    ? new RegExp(longest.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|"), "gu")
    : null;
}

/** Wrap every whole word among `texts` inside `root` in a mark. */
export function mark(root, texts) {
  const pattern = patternOf(texts);
  if (!pattern) return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  for (const node of nodes) markText(node, pattern);
}

function markText(node, pattern) {
  const text = node.data;
  const parts = [];
  let rest = 0;
  for (const match of text.matchAll(pattern)) {
    const start = match.index;
    const end = start + match[0].length;
    if (start < rest || isWithin(text[start - 1], text[start]) || isWithin(text[end - 1], text[end])) continue;
    parts.push(text.slice(rest, start), el("mark", {}, match[0]));
    rest = end;
  }
  if (parts.length) node.replaceWith(...parts.filter((part) => part !== ""), text.slice(rest));
}

/** The whole text of a section, `texts` marked, and the part `span` of its `content` (or null) as its passage. */
export function prose(section, texts, span) {
  const made = el("div", { class: "prose" });
  made.append(parse(section.html));
  if (span) markPassage(made, section, span);
  mark(made, texts);
  return made;
}

/** After `made` stands in the document: what is too wide for it can be scrolled by keys. */
export function letScroll(made) {
  for (const wide of made.querySelectorAll("pre, .table")) {
    if (wide.scrollWidth <= wide.clientWidth + 1) continue;
    wide.tabIndex = 0;
    wide.setAttribute("role", "region");
    wide.setAttribute("aria-label", wide.tagName === "PRE" ? "Code" : "Table");
  }
}

/** The passage of a hit that answers best; links and headings in it are plain, since the whole is one link. */
export function snippet(hit) {
  const made = el("div", { class: "prose snippet" });
  if (!hit.snippet) return made;
  const whole = el("div", {});
  whole.append(parse(hit.html));
  for (const inner of whole.querySelectorAll("a, h4, h5, h6")) {
    const plain = el(inner.tagName === "A" ? "span" : "p", { class: inner.tagName === "A" ? null : "subheading" });
    plain.append(...inner.childNodes);
    inner.replaceWith(plain);
  }
  const unit = unitsOf(hit.content);
  const matches = hit.matches.map(([start, end]) => ({ start: unit(start), end: unit(end) }));
  const spans = markPassage(whole, hit, spanOfSnippet(hit, hit.snippet), matches);
  made.append(...(spans.length ? excerpt(whole, spans).childNodes : [asWritten(hit.snippet)]));
  return made;
}

/** A snippet as its author typed it, where its place in the rendering is not found. */
function asWritten({ text, matches }) {
  const unit = unitsOf(text);
  const parts = [];
  let rest = 0;
  for (const [start, end] of matches) {
    parts.push(text.slice(rest, unit(start)), el("mark", {}, text.slice(unit(start), unit(end))));
    rest = unit(end);
  }
  return el("p", { class: "written" }, parts, text.slice(rest));
}
