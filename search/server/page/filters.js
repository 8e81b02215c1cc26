// The filters of a search: the form in the rail, and the chips above the results.

import { el, number } from "./dom.js";
import { MODES, filterCount, unfiltered } from "./state.js";

const DEPTHS = { 0: "Before the first heading", 1: "First level", 2: "Second level", 3: "Third level" };
const LANGUAGES = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" });
/** So many tags are shown at first; the others are folded away. */
const FIRST = 8;

const languageName = (code) => {
  try {
    return LANGUAGES.of(code) ?? code;
  } catch {
    return code;
  }
};

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

  const tags = withChosen(facets?.tags ?? [], state.tag).map(({ value, count }) => check("tag", value, value, count));
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
    placeholder: "docs/ or docs/**/*.md",
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
      "Compare",
      Object.entries(MODES).map(([mode, text]) =>
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
          el("span", { class: "check-text" }, text),
        ),
      ),
    ),
    el(
      "div",
      { class: "field" },
      el("label", { for: "page-path" }, "Path"),
      path,
      el(
        "datalist",
        { id: "page-folders" },
        folders.map(({ value }) => el("option", { value })),
      ),
    ),
    group(
      "Depth",
      Object.entries(DEPTHS).map(([depth, text]) => check("depth", depth, text)),
    ),
    tags.length
      ? group(
          "Tags",
          tags.slice(0, FIRST),
          tags.length > FIRST ? el("details", {}, el("summary", {}, `${tags.length - FIRST} more`), tags.slice(FIRST)) : null,
        )
      : null,
    languages.length > 1 || state.language.length ? group("Language", languages) : null,
    group(
      "Freshness",
      el(
        "label",
        { class: "check" },
        el("input", {
          type: "checkbox",
          name: "clean",
          checked: state.clean,
          on: { change: (event) => change({ ...state, clean: event.target.checked }) },
        }),
        el("span", { class: "check-text" }, "Only fully indexed sections"),
      ),
    ),
    filterCount(state)
      ? el(
          "button",
          { type: "button", class: "button quiet", on: { click: () => change(unfiltered(state)) } },
          "Clear filters",
        )
      : null,
  );
}

/** The values to offer: chosen ones first, also those that the index does not have. */
function withChosen(facets, chosen) {
  const missing = chosen.filter((value) => !facets.some((facet) => facet.value === value));
  const first = facets.filter((facet) => chosen.includes(facet.value));
  return [...missing.map((value) => ({ value })), ...first, ...facets.filter((facet) => !chosen.includes(facet.value))];
}

/** The filters in use as buttons that drop them, or null. */
export function chips(state, change) {
  const made = [];
  const chip = (text, next) =>
    made.push(
      el(
        "li",
        {},
        el(
          "button",
          { type: "button", class: "chip", on: { click: () => change(next) } },
          text,
          el("span", { "aria-hidden": "true" }, "×"),
          el("span", { class: "unseen" }, " – drop this filter"),
        ),
      ),
    );
  if (state.mode !== "hybrid") chip(MODES[state.mode], { ...state, mode: "hybrid" });
  for (const name of ["path", "depth", "tag", "language"]) {
    for (const value of state[name]) {
      const text = name === "depth" ? DEPTHS[value] : name === "language" ? languageName(value) : value;
      chip(text, { ...state, [name]: state[name].filter((one) => one !== value) });
    }
  }
  if (state.clean) chip("Only fully indexed", { ...state, clean: false });
  return made.length ? el("ul", { class: "chips", "aria-label": "Filters in use" }, made) : null;
}

/** The content of the rail: the form, which is folded away where the rail is not beside the results. */
export function filterRail(state, facets, change) {
  const many = filterCount(state);
  return el(
    "details",
    { class: "fold", "data-fold": true },
    el("summary", {}, many ? `Filters (${many})` : "Filters"),
    filterForm(state, facets, change),
  );
}
