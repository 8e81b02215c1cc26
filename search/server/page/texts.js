// The reader's language → the texts of the page, and numbers, times and sizes as that language writes them.

import { EN } from "./texts-en.js";
import { JA } from "./texts-ja.js";
import { KO } from "./texts-ko.js";

const TABLES = { en: EN, ja: JA, ko: KO };
const STORED = "sectionary.language";
const has = (code) => Object.hasOwn(TABLES, code);

let language = chosen() ?? navigator.languages.map((code) => code.toLowerCase().split("-")[0]).find(has) ?? "en";
let number_, plurals, relative;
apply();

/** The language that was chosen with the switch, or null. */
function chosen() {
  try {
    const code = localStorage.getItem(STORED) ?? "";
    return has(code) ? code : null;
  } catch {
    return null; // storage is switched off
  }
}

function apply() {
  document.documentElement.lang = language;
  number_ = new Intl.NumberFormat(language);
  plurals = new Intl.PluralRules(language);
  relative = new Intl.RelativeTimeFormat(language, { numeric: "always" });
}

/** The code of the language that the page speaks: "en", "ja" or "ko". */
export const spoken = () => language;

/** Speak another language, and remember that. */
export function speak(code) {
  if (!has(code)) return;
  language = code;
  apply();
  try {
    localStorage.setItem(STORED, code);
  } catch {
    // storage is switched off: the choice holds until the page is left
  }
}

/** A text by its name, in pieces: its strings and, where it has {names}, their `values` (numbers are written out). */
export function pieces(name, values = {}) {
  const entry = TABLES[language][name] ?? EN[name];
  const text = typeof entry === "string" ? entry : (entry[plurals.select(values.count)] ?? entry.other);
  return text.split(/\{([a-z]+)\}/).map((piece, i) => (i % 2 ? written(values[piece]) : piece));
}

const written = (value) => (typeof value === "number" ? number(value) : value);

/** The same as one string; `values` are strings and numbers, `count` decides between the forms of a text. */
export const t = (name, values = {}) => pieces(name, values).join("");

/** Write the texts of elements that name them: data-text, data-label, data-title and data-placeholder. */
export function writeTexts(root = document) {
  for (const each of root.querySelectorAll("[data-text]")) each.textContent = t(each.dataset.text);
  for (const [name, attribute] of [
    ["label", "aria-label"],
    ["title", "title"],
    ["placeholder", "placeholder"],
  ])
    for (const each of root.querySelectorAll(`[data-${name}]`)) each.setAttribute(attribute, t(each.dataset[name]));
}

/** 12345 → "12,345". */
export const number = (value) => number_.format(value);

/** A number of "document", "section" or "token": "1 section", "2 sections". */
export const count = (value, noun) => t(`count.${noun}`, { count: value });

const unit = (value, name, options = {}) =>
  new Intl.NumberFormat(language, { style: "unit", unit: name, unitDisplay: "short", ...options }).format(value);

/** 12.7 → "13 ms". */
export const milliseconds = (value) => unit(Math.round(value), "millisecond");

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
  if (!(seconds >= 60)) return t("age.now");
  const [length, noun] = AGES.filter(([least]) => seconds >= least).at(-1);
  return relative.format(-Math.floor(seconds / length), noun);
}

/** An ISO time → "Nov 23, 2026, 7:05 AM", in the time zone of the reader. */
export const moment = (time) =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));

const SIZES = ["byte", "kilobyte", "megabyte", "gigabyte"];

/** 12345678 → "12.3 MB". */
export function bytes(value) {
  const step = Math.min(SIZES.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)));
  const shown = value / 1000 ** step;
  return unit(shown, SIZES[step], { maximumFractionDigits: step && shown < 100 ? 1 : 0 });
}

/** The name of a language in the language that the page speaks, or its code if the browser does not know it. */
export function languageName(code) {
  try {
    return new Intl.DisplayNames([language], { type: "language", fallback: "code" }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** Where a section stands in a converted file, which the index writes in English: "page 3". */
export function placeName(place) {
  const found = /^(page|cell|line|after line) (\d{1,9})$/.exec(place);
  return found ? t(`place.${found[1].replace(" ", "-")}`, { number: Number(found[2]) }) : place;
}
