// An answer → the list of results, or a message if there are none.

import { bar, count, el, languageOf, languageOfLine, number, placeOf, titled } from "./dom.js";
import { mark, snippet } from "./markdown.js";
import { MODES, address, anchorOf, filterCount, narrowing, opened, unfiltered } from "./state.js";

/** The state that shows a hit's section at the lines that answer. */
const sectionState = (state, hit) =>
  opened(state, hit.document_path, anchorOf(hit), hit.snippet ? [hit.snippet.start_line, hit.snippet.end_line] : null);

/** "§ 2.1"; "§" alone for the text before the first heading. */
export const numberOf = (parts) => (parts.length ? `§ ${parts.join(".")}` : "§");

/** Labels for a hit that is not up to date: its file has changed, or its vector is missing. */
export function flags({ is_pending: isPending, stale }) {
  return [
    stale
      ? el("span", { class: "flag", title: "The file on disk has changed since it was indexed." }, "file changed")
      : null,
    isPending
      ? el(
          "span",
          { class: "flag", title: "The vector is older than the text; words are found as they are now." },
          "vector pending",
        )
      : null,
  ];
}

/** One hit of the list. */
function hitItem(hit, state, texts) {
  const title = titled(hit.heading);
  const above = hit.trail.filter((crumb) => crumb !== hit.heading);
  const href = address(sectionState(state, hit));
  const link = el("a", { href, "data-step": true, lang: languageOfLine(title) }, title);
  mark(link, texts);
  const body = snippet(hit);
  body.lang = languageOf(hit.content) ?? "";
  if (!body.lang) body.removeAttribute("lang");
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
                el("span", { lang: languageOfLine(crumb) }, crumb),
              ]),
            )
          : null,
        el("h3", {}, link),
        body.childElementCount ? body : null,
        el(
          "p",
          { class: "meta" },
          el("a", { class: "place", href }, placeOf(hit.document_path, (hit.snippet ?? hit).place, (hit.snippet ?? hit).start_line)),
          el("span", {}, count(hit.token_count, "token")),
          hit.tags.slice(0, 6).map((tag) => el("span", { class: "tag" }, tag)),
          flags(hit),
        ),
        hit.similar.length ? similarSections(hit.similar, state) : null,
      ),
    ),
  );
}

/** The relevance of a hit (0..1) as a number and a bar. */
function relevance(value) {
  const figure = value.toFixed(2);
  const title = `Relevance ${figure}: 1 is sure to answer, 0 is sure not to`;
  return el("span", { class: "relevance", role: "img", "aria-label": `relevance ${figure}`, title }, figure, bar(value));
}

/** The sections with nearly the same text as a hit, folded away. */
function similarSections(similar, state) {
  const entry = ({ document_path: path, heading, start_line: line, place }) => {
    const href = address(opened(state, path, "", [line, line]));
    return el(
      "li",
      {},
      el("a", { href, lang: languageOfLine(heading) }, titled(heading)),
      el("span", { class: "place small" }, placeOf(path, place, line)),
    );
  };
  return el(
    "details",
    { class: "similar" },
    el("summary", { title: "Sections that say nearly the same" }, `+${number(similar.length)} similar`),
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
  const button = more ? el("button", { type: "button", class: "button more", on: { click: more } }, "More sections") : null;
  return [el("h2", { class: "unseen" }, "Results"), list, button];
}

/** The line above the list, such as "12 sections in 13 ms"; it begins with "No section answers this." if none does. */
export function statusText(answer, isAll) {
  const found = answer.results.length;
  const time = `in ${number(Math.round(answer.took_ms))} ms`;
  if (found && !answer.answered)
    return [
      el("strong", { class: "unanswered" }, "No section answers this."),
      ` The nearest ${found > 1 ? count(found, "section") : "section"} ${time}`,
    ];
  return [`${isAll ? count(found, "section") : `The best ${number(found)} sections`} ${time}`];
}

/** A link to drop the filters, if no section answers and filters may be the reason; else null. */
export function dropFiltersHint(answer, state, go) {
  if (answer.answered || !answer.results.length || !narrowing(state)) return null;
  const clear = linker(go)("clear the filters", unfiltered(state));
  return el("p", { class: "widen" }, "The filters may leave the answer out: ", clear, ".");
}

/** A function that makes links to other states of the page; `go` shows them without loading the page again. */
function linker(go) {
  return (text, next) => {
    const follow = (event) => {
      event.preventDefault();
      go(next);
    };
    return el("a", { href: address(next), on: { click: follow } }, text);
  };
}

/** The message if sections are found, but the filters leave out all of them. */
export function allFilteredOut(state, change) {
  const clear = { type: "button", class: "button", on: { click: () => change(unfiltered(state)) } };
  return el(
    "div",
    { class: "nothing" },
    el("h2", {}, "The filters leave out every section"),
    el("p", {}, "Without them there are sections to show."),
    el("button", clear, "Clear the filters"),
  );
}

/** The message if nothing was found: what the reader can try. */
export function nothingFound(state, go) {
  const link = linker(go);
  const advice = [];
  if (filterCount(state))
    advice.push(el("li", {}, "The filters may leave it out: ", link("search without filters", unfiltered(state)), "."));
  if (/["“”]/.test(state.q))
    advice.push(
      el(
        "li",
        {},
        "Words in quotes must stand exactly so: ",
        link("search without quotes", { ...state, q: state.q.replace(/["“”]/g, " ").trim() }),
        ".",
      ),
    );
  if (state.mode === "lexical")
    advice.push(
      el(
        "li",
        {},
        "Only words were compared: ",
        link(`search by ${MODES.hybrid.toLowerCase()}`, { ...state, mode: "hybrid" }),
        ".",
      ),
    );
  advice.push(el("li", {}, "Try other words, or fewer; a whole question is welcome."));
  advice.push(
    el("li", {}, "Look through the ", link("list of documents", { ...unfiltered(state), view: "documents" }), "."),
  );
  return el("div", { class: "nothing" }, el("h2", {}, "Nothing found"), el("ul", {}, advice));
}

/** The view before anything is asked: the index in a sentence, and folders to begin with. */
export function welcome(status, facets, state, go) {
  const link = linker(go);
  const folders = (facets?.folders ?? []).slice(0, 8).sort((a, b) => (a.value < b.value ? -1 : 1));
  return el(
    "div",
    { class: "welcome" },
    el("h2", {}, status ? status.name : "Sectionary"),
    status
      ? el(
          "p",
          { class: "lead" },
          `${count(status.sections, "section")} of ${count(status.documents, "document")}. Ask for what you need; the answer is the section that says it.`,
        )
      : null,
    folders.length
      ? [
          el("h3", { class: "label" }, "Begin with a folder"),
          el(
            "ul",
            { class: "starts" },
            folders.map((folder) =>
              el(
                "li",
                {},
                link(folder.value, { ...unfiltered(state), view: "documents", path: [folder.value] }),
                el("span", { class: "small" }, count(folder.count, "section")),
              ),
            ),
          ),
        ]
      : null,
    el(
      "p",
      { class: "small keys-hint" },
      el("kbd", {}, "/"),
      " to ask, ",
      el("kbd", {}, "j"),
      " ",
      el("kbd", {}, "k"),
      " to move, ",
      el("kbd", {}, "Enter"),
      " to open, ",
      el("kbd", {}, "?"),
      " for more",
    ),
  );
}
