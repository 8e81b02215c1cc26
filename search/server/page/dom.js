// Elements are made here and nowhere from text: what a document says can only become text.

import { UNSAFE } from "./characters.js"; // made by the server from its own rule

/** A text with characters spelt out that could reorder, hide or fake what is read, as the commands do it. */
export const printable = (text) => text.replace(UNSAFE, spelling);

function spelling(character) {
  const code = character.codePointAt(0);
  const [sign, length] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${sign}${code.toString(16).padStart(length, "0")}`;
}

/** An element with attributes (`class`, `href`, … ; `on` holds listeners, null leaves one out) and children or texts. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, heard] of Object.entries(value)) made.addEventListener(event, heard);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  const told = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== "");
  made.append(...told.map((child) => (typeof child === "string" ? printable(child) : child)));
  return made;
}

/** A thin bar that fills `share` (0..1) of its place; a decoration, its value stands beside it. */
export function bar(share) {
  const made = el("span", { class: share > 0 ? "share" : "share none", "aria-hidden": "true" });
  made.style.setProperty("--share", String(Math.min(1, Math.max(0, share))));
  return made;
}

const NUMBERS = new Intl.NumberFormat("en");

/** 12345 → "12,345". */
export const number = (value) => NUMBERS.format(value);

/** "1 section", "2 sections". */
export const count = (value, noun, nouns = `${noun}s`) => `${number(value)} ${value === 1 ? noun : nouns}`;

/** A heading as it is shown; those of pictures or comments alone have no text. */
export const titled = (heading) => (heading.trim() ? heading : "(no heading)");

/** "docs/a.md:10–31". */
export const place = (path, first, last) => `${path}:${first}${last > first ? `–${last}` : ""}`;

const AGES = [
  [60, "minute"],
  [3600, "hour"],
  [86400, "day"],
  [86400 * 30, "month"],
  [86400 * 365, "year"],
];

/** An ISO time → "3 minutes ago". */
export function age(time) {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  if (!(seconds >= 60)) return "just now";
  const [unit, noun] = AGES.filter(([least]) => seconds >= least).at(-1);
  return `${count(Math.floor(seconds / unit), noun)} ago`;
}

const SIZES = ["B", "KB", "MB", "GB"];

/** 12345678 → "12.3 MB". */
export function bytes(value) {
  const step = Math.min(SIZES.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)));
  const shown = value / 1000 ** step;
  return `${shown.toFixed(step && shown < 100 ? 1 : 0)} ${SIZES[step]}`;
}

/** The language that the letters of a text show, for its fonts and line breaks: "ja", "ko", "zh" or null. */
export function languageOf(text) {
  const sample = text.slice(0, 2000);
  const many = (pattern) => sample.match(pattern)?.length ?? 0;
  const kana = many(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = many(/\p{Script=Han}/gu);
  const hangul = many(/\p{Script=Hangul}/gu);
  const letters = many(/\p{L}/gu);
  if (hangul * 5 > letters) return "ko";
  if (kana * 10 > han && (kana + han) * 5 > letters) return "ja";
  return han * 5 > letters ? "zh" : null;
}

/** The same for a short text such as a heading: one letter tells. */
export function languageOfLine(text) {
  if (/\p{Script=Hangul}/u.test(text)) return "ko";
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return "ja";
  return /\p{Script=Han}/u.test(text) ? "zh" : null;
}
