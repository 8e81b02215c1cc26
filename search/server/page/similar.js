// The sections most like the one that is shown, asked for when their list is unfolded.

import { ask } from "./api.js";
import { el, inLanguage, name, placeOf, titled } from "./dom.js";
import { reasonOf } from "./notice.js";
import { address, anchorOf, opened } from "./state.js";
import { t } from "./texts.js";

/** How many are listed. */
const MOST = 8;

/** The folded list; `signal` is aborted when the section is left. */
export function similarSections(section, state, signal) {
  const list = el("div", { "aria-live": "polite" });
  let isAsked = false;
  const fill = async (event) => {
    if (!event.target.open || isAsked) return;
    isAsked = true;
    list.replaceChildren(el("p", { class: "small" }, t("similar.waiting")));
    try {
      const { results } = await ask("similar", { section: section.id, limit: MOST }, signal);
      list.replaceChildren(results.length ? entries(results, state) : el("p", { class: "small" }, t("similar.none")));
    } catch (error) {
      if (error.name === "AbortError") return;
      isAsked = false;
      list.replaceChildren(reasonOf(error));
    }
  };
  return el("details", { class: "links", on: { toggle: fill } }, el("summary", {}, t("similar")), list);
}

const entries = (results, state) =>
  el(
    "ul",
    {},
    results.map((hit) =>
      el(
        "li",
        {},
        el(
          "a",
          { href: address(opened(state, hit.document_path, anchorOf(hit))), ...inLanguage(hit.heading) },
          titled(hit.heading),
        ),
        name(placeOf(hit.document_path, hit.place, hit.start_line), { class: "small" }),
      ),
    ),
  );
