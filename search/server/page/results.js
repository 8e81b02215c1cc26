// An answer → the list of results, or a message if there are none.

import { bar, button, el, inLanguage, languageOf, name, placeOf, sentence, titled } from "./dom.js";
import { mark, snippet } from "./markdown.js";
import { address, anchorOf, filterCount, narrowing, opened, unfiltered } from "./state.js";
import { count, milliseconds, t } from "./texts.js";

/** The state that shows a hit's section at the lines that answer. */
const sectionState = (state, hit) =>
  opened(state, hit.document_path, anchorOf(hit), hit.snippet ? [hit.snippet.start_line, hit.snippet.end_line] : null);

/** "§ 2.1"; "§" alone for the text before the first heading. */
export const numberOf = (parts) => (parts.length ? `§ ${parts.join(".")}` : "§");

/** Labels for a hit that is not up to date: its file has changed or is gone, or its vector is missing. */
export function flags({ is_pending: isPending, stale, gone = false }) {
  const flag = (what) => el("span", { class: "flag", title: t(`flag.${what}-means`) }, t(`flag.${what}`));
  return [stale ? flag(gone ? "gone" : "changed") : null, isPending ? flag("pending") : null];
}

/** The tags of a section, or the first of them. */
export const tagsOf = (tags) => tags.map((tag) => name(tag, { class: "tag" }));

/** The root of a section; it is shown where the index has more than one (see `showFoot`). */
export const rootOf = ({ root }) =>
  root ? el("span", { class: "root" }, sentence("hit.root", { root: name(root) })) : null;

/** One hit of the list. */
function hitItem(hit, state, texts) {
  const title = titled(hit.heading);
  const above = hit.trail.filter((crumb) => crumb !== hit.heading);
  const href = address(sectionState(state, hit));
  const link = el("a", { href, "data-step": true, ...inLanguage(hit.heading), dir: null }, title);
  mark(link, texts);
  const body = snippet(hit);
  const lang = languageOf(hit.content);
  if (lang !== null) body.lang = lang;
  return el(
    "li",
    {},
    el(
      "article",
      { class: "hit" },
      el(
        "div",
        { class: "margin" },
        el("span", { class: "number" }, numberOf(hit.section_number)),
        relevance(hit.relevance),
      ),
      el(
        "div",
        { class: "hit-body" },
        above.length
          ? el(
              "p",
              { class: "crumbs" },
              above.flatMap((crumb, i) => [
                i ? el("span", { class: "sep", "aria-hidden": "true" }, "›") : null,
                el("span", inLanguage(crumb), crumb),
              ]),
            )
          : null,
        el("h3", { dir: "auto" }, link),
        body.childElementCount ? body : null,
        el(
          "p",
          { class: "meta" },
          name(
            placeOf(hit.document_path, (hit.snippet ?? hit).place, (hit.snippet ?? hit).start_line),
            { class: "place", href },
            "a",
          ),
          rootOf(hit),
          el("span", {}, count(hit.token_count, "token")),
          tagsOf(hit.tags.slice(0, 6)),
          flags(hit),
        ),
        propertiesOf(hit.properties),
        hit.similar.length ? similarSections(hit.similar, state) : null,
      ),
    ),
  );
}

/** The relevance of a hit (0..1) as a number and a bar. */
function relevance(value) {
  const figure = value.toFixed(2);
  const title = t("hit.relevance-means", { value: figure });
  const label = t("hit.relevance", { value: figure });
  return el("span", { class: "relevance", role: "img", "aria-label": label, title }, figure, bar(value));
}

/** The fields of the front matter that were asked for, each as "name: value". */
function propertiesOf(properties) {
  const entries = Object.entries(properties);
  if (!entries.length) return null;
  return el(
    "ul",
    { class: "properties" },
    entries.map(([key, value]) => el("li", inLanguage(value), `${key}: ${value}`)),
  );
}

/** The sections with nearly the same text as a hit, folded away. */
function similarSections(similar, state) {
  const entry = ({ document_path: path, heading, start_line: line, place }) => {
    const href = address(opened(state, path, "", [line, line]));
    return el(
      "li",
      {},
      el("a", { href, ...inLanguage(heading) }, titled(heading)),
      name(placeOf(path, place, line), { class: "place small" }),
    );
  };
  return el(
    "details",
    { class: "similar" },
    el("summary", { title: t("hit.similar-means") }, t("hit.similar", { count: similar.length })),
    el("ul", {}, similar.map(entry)),
  );
}

/** The list of an answer; `more` is called for the next page, or null on the last one. */
export function resultList(results, { state, texts, more }) {
  const list = el(
    "ol",
    { class: "hits" },
    results.map((hit) => hitItem(hit, state, texts)),
  );
  list.addEventListener("click", (event) => {
    const hit = event.target.closest(".hit");
    if (!hit || event.target.closest("a, details") || !getSelection().isCollapsed) return;
    hit.querySelector("h3 a").click();
  });
  const next = more ? button(t("search.more"), more, { class: "button more" }) : null;
  return [el("h2", { class: "unseen" }, t("search.results")), list, next];
}

/**
 * The line above the list, such as "12 sections in 13 ms". It begins with "No section answers this." if none does, and ends
 * with the words that were taken for what is to be left out, the phrases that no section has, and the question as it was
 * searched if words of it were misspelt.
 */
export function statusText(answer, isAll) {
  const values = { count: answer.results.length, time: milliseconds(answer.took_ms) };
  const words = (answer.words_left_out ?? []).join(" ");
  const leftOut = words ? [` ${t("search.left-out", { words: words.length > 100 ? `${words.slice(0, 100)}…` : words })}`] : [];
  const phrases = (answer.phrases_not_found ?? []).map((phrase) => `“${phrase}”`).join(", ");
  const told = [
    ...(answer.respelt ? [t("search.respelt", { words: answer.respelt })] : []),
    ...(phrases ? [t("search.no-phrase", { words: phrases })] : []),
  ].join(" · ");
  // on a line of its own, which is cut where it is too long, since there is room for two lines
  const readAs = told ? [" ", el("span", { class: "one-line" }, told)] : [];
  if (values.count && !answer.answered) {
    const nearest = told ? readAs : [` ${t("search.nearest", values)}`];
    return [el("strong", { class: "unanswered" }, t("search.unanswered")), ...nearest, ...leftOut];
  }
  return [t(isAll ? "search.found" : "search.best", values), ...readAs, ...leftOut];
}

/**
 * A row with the filters in use and a link to drop them, or null without filters. The link can be seen where no section
 * answers, since the filters may be the reason; elsewhere it only keeps its room, so that nothing moves.
 */
export function narrowedBy(list, answer, state, go) {
  if (!list) return null;
  const isHint = !answer.answered && answer.results.length > 0 && narrowing(state) > 0;
  const clear = linker(go)(t("search.widen-link"), unfiltered(state));
  return el(
    "div",
    { class: "narrowed" },
    list,
    el("p", { class: isHint ? "widen" : "widen kept" }, sentence("search.widen", { link: clear })),
  );
}

/** A function that makes links to other states of the page; `go` shows them without loading the page again. */
function linker(go) {
  return (text, next, attributes = {}) => {
    const follow = (event) => {
      event.preventDefault();
      go(next);
    };
    return el("a", { href: address(next), ...attributes, on: { click: follow } }, text);
  };
}

/** The server's own words, which are English, or null if there are none. */
const inServersWords = (text) => (text ? el("p", { lang: "en" }, text) : null);

/** The message if sections are found, but the filters leave out all of them, with what the server says of the filters. */
export function allFilteredOut(state, change, { advice }) {
  return el(
    "div",
    { class: "nothing" },
    el("h2", {}, t("filtered-out.title")),
    el("p", {}, t("filtered-out.text")),
    inServersWords(advice),
    button(t("filtered-out.clear"), () => change(unfiltered(state))),
  );
}

/** The message if nothing was found: what the server says of that, such as of fields in the question, and what to try. */
export function nothingFound(state, go, { advice: told }) {
  const link = linker(go);
  const advice = [];
  const add = (key, next) =>
    advice.push(el("li", {}, next ? sentence(key, { link: link(t(`${key}-link`), next) }) : t(key)));
  if (filterCount(state)) add("nothing.filters", unfiltered(state));
  if (/["“”]/.test(state.q)) add("nothing.quotes", { ...state, q: state.q.replace(/["“”]/g, " ").trim() });
  if (state.mode === "lexical") add("nothing.words", { ...state, mode: "hybrid" });
  add("nothing.other-words");
  add("nothing.documents", { ...unfiltered(state), view: "documents" });
  return el(
    "div",
    { class: "nothing" },
    el("h2", {}, t("nothing.title")),
    inServersWords(told),
    el("ul", {}, advice),
  );
}

/** The folders to begin with, sorted by name: those at the top, so that no root is left out, then those that hold most. */
function startingFolders(folders) {
  const depth = ({ value }) => value.split("/").length;
  const first = [...folders].sort((a, b) => depth(a) - depth(b)).slice(0, 8);
  return first.sort((a, b) => (a.value < b.value ? -1 : 1));
}

/** The view before anything is asked: the index in a sentence, and folders to begin with; or how to fill an empty index. */
export function welcome(status, facets, state, go) {
  const link = linker(go);
  const folders = startingFolders(facets?.folders ?? []);
  const key = (sign) => el("kbd", { translate: "no" }, sign);
  const lead = ({ sections, documents }) =>
    sections
      ? t("welcome.lead", { sections: count(sections, "section"), documents: count(documents, "document") })
      : sentence("welcome.empty", { command: name("sectionary index FOLDER", {}, "code") });
  const start = ({ value, count: sections }) =>
    el(
      "li",
      {},
      link(value, { ...unfiltered(state), view: "documents", path: [value] }, { translate: "no" }),
      el("span", { class: "small" }, count(sections, "section")),
    );
  return el(
    "div",
    { class: "welcome" },
    name(status ? status.name : "Sectionary", {}, "h2"),
    status ? el("p", { class: "lead" }, lead(status)) : null,
    folders.length
      ? [el("h3", { class: "label" }, t("welcome.folders")), el("ul", { class: "starts" }, folders.map(start))]
      : null,
    el(
      "p",
      { class: "small keys-hint" },
      sentence("welcome.keys", { field: key("/"), next: key("j"), previous: key("k"), open: key("Enter"), help: key("?") }),
    ),
  );
}
