// The view of one section: its text, and the sections above, beside and below it.

import { actions } from "./copying.js";
import { bar, el, inLanguage, languageOf, lineRange, name, placeOf, titled } from "./dom.js";
import { linksOf } from "./links.js";
import { prose } from "./markdown.js";
import { flags, numberOf, rootOf } from "./results.js";
import { similarSections } from "./similar.js";
import { address, anchorOf, opened } from "./state.js";
import { count, t } from "./texts.js";

/** An outline as a tree, made from depths: an entry is a child of the last one before it with a smaller depth. */
function tree(links) {
  const root = { children: [] };
  const open = [{ entry: root, depth: 0 }];
  for (const link of links) {
    const entry = { ...link, children: [] };
    while (open.length > 1 && open.at(-1).depth >= link.depth) open.pop();
    open.at(-1).entry.children.push(entry);
    if (link.depth > 0) open.push({ entry, depth: link.depth });
  }
  return root.children;
}

const addressOf = (state, link) => address(opened(state, state.doc, anchorOf(link)));

/** The outline of a document, with a bar for the tokens of each section; `current` is the id of the one that is shown. */
export function outlineRail(outline, current, state) {
  const most = Math.max(1, ...outline.sections.map((link) => link.token_count));
  const level = (entries) =>
    el(
      "ol",
      {},
      entries.map((entry) =>
        el(
          "li",
          {},
          el(
            "a",
            {
              href: addressOf(state, entry),
              "aria-current": entry.id === current ? "true" : null,
            },
            el("span", { class: "entry", ...inLanguage(entry.heading) }, titled(entry.heading)),
            el(
              "span",
              { class: "tokens" },
              bar(entry.token_count / most),
              el("span", { class: "small" }, count(entry.token_count, "token")),
            ),
          ),
          entry.children.length ? level(entry.children) : null,
        ),
      ),
    );
  return el(
    "details",
    { class: "fold", "data-fold": true },
    el("summary", {}, t("section.outline")),
    el("nav", { class: "outline", "aria-label": t("section.outline") }, level(tree(outline.sections))),
  );
}

/** The name of a language in that language, or its code if the browser does not know it. */
function nameOf(code) {
  try {
    return new Intl.DisplayNames([code], { type: "language" }).of(code);
  } catch {
    return code;
  }
}

/** Links to the section with the same anchor in other languages, or null. */
function otherLanguages(others, section, state) {
  if (!others.length) return null;
  return el(
    "nav",
    { class: "languages small", "aria-label": t("section.languages") },
    others.map(({ path, title, language }) =>
      el(
        "a",
        {
          href: address(opened(state, path, section.anchor)),
          hreflang: language || null,
          lang: language || null,
          translate: "no",
          title: path,
        },
        language ? nameOf(language) : title,
      ),
    ),
  );
}

/**
 * The element of a section. `texts` are marked; `span`, a part of its content or null, is shown as its passage; `others` are
 * the same page in other languages, `linked` the section's links, `editor` is the address that opens it in an editor, or "".
 * `signal` is aborted when the section is left.
 */
export function sectionView(section, { state, texts, span, others, linked, editor, signal }) {
  const { context } = section;
  const [outermost] = context.ancestors;
  // most documents begin with their title as a heading: it is shown once
  const isTitle = outermost?.heading === section.document_title;
  const above = isTitle ? context.ancestors.slice(1) : context.ancestors;
  const title =
    !section.document_title || section.heading === section.document_title ? section.document_path : section.document_title;
  const up = (link) => ({
    href: addressOf(state, link),
    ...inLanguage(link.heading),
    "data-up": link === context.ancestors.at(-1),
  });
  const body = section.html.trim()
    ? prose(section, texts, span)
    : el("p", { class: "prose empty" }, t(context.children.length ? "section.heading-alone" : "section.empty"));
  const lang = languageOf(section.content);
  if (lang !== null && section.html.trim()) body.lang = lang;
  const made = el(
    "article",
    { class: "section" },
    el(
      "h2",
      { class: "document" },
      el("a", isTitle ? up(outermost) : { href: address(opened(state, state.doc)), ...inLanguage(title) }, title),
    ),
    above.length
      ? el(
          "nav",
          { class: "crumbs", "aria-label": t("section.above") },
          el(
            "ol",
            {},
            above.map((link) => el("li", {}, el("a", up(link), titled(link.heading)))),
          ),
        )
      : null,
    el("p", { class: "number" }, numberOf(section.section_number)),
    el("h3", { class: "heading", tabindex: "-1", ...inLanguage(section.heading) }, titled(section.heading)),
    el(
      "p",
      { class: "meta" },
      name(
        section.place
          ? placeOf(section.document_path, section.place)
          : lineRange(section.document_path, section.start_line, section.end_line),
        { class: "place" },
      ),
      rootOf(section),
      el("span", {}, count(section.token_count, "token")),
      section.tags.map((tag) =>
        name(tag, { class: "tag", href: address({ ...state, view: "documents", doc: "", tag: [tag] }) }, "a"),
      ),
      flags(section),
    ),
    actions(section, state, editor),
    otherLanguages(others, section, state),
    summary(t("section.summary"), section.summary),
    body,
    summary(t("section.document-summary"), section.document_summary),
    context.children.length
      ? el(
          "nav",
          { class: "children", "aria-label": t("section.below") },
          el(
            "ul",
            {},
            context.children.map((link) =>
              el(
                "li",
                {},
                el("a", { href: addressOf(state, link), ...inLanguage(link.heading) }, titled(link.heading)),
                el("span", { class: "small" }, count(link.token_count, "token")),
                link.summary ? el("p", { class: "small", lang: languageOf(link.summary), dir: "auto" }, link.summary) : null,
              ),
            ),
          ),
        )
      : null,
    linksOf(linked, state),
    similarSections(section, state, signal),
    neighbours(context, state),
  );
  return made;
}

function summary(title, text) {
  return text
    ? el("div", { class: "summary" }, el("p", { class: "label" }, title), el("p", { lang: languageOf(text), dir: "auto" }, text))
    : null;
}

function neighbours({ previous, next }, state) {
  if (!previous && !next) return null;
  const side = (link, rel, text) =>
    link
      ? el(
          "a",
          { href: addressOf(state, link), rel, class: rel, "data-turn": rel },
          el("span", { class: "label" }, text),
          el("span", inLanguage(link.heading), titled(link.heading)),
        )
      : null;
  return el(
    "nav",
    { class: "neighbours", "aria-label": t("section.neighbours") },
    side(previous, "prev", t("section.previous")),
    side(next, "next", t("section.next")),
  );
}
