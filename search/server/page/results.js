// An answer → its list, and what is said where there is none.

import { bar, count, el, languageOf, languageOfLine, number, place, titled } from "./dom.js";
import { mark, preview, settle } from "./prose.js";
import { MODES, address, anchorOf, filterCount, unfiltered } from "./state.js";

/** The address of a hit's section, the question kept. */
export const sectionState = (state, hit) => ({ ...state, view: "section", doc: hit.document_path, anchor: anchorOf(hit) });

/** "§ 2.1", or nothing for what stands before the first heading. */
export const numberOf = (parts) => (parts.length ? `§ ${parts.join(".")}` : "§");

/** What is not as it should be with a hit, for its reader. */
export function marks({ is_dirty: isDirty, stale }) {
  return [
    stale
      ? el("span", { class: "flag", title: "The file on disk has changed since it was indexed." }, "file changed")
      : null,
    isDirty
      ? el(
          "span",
          { class: "flag", title: "The vector is older than the text; words are found as they are now." },
          "vector pending",
        )
      : null,
  ];
}

/** One hit of the list. */
function item(hit, state, texts) {
  const crumbs = [...new Set([hit.document_title, ...hit.context.ancestors.map((link) => link.heading)])];
  const shown = crumbs.filter((crumb) => crumb && crumb !== hit.heading);
  const link = el(
    "a",
    { href: address(sectionState(state, hit)), "data-step": true, lang: languageOfLine(hit.heading) },
    titled(hit.heading),
  );
  mark(link, texts);
  const body = preview(hit.html, texts);
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
        el("span", { class: "score", title: "Score, 0 to 1" }, hit.score.toFixed(2), bar(hit.score)),
      ),
      el(
        "div",
        { class: "hit-body" },
        shown.length
          ? el(
              "p",
              { class: "crumbs" },
              shown.flatMap((crumb, i) => [
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
          el("span", { class: "place" }, place(hit.document_path, hit.start_line, hit.end_line)),
          el("span", {}, count(hit.token_count, "token")),
          hit.tags.slice(0, 6).map((tag) => el("span", { class: "tag" }, tag)),
          marks(hit),
        ),
      ),
    ),
  );
}

/** The list of an answer; `more` is called for the next page, null where there is none. */
export function resultList(results, { state, texts, more }) {
  const list = el(
    "ol",
    { class: "hits" },
    results.map((hit) => item(hit, state, texts)),
  );
  list.addEventListener("click", (event) => {
    const hit = event.target.closest(".hit");
    if (!hit || event.target.closest("a") || !getSelection().isCollapsed) return;
    hit.querySelector("h3 a").click();
  });
  const button = more ? el("button", { type: "button", class: "button more", on: { click: more } }, "More sections") : null;
  return [el("h2", { class: "unseen" }, "Results"), list, button];
}

/** After the list stands in the document. */
export function settleList(root) {
  for (const made of root.querySelectorAll(".preview")) settle(made);
}

/** "12 sections in 13 ms". */
export function told(answer, isAll) {
  const found = answer.results.length;
  return `${isAll ? count(found, "section") : `The best ${number(found)} sections`} in ${number(Math.round(answer.took_ms))} ms`;
}

/** Makes links to other states of the page, which `go` shows without loading it anew. */
function linker(go) {
  return (text, next) => {
    const follow = (event) => {
      event.preventDefault();
      go(next);
    };
    return el("a", { href: address(next), on: { click: follow } }, text);
  };
}

/** What to do where nothing was found. */
export function nothing(state, go) {
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

/** What stands there before anything is asked: the index in a sentence, and where to begin. */
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
