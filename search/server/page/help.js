// The help of the page: the table of keys, and how to ask.

import { button, el, sentence } from "./dom.js";
import { KEYS } from "./keys.js";
import { t } from "./texts.js";

const SIGNS = { ArrowDown: "↓", ArrowUp: "↑", ArrowRight: "→", ArrowLeft: "←", Escape: "Esc" };
const PLACES = {
  anywhere: "keys.anywhere",
  field: "keys.in-field",
  list: "keys.in-list",
  tree: "keys.in-tree",
  section: "keys.in-section",
};
const dialog = document.getElementById("page-help");

/** A key as it stands on a keyboard. */
export const keySign = (key) => el("kbd", { translate: "no" }, SIGNS[key] ?? key);

/** Show the help, in the language that the page speaks now. */
export function showHelp() {
  const places = [...new Set(KEYS.map(({ at }) => at))];
  dialog.replaceChildren(
    el("h2", { id: "page-help-title", tabindex: "-1", autofocus: true }, t("keys")),
    ...places.flatMap((place) => [el("h3", { class: "label" }, t(PLACES[place])), list(place)]),
    el("h2", {}, t("questions")),
    el("p", {}, sentence("questions.text", { quotes: el("q", {}, t("questions.quotes")) })),
    button(t("close"), () => dialog.close()),
  );
  dialog.showModal();
}

const list = (place) =>
  el(
    "dl",
    { class: "keys" },
    KEYS.filter(({ at }) => at === place).map(({ keys, text }) =>
      el(
        "div",
        {},
        el(
          "dt",
          {},
          keys.flatMap((key, i) => [i ? " " : null, keySign(key)]),
        ),
        el("dd", {}, t(text)),
      ),
    ),
  );
