// The view of what changed: sections that were added, changed and removed since a moment, by document, newest first.

import { Refusal, ask } from "./api.js";
import { button, el, inLanguage, languageOf, name, titled } from "./dom.js";
import { chip, chipList } from "./filters.js";
import { SINCE, address, anchorOf, opened } from "./state.js";
import { age, moment, placeName, t } from "./texts.js";

/** Most sections that are shown. */
const MOST = 300;
const LABELS = ["changes.run", "changes.day", "changes.week", "changes.all"];
const isDate = (since) => /^\d{4}-/.test(since);

/** What the server is asked for: "all" is before any index, and a date begins at midnight here. */
function sinceOf({ since }) {
  if (since === "all") return "1970-01-01";
  return isDate(since) ? new Date(`${since}T00:00`).toISOString() : since;
}

/** The answer of the server, or null if it does not know yet when a run changed something. */
export async function fetchChanges(state, signal) {
  try {
    return await ask("changes", { since: sinceOf(state), path: state.path, limit: MOST }, signal);
  } catch (error) {
    if (error instanceof Refusal && error.kind === "invalid_query" && !state.since) return null;
    throw error;
  }
}

/** The elements of the view; `go` shows another state. */
export function changesPage(answer, state, go) {
  const drop = (value) =>
    chip(name(value), () => go({ ...state, path: state.path.filter((one) => one !== value) }, { replace: true }));
  return [
    el("h2", {}, t("changes.title")),
    choices(state, go),
    chipList(state.path.map(drop)),
    el("p", { class: "small", role: "status" }, told(answer, state)),
    answer && state.since === "all" && answer.documents.length
      ? el("p", { class: "small" }, t("changes.everything"))
      : null,
    ...(answer?.documents ?? []).map((document) => documentEntry(document, state)),
    answer?.omitted ? el("p", { class: "small" }, t("changes.omitted", { count: answer.omitted })) : null,
    answer?.removed_since && answer.since < answer.removed_since
      ? el("p", { class: "small" }, t("changes.removed-since", { time: moment(answer.removed_since) }))
      : null,
  ];
}

/** The answer in a sentence. */
function told(answer, state) {
  if (!answer) return t("changes.unknown");
  const { added, changed, removed } = answer.counts;
  const time = state.since === "all" ? t("changes.beginning") : moment(answer.since);
  return added + changed + removed ? t("changes.counts", { added, changed, removed, time }) : t("changes.none", { time });
}

/** Links to the moments that one may ask since, and a field for a date. */
function choices(state, go) {
  const link = (since, i) =>
    el(
      "a",
      {
        href: address({ ...state, since }),
        "data-stay": true,
        "aria-current": since === state.since ? "true" : null,
      },
      t(LABELS[i]),
    );
  const field = el("input", {
    id: "page-since",
    type: "date",
    required: true,
    min: "1971-01-01",
    max: "9998-12-31",
    value: isDate(state.since) ? state.since : null,
  });
  const submit = (event) => {
    event.preventDefault();
    go({ ...state, since: field.value }, { then: () => document.getElementById("page-since")?.focus() });
  };
  return el(
    "div",
    { class: "since" },
    el("nav", { "aria-label": t("changes.since") }, el("span", { class: "label" }, t("changes.since")), SINCE.map(link)),
    el(
      "form",
      { on: { submit } },
      el("label", { for: "page-since", class: "small" }, t("changes.date")),
      field,
      button(t("changes.show"), null, { type: "submit" }),
    ),
  );
}

/** A document with its sections. */
function documentEntry(document, state) {
  const plain = { ...state, path: [], tag: [] };
  const isGone = document.sections.every((section) => section.kind === "removed");
  const path = name(document.path, isGone ? {} : { href: address(opened(plain, document.path)) }, isGone ? "span" : "a");
  return el(
    "section",
    { class: "changed" },
    el("h3", {}, path, document.at ? el("span", { class: "small" }, age(document.at)) : null),
    el(
      "ul",
      {},
      document.sections.map((section) => el("li", { "data-kind": section.kind }, sectionEntry(section, document, plain))),
    ),
  );
}

function sectionEntry(section, document, state) {
  const heading = titled(section.heading);
  const href = address(opened(state, document.path, anchorOf(section)));
  return [
    el("span", { class: "kind" }, t(`kind.${section.kind}`)),
    section.kind === "removed"
      ? el("span", inLanguage(section.heading), heading)
      : el("a", { href, "data-step": true, ...inLanguage(section.heading) }, heading),
    section.start_line ? el("span", { class: "small where" }, where(section)) : null,
    section.opening ? el("p", { class: "small", lang: languageOf(section.opening), dir: "auto" }, section.opening) : null,
  ];
}

/** "lines 3–9", or its place in a file that was converted. */
const where = ({ place, start_line: first, end_line: last }) =>
  place ? placeName(place) : t("changes.lines", { first: String(first), last: String(last) });
