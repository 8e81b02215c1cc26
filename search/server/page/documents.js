// The list of documents.

import { count, el, languageOfLine } from "./dom.js";
import { flags } from "./results.js";
import { address, opened } from "./state.js";

/** So many documents are listed at first; a button shows all. */
const LISTED = 300;

const folderOf = (path) => path.slice(0, path.lastIndexOf("/") + 1);

/** The documents by folder, filtered by the state and by typed words; `change` is called with the next state. */
export function documentsPage(documents, unsettled, { state, change }) {
  const unsettledByPath = new Map(unsettled.map((one) => [one.path, one]));
  const prefixes = state.path.filter((path) => !/[*?[]/.test(path));
  const tags = state.tag.map((tag) => tag.toLowerCase());
  const kept = documents.filter(
    (each) =>
      (!prefixes.length || prefixes.some((path) => each.path.startsWith(path))) &&
      (!tags.length || each.tags.some((tag) => tags.includes(tag.toLowerCase()))),
  );
  const list = el("div", { class: "folders" });
  const total = el("p", { class: "small", role: "status" });
  const field = el("input", {
    id: "page-documents",
    type: "search",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "Title, path or tag",
  });
  const fill = (most = LISTED) => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = kept.filter((each) => {
      const text = `${each.title}\n${each.path}\n${each.tags.join("\n")}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    total.textContent =
      found.length === documents.length
        ? count(found.length, "document")
        : `${found.length} of ${count(documents.length, "document")}`;
    list.replaceChildren(...folders(found.slice(0, most), unsettledByPath, state));
    if (found.length > most)
      list.append(
        el(
          "button",
          { type: "button", class: "button", on: { click: () => fill(found.length) } },
          `Show all ${found.length}`,
        ),
      );
  };
  field.addEventListener("input", () => fill());
  fill();
  const inUse = [...prefixes.map((value) => ["path", value]), ...state.tag.map((value) => ["tag", value])];
  return [
    el("h2", {}, "Documents"),
    inUse.length
      ? el(
          "ul",
          { class: "chips", "aria-label": "Filters in use" },
          inUse.map(([name, value]) =>
            el(
              "li",
              {},
              el(
                "button",
                {
                  type: "button",
                  class: "chip",
                  on: { click: () => change({ ...state, [name]: state[name].filter((one) => one !== value) }) },
                },
                value,
                el("span", { "aria-hidden": "true" }, "×"),
                el("span", { class: "unseen" }, " – drop this filter"),
              ),
            ),
          ),
        )
      : null,
    el("div", { class: "field inline" }, el("label", { for: "page-documents" }, "Narrow down"), field),
    total,
    list,
  ];
}

function folders(documents, unsettledByPath, state) {
  const groups = new Map();
  for (const each of documents) {
    const folder = folderOf(each.path);
    if (!groups.has(folder)) groups.set(folder, []);
    groups.get(folder).push(each);
  }
  return [...groups].map(([folder, inside]) =>
    el(
      "section",
      {},
      el("h3", { class: "label" }, folder || "./"),
      el(
        "ul",
        { class: "documents" },
        inside.map((each) => {
          const problem = unsettledByPath.get(each.path);
          return el(
            "li",
            {},
            el(
              "a",
              {
                href: address(opened({ ...state, path: [], tag: [] }, each.path)),
                "data-step": true,
                lang: languageOfLine(each.title),
              },
              each.title || each.path,
            ),
            el(
              "p",
              { class: "meta" },
              el("span", { class: "place" }, each.path.slice(folder.length)),
              el("span", {}, count(each.section_count, "section")),
              el("span", {}, count(each.token_count, "token")),
              each.tags.slice(0, 6).map((tag) => el("span", { class: "tag" }, tag)),
              problem ? flags({ is_pending: problem.dirty > 0, stale: problem.stale }) : null,
            ),
          );
        }),
      ),
    ),
  );
}
