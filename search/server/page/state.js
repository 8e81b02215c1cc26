// The state of the page ↔ its address. Each state has an address, and the address gives the same state again.

const LISTS = ["path", "tag", "language", "depth"];
export const MODES = ["hybrid", "lexical", "dense"];
const VIEWS = ["documents", "changes", "index"];
/** Since when changes can be asked for, beside a date: the last run ("", the default), a day, a week, all that is known. */
export const SINCE = ["", "1d", "7d", "all"];
/** How many results are shown at first and added by "more", and the most that the server gives at once. */
export const PAGE = 10;
const MOST = 100;

/** The state of an address. Its `view` is "search", "section", "documents", "changes" or "index". */
export function read(location) {
  const given = new URLSearchParams(location.search);
  const doc = given.get("doc") ?? "";
  const view = given.get("view") ?? "";
  const mode = given.get("mode") ?? "";
  const wanted = Number.parseInt(given.get("n") ?? "", 10) || PAGE;
  return {
    view: doc ? "section" : VIEWS.includes(view) ? view : "search",
    q: given.get("q") ?? "",
    doc,
    anchor: doc ? decodedOrSame(location.hash.slice(1)) : "",
    lines: doc ? linesOf(given.get("line") ?? "") : null,
    since: sinceOf(given.get("since") ?? ""),
    path: several(given, "path"),
    tag: several(given, "tag"),
    language: several(given, "language").filter((code) => /^[A-Za-z]{2,3}$/.test(code)),
    depth: several(given, "depth").filter((depth) => /^[0-3]$/.test(depth)),
    mode: MODES.includes(mode) ? mode : "hybrid",
    clean: given.get("clean") === "true",
    n: Math.min(MOST, Math.max(PAGE, wanted)),
  };
}

/** All values of a parameter, each once and at most 20. */
const several = (given, name) =>
  [
    ...new Set(
      given
        .getAll(name)
        .map((value) => value.trim())
        .filter(Boolean),
    ),
  ].slice(0, 20);

/** "12" → [12, 12], "12-14" → [12, 14], anything else → null. */
function linesOf(text) {
  const found = /^([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/.exec(text);
  if (!found) return null;
  const first = Number(found[1]);
  return [first, Math.max(first, Number(found[2] ?? first))];
}

/** A moment of `SINCE` or a date as it is, anything else → "". */
function sinceOf(text) {
  const isDate = /^[1-9]\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00`));
  return isDate || SINCE.includes(text) ? text : "";
}

function decodedOrSame(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a state, relative to the page's. */
export function address(state) {
  const query = new URLSearchParams();
  if (state.view === "section") query.append("doc", state.doc);
  if (state.view === "section" && state.lines) query.append("line", [...new Set(state.lines)].join("-"));
  if (VIEWS.includes(state.view)) query.append("view", state.view);
  if (state.view === "changes" && state.since) query.append("since", state.since);
  if (state.q.trim()) query.append("q", state.q);
  for (const name of LISTS) for (const value of state[name]) query.append(name, value);
  if (state.mode !== "hybrid") query.append("mode", state.mode);
  if (state.clean) query.append("clean", "true");
  if (state.n > PAGE && state.view === "search") query.append("n", String(state.n));
  const text = query.toString().replaceAll("%2F", "/");
  const anchor = state.view === "section" && state.anchor ? `#${encodeURIComponent(state.anchor)}` : "";
  return `/${text ? `?${text}` : ""}${anchor}`;
}

/** The state that shows a section of a document, at `lines` of the file if given; the question is kept. */
export const opened = (state, doc, anchor = "", lines = null) => ({ ...state, view: "section", doc, anchor, lines });

/** The parameters of a search. */
export function parameters(state) {
  const { q, path, tag, language, depth, mode, clean } = state;
  return { q: q.trim(), path, tag, language, depth, mode: mode === "hybrid" ? null : mode, clean };
}

/** The part of an address after # for a section: its anchor, or its line if the heading has no letters to make one of. */
export const anchorOf = (link) => link.anchor || (link.depth === 0 ? "" : `L${link.start_line}`);

/** The section of an outline with an anchor as `anchorOf` makes it, or undefined. */
export const sectionByAnchor = (sections, anchor) =>
  sections.find((one) => one.anchor && one.anchor === anchor) ?? sections.find((one) => `L${one.start_line}` === anchor);

/** The section of an outline that holds a line of the file, or undefined. */
export const sectionAtLine = (sections, line) => sections.findLast((one) => one.start_line <= line);

/** The number of filters that leave sections out. */
export const narrowing = (state) => LISTS.reduce((sum, name) => sum + state[name].length, 0) + (state.clean ? 1 : 0);

/** The number of filters that change a search, the mode included. */
export const filterCount = (state) => narrowing(state) + (state.mode === "hybrid" ? 0 : 1);

/** The same state without filters. */
export const unfiltered = (state) => ({
  ...state,
  path: [],
  tag: [],
  language: [],
  depth: [],
  mode: "hybrid",
  clean: false,
});
