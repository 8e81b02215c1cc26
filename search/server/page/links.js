// The sections that a section links to, and those that link to it.

import { count, el, languageOfLine, titled } from "./dom.js";
import { address, opened } from "./state.js";

/** A list of links that lead to sections, each section once, or null; `total` is how many there are in all. */
function list(title, links, total, state) {
  const sections = [...new Map(links.filter(({ id }) => id).map((link) => [link.id, link])).values()];
  if (!sections.length) return null;
  const left = total - links.length;
  return el(
    "nav",
    { class: "links", "aria-label": title },
    el("p", { class: "label" }, title),
    el(
      "ul",
      {},
      sections.map((link) =>
        el(
          "li",
          {},
          el(
            "a",
            {
              href: address(opened(state, link.document_path, link.anchor ?? "")),
              lang: languageOfLine(link.heading ?? ""),
            },
            titled(link.heading ?? ""),
          ),
          el("span", { class: "small" }, link.document_path),
        ),
      ),
    ),
    left > 0 ? el("p", { class: "small" }, `and ${count(left, "more link", "more links")}`) : null,
  );
}

/** The lists of links of a section, as `/api/links` gives them; without those within it. */
export function linksOf(found, state) {
  const others = found.links.filter(({ id }) => id !== found.id);
  const total = found.link_count - (found.links.length - others.length);
  return [
    list("Linked from", found.backlinks, found.backlink_count, state),
    list("Links to", others, total, state),
  ];
}
