// Makes elements. Content of documents always becomes text, never HTML; `markdown.js` is the only exception.

import { UNSAFE } from "./characters.js"; // made by the server from its own rule
import { pieces, placeName, spoken, t } from "./texts.js";

/** A text in which characters that could reorder, hide or fake text are written as escapes, as the commands write them. */
export const printable = (text) => text.replace(UNSAFE, spelling);

function spelling(character) {
  const code = character.codePointAt(0);
  const [letter, length] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${letter}${code.toString(16).padStart(length, "0")}`;
}

/** An element with attributes and children (elements or texts). `on` holds listeners; what is null is left out. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  const present = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== "");
  made.append(...present.map((child) => (typeof child === "string" ? printable(child) : child)));
  return made;
}

/** A name that is the same in every language, such as a path: an element that no translator changes. */
export const name = (text, attributes = {}, tag = "span") => el(tag, { translate: "no", ...attributes }, text);

/** A text of the page with elements in it, by its name; the names in `values` that are no element are texts or numbers. */
export const sentence = (key, values) => pieces(key, values);

/** A button. */
export const button = (text, click, attributes = {}) =>
  el("button", { type: "button", class: "button", ...attributes, on: { click } }, text);

/** A thin bar that is filled to `share` (0..1); a decoration, since the value is written beside it. */
export function bar(share) {
  const made = el("span", { class: share > 0 ? "share" : "share none", "aria-hidden": "true" });
  made.style.setProperty("--share", String(Math.min(1, Math.max(0, share))));
  return made;
}

/** A heading as it is shown; one that holds only a picture or a comment has no text. */
export const titled = (heading) => (heading.trim() ? heading : t("no-heading"));

/** The attributes of an element with a heading: its language and direction. One without text is called so by the page. */
export const inLanguage = (heading) =>
  heading.trim() ? { lang: languageOfLine(heading), translate: "no", dir: "auto" } : {};

/** Where something stands in a file: its place if the file was converted to Markdown, as "page 3", else its line. */
export const placeOf = (path, place, line) => (place ? `${path}, ${placeName(place)}` : `${path}:${line}`);

/** "docs/a.md:10–31". */
export const lineRange = (path, first, last) => `${path}:${first}${last > first ? `–${last}` : ""}`;

/**
 * The language of a text by its letters, for fonts and line breaks: "ja", "ko" or "zh". For all others it is null where the
 * page speaks English, else "" (a language that is not known), so that they are not read as the language of the page.
 */
export function languageOf(text) {
  const sample = text.slice(0, 2000);
  const countOf = (pattern) => sample.match(pattern)?.length ?? 0;
  const kana = countOf(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = countOf(/\p{Script=Han}/gu);
  const hangul = countOf(/\p{Script=Hangul}/gu);
  const letters = countOf(/\p{L}/gu);
  if (hangul * 5 > letters) return "ko";
  if (kana * 10 > han && (kana + han) * 5 > letters) return "ja";
  return han * 5 > letters ? "zh" : other();
}

/** The same for a short text such as a heading, where one letter is enough. */
export function languageOfLine(text) {
  if (/\p{Script=Hangul}/u.test(text)) return "ko";
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return "ja";
  return /\p{Script=Han}/u.test(text) ? "zh" : other();
}

const other = () => (spoken() === "en" ? null : "");
