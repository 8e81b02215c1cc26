// Finds a part of a section's Markdown in its rendering: the words of both are compared in order.
//
// Offsets into a string count UTF-16 units here; the server counts characters (code points).

import { el } from "./dom.js";

const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, "gu");
const BLOCKS = "p, li, td, th, pre, h4, h5, h6, blockquote, summary, details, div";
/** If a word of the rendering is not the next one of the source, so many later occurrences of it are compared. */
const OCCURRENCES = 20;
/** An occurrence that skips more words than this counts for less. */
const NEAR = 40;
/** So many equal words in a row show that an occurrence is the right one. */
const ENOUGH = 4;

/** A function: an offset into `text` in code points → the same offset in UTF-16 units. */
export function unitsOf(text) {
  if (!/[\ud800-\udfff]/.test(text)) return (offset) => offset;
  const starts = [];
  let at = 0;
  for (const character of text) {
    starts.push(at);
    at += character.length;
  }
  return (offset) => starts[offset] ?? text.length;
}

/** The part of a section's `content` that a snippet covers, and the snippet's text, which can leave out lines of it. */
export function spanOfSnippet({ content }, { start, end, text }) {
  const toUnits = unitsOf(content);
  return { start: toUnits(start), end: toUnits(end), text };
}

/** The part of a section's `content` on the lines `first` to `last` of its file, or null if it does not begin there. */
export function spanOfLines({ content, start_line }, [first, last]) {
  const blank = content.match(/^[ \t\r\n]*/)[0]; // `start_line` is that of the first text
  const top = start_line - Array.from(blank.matchAll(/\r\n|\r|\n/g)).length;
  const starts = [0, ...Array.from(content.matchAll(/\r\n|\r|\n/g), (end) => end.index + end[0].length)];
  if (first < top || first - top >= starts.length) return null;
  return { start: starts[first - top], end: starts[last - top + 1] ?? content.length };
}

/** The words of a text: [{word, start, end}]. */
const wordsOf = (text) =>
  Array.from(text.matchAll(WORD), (found) => ({
    word: found[0],
    start: found.index,
    end: found.index + found[0].length,
  }));

/**
 * The words of a rendering with their positions in the source: [{word, node, start, end, from, to}]. `start` and `end` are
 * offsets into the text of `nodes[node]`, `from` and `to` into the source `text`. Words that the source lacks are left out.
 */
function alignedWords(nodes, text) {
  const source = wordsOf(text);
  const shown = nodes.flatMap((node, i) => wordsOf(node.data).map((word) => ({ ...word, node: i })));
  const occurrences = new Map();
  source.forEach(({ word }, i) => {
    if (!occurrences.has(word)) occurrences.set(word, []);
    occurrences.get(word).push(i);
  });
  const equalWords = (i, j) => {
    let equal = 0;
    while (equal < ENOUGH && source[i + equal] && source[i + equal].word === shown[j + equal]?.word) equal += 1;
    return equal;
  };
  const found = [];
  let next = 0;
  shown.forEach((each, j) => {
    let index = next;
    if (source[index]?.word !== each.word) {
      const all = occurrences.get(each.word) ?? [];
      const first = firstFrom(all, next);
      let best = 0;
      index = -1;
      for (const i of all.slice(first, first + OCCURRENCES)) {
        const score = equalWords(i, j) - (i - next > NEAR ? 2 : 0);
        if (score > best) [best, index] = [score, i];
      }
    }
    if (index < 0) return;
    found.push({ ...each, from: source[index].start, to: source[index].end });
    next = index + 1;
  });
  return found;
}

/** The index of the first number that is `least` or more, in an ascending list. */
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
 * Wrap a part of a section in elements of the class "passage" inside its rendering `root`, and `matches` within it in marks.
 * `span` and `matches` are parts of the section's `content`. If `span` has a text, only what this text contains is wrapped.
 * The result is the new elements; there are none if the part is not found.
 */
export function markPassage(root, section, span, matches = []) {
  const bodyStart = unitsOf(section.content)(section.body_start);
  const text = section.content.slice(bodyStart);
  const [start, end] = [Math.max(0, span.start - bodyStart), span.end - bodyStart];
  if (end <= start) return [];
  // the text of included files is not in the source
  const nodes = textNodes(root).filter((node) => !node.parentElement.closest(".included"));
  const words = alignedWords(nodes, text);
  const inside = words.filter(({ from, to }) => from >= start && to <= end);
  if (!inside.length || inside.length * 3 < wordsOf(text.slice(start, end)).length) return [];
  const [first, last] = [inside[0], inside.at(-1)];
  const head = startOfPassage(nodes, first, text.slice(start, first.from));
  const tail = endOfPassage(nodes, last, text.slice(last.to, end));
  const rangesOf = rangesInNodes(span.text, nodes, inside);
  const made = [];
  // all ranges are computed before the first node changes
  const ranges = nodes.map((node, i) => {
    if (i < head.node || i > tail.node) return [];
    return rangesOf(i, i === head.node ? head.offset : 0, i === tail.node ? tail.offset : node.data.length);
  });
  ranges.forEach((ofNode, i) => {
    const { data } = nodes[i];
    const marked = ofNode.length ? matches.map((match) => partOf(match, inside, i, bodyStart)).filter(Boolean) : [];
    const content = [];
    let done = 0;
    for (const [from, to] of ofNode) {
      const passage = el("span", { class: "passage" });
      content.push(data.slice(done, from), passage);
      done = from;
      for (const part of marked) {
        if (part.start < done || part.end > to) continue;
        passage.append(data.slice(done, part.start), el("mark", {}, data.slice(part.start, part.end)));
        done = part.end;
      }
      passage.append(data.slice(done, to));
      done = to;
      made.push(passage);
    }
    if (content.length) nodes[i].replaceWith(...content, data.slice(done));
  });
  return made;
}

/** The text on one line, with single blanks. */
const flat = (text) => text.replace(/\s+/g, " ").trim();

/**
 * A function: a node's number and a part of its text, from one offset to another → what of it belongs to the passage, as
 * [[from, to]]. If there is a `text`, blocks and lines of code that it does not contain are left out, such as tags, comments
 * and instructions for a generator of web sites.
 */
function rangesInNodes(text, nodes, inside) {
  const flatText = text === undefined ? null : flat(text);
  const known = flatText === null ? null : new Set(wordsOf(flatText).map(({ word }) => word));
  const blocks = new Map();
  for (const { node, word } of inside) {
    const counts = blocks.get(blockOf(nodes[node])) ?? { words: 0, known: 0 };
    counts.words += 1;
    if (!known || known.has(word)) counts.known += 1;
    blocks.set(blockOf(nodes[node]), counts);
  }
  return (i, from, to) => {
    const part = nodes[i].data.slice(from, to);
    if (isCode(nodes[i])) {
      return flatText === null ? [[from, to]] : runsOfLines(part, flatText).map(([a, b]) => [from + a, from + b]);
    }
    const counts = blocks.get(blockOf(nodes[i]));
    return part.trim() && counts && counts.known * 2 >= counts.words ? [[from, to]] : [];
  };
}

/** The runs of lines of `part` that `flatText` contains, with lines between them that have no letter and no digit. */
function runsOfLines(part, flatText) {
  const runs = [];
  let [start, isOpen] = [0, false];
  for (const line of part.split("\n")) {
    const flatLine = flat(line).slice(0, 60);
    const end = Math.min(part.length, start + line.length + 1);
    const hasWords = /[\p{L}\p{N}]/u.test(flatLine);
    if (hasWords && flatText.includes(flatLine)) {
      if (isOpen) runs.at(-1)[1] = end;
      else runs.push([start, end]);
      isOpen = true;
    } else if (hasWords) isOpen = false;
    start = end;
  }
  return runs;
}

/** The texts within an element, in order. */
export function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}

/** The part of a text node that has the words of a match, or null. */
function partOf(match, words, node, bodyStart) {
  const found = words.filter(
    (each) => each.node === node && each.to + bodyStart > match.start && each.from + bodyStart < match.end,
  );
  return found.length ? { start: found[0].start, end: found.at(-1).end } : null;
}

const isCode = (node) => Boolean(node.parentElement.closest("pre:not(.plain)"));
const blockOf = (node) => node.parentElement.closest(BLOCKS);
/** Whether a character beside a word is one of the `symbols` that are there in the source, or a blank between them. */
const isSymbol = (character, symbols) =>
  character !== undefined && symbols.trim() !== "" && (character.trim() === "" || symbols.includes(character));
const lineEnds = (text) => text.split("\n").length - 1;

/** The start of a passage: that of its first word, or of the `symbols` before it; in code that of a line. */
function startOfPassage(nodes, first, symbols) {
  let { node, start: offset } = first;
  if (isCode(nodes[node])) {
    const { data } = nodes[node];
    const above = data.slice(0, offset).split("\n").slice(0, -1 - lineEnds(symbols));
    return { node, offset: above.length ? above.join("\n").length + 1 : 0 };
  }
  for (;;) {
    if (offset > 0 && isSymbol(nodes[node].data[offset - 1], symbols)) offset -= 1;
    else if (offset === 0 && isJoined(nodes, node - 1) && isSymbol(nodes[node - 1].data.at(-1), symbols)) {
      node -= 1;
      offset = nodes[node].data.length;
    } else {
      const { data } = nodes[node];
      return { node, offset: data.length - data.slice(offset).trimStart().length };
    }
  }
}

/** The end of a passage: that of its last word, or of the `symbols` after it; in code that of a line. */
function endOfPassage(nodes, last, symbols) {
  let { node, end: offset } = last;
  if (isCode(nodes[node])) {
    const { data } = nodes[node];
    const below = data.slice(offset).split("\n").slice(0, 1 + lineEnds(symbols));
    return { node, offset: offset + below.join("\n").length };
  }
  for (;;) {
    if (isSymbol(nodes[node].data[offset], symbols)) offset += 1;
    else if (offset === nodes[node].data.length && isJoined(nodes, node) && isSymbol(nodes[node + 1].data[0], symbols)) {
      node += 1;
      offset = 0;
    } else return { node, offset: nodes[node].data.slice(0, offset).trimEnd().length };
  }
}

/** Whether the text nodes `i` and `i + 1` are in the same block. */
const isJoined = (nodes, i) => i >= 0 && i + 1 < nodes.length && blockOf(nodes[i]) === blockOf(nodes[i + 1]);

/** A copy of a passage's elements with the elements around them; rows of tables are copied whole. */
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
