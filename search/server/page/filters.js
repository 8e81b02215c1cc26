// The filters of a search: the form in the rail, and the chips above the results.

import { button, el, name as named } from "./dom.js";
import { MODES, filterCount, unfiltered } from "./state.js";
import { languageName, number, t } from "./texts.js";

const DEPTHS = ["0", "1", "2", "3"];
/** So many tags are shown at first; the others are folded away. */
const FIRST = 8;

/** The form of filters. `facets` are the values that the index has, or null; `change` is called with the next state. */
export function filterForm(state, facets, change) {
  const toggled = (name, value, isOn) =>
    change({ ...state, [name]: isOn ? [...state[name], value] : state[name].filter((one) => one !== value) });
  const check = (name, value, text, found) =>
    el(
      "label",
      { class: "check" },
      el("input", {
        type: "checkbox",
        name,
        value,
        checked: state[name].includes(value),
        on: { change: (event) => toggled(name, value, event.target.checked) },
      }),
      el("span", { class: "check-text" }, text),
      found === undefined ? null : el("span", { class: "small" }, number(found)),
    );
  const group = (title, ...children) => el("fieldset", {}, el("legend", {}, title), children);

  const tags = withChosen(facets?.tags ?? [], state.tag).map(({ value, count }) => check("tag", value, named(value), count));
  const languages = withChosen(facets?.languages ?? [], state.language).map(({ value, count }) =>
    check("language", value, languageName(value), count),
  );
  const folders = facets?.folders ?? [];
  const path = el("input", {
    id: "page-path",
    type: "text",
    name: "path",
    list: "page-folders",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: t("filters.path-example"),
    value: state.path.join(", "),
  });
  const setPath = () => {
    const next = path.value
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean);
    if (next.join() !== state.path.join()) change({ ...state, path: next });
  };
  path.addEventListener("change", setPath);

  return el(
    "form",
    {
      class: "filters",
      on: {
        submit: (event) => {
          event.preventDefault();
          setPath();
        },
      },
    },
    group(
      t("filters.compare"),
      MODES.map((mode) =>
        el(
          "label",
          { class: "check" },
          el("input", {
            type: "radio",
            name: "mode",
            value: mode,
            checked: state.mode === mode,
            on: { change: () => change({ ...state, mode }) },
          }),
          el("span", { class: "check-text" }, t(`mode.${mode}`)),
        ),
      ),
    ),
    el(
      "div",
      { class: "field" },
      el("label", { for: "page-path" }, t("filters.path")),
      path,
      el(
        "datalist",
        { id: "page-folders" },
        folders.map(({ value }) => el("option", { value })),
      ),
    ),
    group(
      t("filters.depth"),
      DEPTHS.map((depth) => check("depth", depth, t(`depth.${depth}`))),
    ),
    group(
      t("filters.freshness"),
      el(
        "label",
        { class: "check" },
        el("input", {
          type: "checkbox",
          name: "clean",
          checked: state.clean,
          on: { change: (event) => change({ ...state, clean: event.target.checked }) },
        }),
        el("span", { class: "check-text" }, t("filters.clean")),
      ),
    ),
    tags.length
      ? group(
          t("filters.tags"),
          tags.slice(0, FIRST),
          tags.length > FIRST
            ? el("details", {}, el("summary", {}, t("filters.more", { count: tags.length - FIRST })), tags.slice(FIRST))
            : null,
        )
      : null,
    languages.length > 1 || state.language.length ? group(t("filters.language"), languages) : null,
    filterCount(state) ? button(t("filters.clear"), () => change(unfiltered(state)), { class: "button quiet" }) : null,
  );
}

/** The values to offer: chosen ones first, also those that the index does not have. */
function withChosen(facets, chosen) {
  const missing = chosen.filter((value) => !facets.some((facet) => facet.value === value));
  const first = facets.filter((facet) => chosen.includes(facet.value));
  return [...missing.map((value) => ({ value })), ...first, ...facets.filter((facet) => !chosen.includes(facet.value))];
}

/** A button that drops a filter; its text is an element or a string. */
export const chip = (text, drop) =>
  el(
    "li",
    {},
    button(
      [text, el("span", { "aria-hidden": "true" }, "×"), el("span", { class: "unseen" }, ` – ${t("filters.drop")}`)],
      drop,
      {
        class: "chip",
      },
    ),
  );

/** A list of such buttons, or null if there is none. */
export const chipList = (made) =>
  made.length ? el("ul", { class: "chips", "aria-label": t("filters.in-use") }, made) : null;

/** The filters in use as buttons that drop them, or null. */
export function chips(state, change) {
  const made = [];
  const add = (text, next) => made.push(chip(text, () => change(next)));
  if (state.mode !== "hybrid") add(t(`mode.${state.mode}`), { ...state, mode: "hybrid" });
  for (const name of ["path", "depth", "tag", "language"]) {
    for (const value of state[name]) {
      const text = name === "depth" ? t(`depth.${value}`) : name === "language" ? languageName(value) : named(value);
      add(text, { ...state, [name]: state[name].filter((one) => one !== value) });
    }
  }
  if (state.clean) add(t("filters.clean-short"), { ...state, clean: false });
  return chipList(made);
}

/** The content of the rail: the form, which is folded away where the rail is not beside the results. */
export function filterRail(state, facets, change) {
  const many = filterCount(state);
  return el(
    "details",
    { class: "fold", "data-fold": true },
    el("summary", {}, many ? t("filters.many", { count: many }) : t("filters")),
    filterForm(state, facets, change),
  );
}
