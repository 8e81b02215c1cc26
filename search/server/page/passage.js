// Where a part of a section's Markdown stands in its rendering: the words of both are laid side by side, in order.

import { el } from "./dom.js";

const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, "gu");
const BLOCKS = "p, li, td, th, pre, h4, h5, h6, blockquote, div";
/** A word that is not the next one of the source is looked for at so many places, and less gladly beyond so many words. */
const PLACES = 20;
const NEAR = 40;
/** So many words in a row are sign enough that a place is the right one. */
const ENOUGH = 4;

/** Places that count characters (code points), as the server does, → places in a JavaScript string. */
export function unitsOf(text) {
  if (!/[\ud800-\udfff]/.test(text)) return (place) => place;
  const starts = [];
  let at = 0;
  for (const character of text) {
    starts.push(at);
    at += character.length;
  }
  return (place) => starts[place] ?? text.length;
}

/** The part of a section's `content` that a snippet is, as places in that string, and its text, which leaves lines out. */
export function spanOfSnippet({ content }, { start, end, text }) {
  const unit = unitsOf(content);
  return { start: unit(start), end: unit(end), text };
}

/** The part of a section's `content` that some lines of the file are, or null where it has none of them. */
export function spanOfLines({ content, start_line: top }, [first, last]) {
  const starts = [0, ...Array.from(content.matchAll(/\r\n|\r|\n/g), (end) => end.index + end[0].length)];
  if (first < top || first - top >= starts.length) return null;
  return { start: starts[first - top], end: starts[last - top + 1] ?? content.length };
}

const wordsOf = (text) =>
  Array.from(text.matchAll(WORD), (found) => ({
    word: found[0],
    start: found.index,
    end: found.index + found[0].length,
  }));

/** The words of a rendering, each with its source: [{node, start, end, from, to}]; words that no source has are left out. */
function aligned(nodes, text) {
  const source = wordsOf(text);
  const shown = nodes.flatMap((node, i) => wordsOf(node.data).map((word) => ({ ...word, node: i })));
  const places = new Map();
  source.forEach(({ word }, i) => {
    if (!places.has(word)) places.set(word, []);
    places.get(word).push(i);
  });
  const run = (at, j) => {
    let same = 0;
    while (same < ENOUGH && source[at + same] && source[at + same].word === shown[j + same]?.word) same += 1;
    return same;
  };
  const found = [];
  let next = 0;
  shown.forEach((each, j) => {
    let at = next;
    if (source[at]?.word !== each.word) {
      const all = places.get(each.word) ?? [];
      const first = firstFrom(all, next);
      let best = 0;
      at = -1;
      for (const place of all.slice(first, first + PLACES)) {
        const worth = run(place, j) - (place - next > NEAR ? 2 : 0);
        if (worth > best) [best, at] = [worth, place];
      }
    }
    if (at < 0) return;
    found.push({ ...each, from: source[at].start, to: source[at].end });
    next = at + 1;
  });
  return found;
}

/** Where in an ascending list the first number of at least `least` stands. */
function firstFrom(numbers, least) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Wrap a part of a section, `span` in its `content`, in spans of the class "passage" inside its rendering `root`, and in it
 * the parts `matches` in marks; where the span has a text, only what that tells. Gives the spans; none where the part does
 * not stand there.
 */
export function markPassage(root, section, span, matches = []) {
  const bodyStart = unitsOf(section.content)(section.body_start);
  const text = section.content.slice(bodyStart);
  const [start, end] = [Math.max(0, span.start - bodyStart), span.end - bodyStart];
  if (end <= start) return [];
  const nodes = textNodes(root);
  const words = aligned(nodes, text);
  const inside = words.filter(({ from, to }) => from >= start && to <= end);
  if (!inside.length || inside.length * 3 < wordsOf(text.slice(start, end)).length) return [];
  const [first, last] = [inside[0], inside.at(-1)];
  const head = beginning(nodes, first, text.slice(start, first.from));
  const tail = ending(nodes, last, text.slice(last.to, end));
  const told = teller(span.text, nodes, inside);
  const made = [];
  // what stands between two nodes of a passage is looked at before any of them changes
  const pieces = nodes.map((node, i) => {
    if (i < head.node || i > tail.node) return [];
    return told(i, i === head.node ? head.place : 0, i === tail.node ? tail.place : node.data.length);
  });
  pieces.forEach((several, i) => {
    const { data } = nodes[i];
    const parts = several.length ? matches.map((match) => partOf(match, inside, i, bodyStart)).filter(Boolean) : [];
    const content = [];
    let rest = 0;
    for (const [from, to] of several) {
      const passage = el("span", { class: "passage" });
      content.push(data.slice(rest, from), passage);
      rest = from;
      for (const part of parts) {
        if (part.start < rest || part.end > to) continue;
        passage.append(data.slice(rest, part.start), el("mark", {}, data.slice(part.start, part.end)));
        rest = part.end;
      }
      passage.append(data.slice(rest, to));
      rest = to;
      made.push(passage);
    }
    if (content.length) nodes[i].replaceWith(...content, data.slice(rest));
  });
  return made;
}

const flat = (text) => text.replace(/\s+/g, " ").trim();

/**
 * What of a text node belongs to a passage: a function of the node's number and the part between its ends → [[from, to]].
 * With a `text`, the blocks and lines of code that it leaves out do not: tags, comments, what is for a site's generator.
 */
function teller(text, nodes, inside) {
  const all = text === undefined ? null : flat(text);
  const known = all === null ? null : new Set(wordsOf(all).map(({ word }) => word));
  const blocks = new Map();
  for (const { node, word } of inside) {
    const counts = blocks.get(blockOf(nodes[node])) ?? { words: 0, known: 0 };
    counts.words += 1;
    if (!known || known.has(word)) counts.known += 1;
    blocks.set(blockOf(nodes[node]), counts);
  }
  return (i, from, to) => {
    const part = nodes[i].data.slice(from, to);
    if (isCode(nodes[i])) return all === null ? [[from, to]] : toldLines(part, all).map(([a, b]) => [from + a, from + b]);
    const counts = blocks.get(blockOf(nodes[i]));
    return part.trim() && counts && counts.known * 2 >= counts.words ? [[from, to]] : [];
  };
}

/** The runs of lines that a flat text has, with the blank ones and those of brackets alone between them. */
function toldLines(part, all) {
  const runs = [];
  let [at, isOpen] = [0, false];
  for (const line of part.split("\n")) {
    const told = flat(line).slice(0, 60);
    const end = Math.min(part.length, at + line.length + 1);
    const says = /[\p{L}\p{N}]/u.test(told);
    if (says && all.includes(told)) {
      if (isOpen) runs.at(-1)[1] = end;
      else runs.push([at, end]);
      isOpen = true;
    } else if (says) isOpen = false;
    at = end;
  }
  return runs;
}

function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}

/** Where the words that a match touches stand in a text node, or null. */
function partOf(match, words, node, bodyStart) {
  const found = words.filter(
    (each) => each.node === node && each.to + bodyStart > match.start && each.from + bodyStart < match.end,
  );
  return found.length ? { start: found[0].start, end: found.at(-1).end } : null;
}

const isCode = (node) => Boolean(node.parentElement.closest("pre:not(.plain)"));
const blockOf = (node) => node.parentElement.closest(BLOCKS);
/** Whether a letter beside a word is one of the signs that stand there in the source, or a blank among them. */
const isSign = (letter, signs) =>
  letter !== undefined && signs.trim() !== "" && (letter.trim() === "" || signs.includes(letter));
const lineEnds = (text) => text.split("\n").length - 1;

/** The place of a passage's first word, moved to before the signs that stand before it; in code to the start of a line. */
function beginning(nodes, first, signs) {
  let { node, start: place } = first;
  if (isCode(nodes[node])) {
    const { data } = nodes[node];
    const above = data.slice(0, place).split("\n").slice(0, -1 - lineEnds(signs));
    return { node, place: above.length ? above.join("\n").length + 1 : 0 };
  }
  for (;;) {
    if (place > 0 && isSign(nodes[node].data[place - 1], signs)) place -= 1;
    else if (place === 0 && isJoined(nodes, node - 1) && isSign(nodes[node - 1].data.at(-1), signs)) {
      node -= 1;
      place = nodes[node].data.length;
    } else {
      const { data } = nodes[node];
      return { node, place: data.length - data.slice(place).trimStart().length };
    }
  }
}

/** The place after a passage's last word, moved to after the signs that follow it; in code to the end of a line. */
function ending(nodes, last, signs) {
  let { node, end: place } = last;
  if (isCode(nodes[node])) {
    const { data } = nodes[node];
    const below = data.slice(place).split("\n").slice(0, 1 + lineEnds(signs));
    return { node, place: place + below.join("\n").length };
  }
  for (;;) {
    if (isSign(nodes[node].data[place], signs)) place += 1;
    else if (place === nodes[node].data.length && isJoined(nodes, node) && isSign(nodes[node + 1].data[0], signs)) {
      node += 1;
      place = 0;
    } else return { node, place: nodes[node].data.slice(0, place).trimEnd().length };
  }
}

/** Whether the text nodes `i` and `i + 1` stand in one block. */
const isJoined = (nodes, i) => i >= 0 && i + 1 < nodes.length && blockOf(nodes[i]) === blockOf(nodes[i + 1]);

/** What the spans of a passage hold, with the elements around them and whole rows of tables, as a copy. */
export function excerpt(root, spans) {
  const first = spans[0].closest("tr") ?? spans[0];
  const last = spans.at(-1).closest("tr") ?? spans.at(-1);
  for (let item = first.closest("li"); item; item = item.parentElement.closest("li")) {
    const list = item.parentElement;
    if (list.tagName === "OL") item.setAttribute("value", String((list.start ?? 1) + [...list.children].indexOf(item)));
  }
  const range = document.createRange();
  range.setStartBefore(first);
  range.setEndAfter(last);
  let copy = range.cloneContents();
  for (let above = range.commonAncestorContainer; above !== root; above = above.parentElement) {
    const shell = above.cloneNode(false);
    shell.append(copy);
    copy = shell;
  }
  const made = el("div", {});
  made.append(copy);
  for (const node of textNodes(made)) if (node.data.trim() && !node.parentElement.closest(".passage, tr")) node.remove();
  for (const inner of [...made.querySelectorAll("*")].reverse())
    if (!inner.textContent.trim() && !inner.matches("br") && !inner.closest("tr")) inner.remove();
  for (const span of made.querySelectorAll(".passage")) span.replaceWith(...span.childNodes);
  return made;
}
