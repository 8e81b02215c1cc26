// The sections that a section links to, and those that link to it.

import { el, inLanguage, name, titled } from "./dom.js";
import { address, opened } from "./state.js";
import { t } from "./texts.js";

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
            { href: address(opened(state, link.document_path, link.anchor ?? "")), ...inLanguage(link.heading ?? "") },
            titled(link.heading ?? ""),
          ),
          name(link.document_path, { class: "small" }),
        ),
      ),
    ),
    left > 0 ? el("p", { class: "small" }, t("section.more-links", { count: left })) : null,
  );
}

/** The lists of links of a section, as `/api/links` gives them; without those within it. */
export function linksOf(found, state) {
  const others = found.links.filter(({ id }) => id !== found.id);
  const total = found.link_count - (found.links.length - others.length);
  return [
    list(t("section.backlinks"), found.backlinks, found.backlink_count, state),
    list(t("section.links"), others, total, state),
  ];
}
