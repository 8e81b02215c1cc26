// The fields that can stand in a query, explained beside the search field.

import { el } from "./dom.js";
import { t } from "./texts.js";

/** Examples of fields, and the names of the texts that explain them. */
export const FIELDS = [
  ["path:guide/", "fields.path"],
  ["tag:api", "fields.tag"],
  ["title:install", "fields.title-words"],
  ["lang:ja", "fields.lang"],
  ["since:7d", "fields.since"],
  ["depth:2", "fields.depth"],
  ["root:notes", "fields.root"],
  ['"exact words"', "fields.quotes"],
  ["-word", "fields.without"],
  ["-path:old/", "fields.without-path"],
];

const box = document.getElementById("page-fields");

/** Write the list, in the language that the page speaks now. */
export function writeFields() {
  box
    .querySelector("dl")
    .replaceChildren(
      ...FIELDS.map(([example, text]) =>
        el("div", {}, el("dt", {}, el("code", { translate: "no" }, example)), el("dd", {}, t(text))),
      ),
    );
}

function close({ withFocus = false } = {}) {
  if (!box.open) return;
  box.open = false;
  if (withFocus) box.querySelector("summary").focus();
}

box.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !box.open) return;
  event.preventDefault();
  close({ withFocus: true });
});
box.addEventListener("focusout", ({ relatedTarget }) => {
  if (relatedTarget && !box.contains(relatedTarget)) close();
});

/** Whether the list was open when the mouse was pressed beside it: that click closes the list and does no more. */
let isClosing = false;
document.addEventListener(
  "pointerdown",
  ({ target, button }) => {
    isClosing = box.open && button === 0 && !box.contains(target);
  },
  { capture: true },
);
document.addEventListener(
  "click",
  (event) => {
    // a click that a key makes has no detail
    if (isClosing && event.detail) {
      event.preventDefault();
      event.stopPropagation();
    }
    isClosing = false;
    if (!box.contains(event.target)) close();
  },
  { capture: true },
);
