// The documents of the index: a tree of folders, of which only what is unfolded is in the page, and a filter.

import { button, el, inLanguage, name } from "./dom.js";
import { chip, chipList } from "./filters.js";
import { flags, tagsOf } from "./results.js";
import { address, opened } from "./state.js";
import { count, t } from "./texts.js";
import { treeOf } from "./tree.js";

/** As many documents as this are shown with all folders unfolded; of one folder so many entries are shown at a time. */
const MANY = 300;
/** Which folders the reader has unfolded (true) and folded (false), by path; kept while the page is open. */
const kept = new Map();

/**
 * The view of all documents, filtered by the state and by typed words; `change` is called with the next state. The result is
 * its elements, and `flag`, to be called with the documents that are not up to date as soon as they are known.
 */
export function documentsPage(documents, { state, change }) {
  const prefixes = state.path.filter((path) => !/[*?[]/.test(path));
  const wanted = documents.filter((each) => isWanted(each, prefixes, state.tag));
  const texts = new Map(wanted.map((each) => [each, caseless(`${each.title}\n${each.path}\n${each.tags.join("\n")}`)]));
  const list = el("div", { class: "tree", role: "group", "aria-label": t("documents.tree"), "data-tree": true });
  const total = el("p", { class: "small", role: "status" });
  const field = el("input", {
    id: "page-documents",
    type: "search",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: t("documents.example"),
  });
  const problems = new Map();

  const fill = () => {
    const words = caseless(field.value).split(/\s+/).filter(Boolean);
    const found = words.length ? wanted.filter((each) => words.every((word) => texts.get(each).includes(word))) : wanted;
    const all = count(documents.length, "document");
    total.textContent = found.length === documents.length ? all : t("documents.some", { found: found.length, all });
    const unfolded = words.length ? new Map() : kept;
    const isUnfolded = (folder) => unfolded.get(folder.path) ?? (found.length <= MANY || folder.isOnly);
    list.replaceChildren(entriesOf(treeOf(found), { isUnfolded, unfolded, problems, state }));
  };
  field.addEventListener("input", fill);
  fill();
  const drop = (key, value) =>
    chip(name(value), () => change({ ...state, [key]: state[key].filter((one) => one !== value) }));
  return {
    elements: [
      el("h2", {}, t("view.documents")),
      chipList([...prefixes.map((value) => drop("path", value)), ...state.tag.map((value) => drop("tag", value))]),
      el("div", { class: "field inline" }, el("label", { for: "page-documents" }, t("documents.filter")), field),
      total,
      list,
    ],
    flag(unsettled) {
      for (const one of unsettled) problems.set(one.path, one);
      for (const entry of list.querySelectorAll("[data-path]"))
        if (problems.has(entry.dataset.path))
          entry.querySelector(".meta").append(...flagsOf(problems.get(entry.dataset.path)));
    },
  };
}

/** Whether a document's path begins with one of these, and one of its tags is one of those or below it, as in a search. */
export function isWanted(document, prefixes, tags) {
  const beginning = (path) => caseless(path.trim().replace(/^\.\//, "").replace(/^\/+/, ""));
  const below = (tag) => `${caseless(tag).replace(/\/$/, "")}/`;
  const path = caseless(document.path);
  return (
    (!prefixes.length || prefixes.some((prefix) => path.startsWith(beginning(prefix)))) &&
    (!tags.length || document.tags.some((tag) => tags.some((wanted) => below(tag).startsWith(below(wanted)))))
  );
}

/** A text in the form in which names are compared: in lower case, with accents and syllables composed (NFC). */
const caseless = (text) => text.normalize("NFC").toLowerCase();

const flagsOf = (problem) => flags({ is_pending: problem.dirty > 0, stale: problem.stale }).filter(Boolean);

/** The list of what is in a folder: its folders, then its documents, some at a time. */
function entriesOf(folder, shared) {
  const list = el("ul", {});
  const entries = [...folder.folders, ...folder.documents];
  const append = (from) => {
    const next = entries.slice(from, from + MANY);
    list.append(...next.map((entry) => (entry.folders ? folderEntry(entry, shared) : documentEntry(entry, folder, shared))));
    const left = entries.length - from - next.length;
    if (left <= 0) return;
    const more = button(t("documents.more", { count: Math.min(left, MANY) }), () => {
      const last = more.parentElement;
      append(from + MANY);
      last.nextElementSibling.querySelector("[data-step]").focus();
      last.remove();
    });
    list.append(el("li", { class: "more" }, more));
  };
  append(0);
  return list;
}

/** A folder; what is in it is made when it is unfolded, and dropped when it is folded. */
function folderEntry(folder, shared) {
  const entry = el("li", { class: "folder" });
  const toggle = el(
    "button",
    { type: "button", "data-step": true },
    name(folder.name, { class: "folder-name" }),
    el("span", { class: "small" }, count(folder.size, "document")),
  );
  const show = (isUnfolded) => {
    toggle.setAttribute("aria-expanded", String(isUnfolded));
    entry.replaceChildren(toggle, ...(isUnfolded ? [entriesOf(folder, shared)] : []));
  };
  toggle.addEventListener("click", () => {
    const isUnfolded = toggle.getAttribute("aria-expanded") === "false";
    shared.unfolded.set(folder.path, isUnfolded);
    show(isUnfolded);
    toggle.focus();
  });
  show(shared.isUnfolded(folder));
  return entry;
}

function documentEntry(document, folder, { problems, state }) {
  const problem = problems.get(document.path);
  const href = address(opened({ ...state, path: [], tag: [] }, document.path));
  return el(
    "li",
    { class: "document", "data-path": document.path },
    el(
      "a",
      { href, "data-step": true, ...(document.title ? inLanguage(document.title) : { translate: "no" }) },
      document.title || document.path,
    ),
    el(
      "p",
      { class: "meta" },
      name(document.path.slice(folder.path.length), { class: "place" }),
      el("span", {}, count(document.section_count, "section")),
      el("span", {}, count(document.token_count, "token")),
      tagsOf(document.tags.slice(0, 6)),
      problem ? flagsOf(problem) : null,
    ),
  );
}
