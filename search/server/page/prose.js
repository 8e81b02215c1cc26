// The server's sanitised HTML → elements, with the places that were searched for marked. The only door for HTML.

import { el } from "./dom.js";

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
const inWord = (letter) => letter !== undefined && letter !== "" && WORD.test(letter) && !UNSPACED.test(letter);

/** What an answer found, as the texts that stand there; spans count characters (code points), not UTF-16 units. */
export function surfaces(results) {
  const found = new Set();
  for (const { content, matches } of results) {
    if (!matches.length) continue;
    const characters = Array.from(content);
    for (const [start, end] of matches) found.add(characters.slice(start, end).join(""));
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
    const isPart = (inWord(text[start - 1]) && inWord(text[start])) || (inWord(text[end]) && inWord(text[end - 1]));
    if (start < rest || isPart) continue;
    parts.push(text.slice(rest, start), el("mark", {}, match[0]));
    rest = end;
  }
  if (parts.length) node.replaceWith(...parts.filter((part) => part !== ""), text.slice(rest));
}

/** The whole text of a section. */
export function prose(html, texts) {
  const made = el("div", { class: "prose" });
  made.append(parse(html));
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

/** Some lines of a section, from the block that answers best; links and headings are plain, since the whole is one link. */
export function preview(html, texts) {
  const fragment = parse(html);
  for (const inner of fragment.querySelectorAll("a, h4, h5, h6")) {
    const plain = el(inner.tagName === "A" ? "span" : "p", { class: inner.tagName === "A" ? null : "subheading" });
    plain.append(...inner.childNodes);
    inner.replaceWith(plain);
  }
  mark(fragment, texts);
  const blocks = [...fragment.children];
  const marks = blocks.map(
    (block) => new Set([...block.querySelectorAll("mark")].map((m) => m.textContent.toLowerCase())).size,
  );
  const best = Math.max(0, marks.indexOf(Math.max(...marks)));
  const first = best > 0 && blocks[best - 1].matches(".subheading") ? best - 1 : best;
  const made = el("div", { class: first > 0 ? "prose preview continued" : "prose preview" });
  made.append(...blocks.slice(first, first + 6));
  return made;
}

/** After a preview stands in the document: bring its first mark into sight, and fade what is cut. */
export function settle(made) {
  const found = made.querySelector("mark");
  if (found) {
    const below = found.getBoundingClientRect().bottom - made.getBoundingClientRect().bottom;
    if (below > -8) made.scrollTop = below + made.clientHeight / 2;
  }
  made.classList.toggle("clipped", made.scrollHeight - made.scrollTop > made.clientHeight + 4);
  made.classList.toggle("begun", made.scrollTop > 0);
}
