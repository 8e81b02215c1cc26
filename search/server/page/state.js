// What the page shows ↔ its address. Every state has an address, and every address gives its state again.

const LISTS = ["path", "tag", "language", "depth"];
export const MODES = { hybrid: "Words and meaning", lexical: "Words", dense: "Meaning" };
const VIEWS = ["documents", "index"];
/** Results that are shown at first and with every "more", and the most that the server gives at once. */
export const PAGE = 10;
const MOST = 100;

/** The state of an address: `view` is search, section, documents or index. */
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
    anchor: doc ? decoded(location.hash.slice(1)) : "",
    path: lines(given, "path"),
    tag: lines(given, "tag"),
    language: lines(given, "language").filter((code) => /^[A-Za-z]{2,3}$/.test(code)),
    depth: lines(given, "depth").filter((depth) => /^[0-3]$/.test(depth)),
    mode: Object.hasOwn(MODES, mode) ? mode : "hybrid",
    clean: given.get("clean") === "true",
    n: Math.min(MOST, Math.max(PAGE, wanted)),
  };
}

const lines = (given, name) =>
  [
    ...new Set(
      given
        .getAll(name)
        .map((value) => value.trim())
        .filter(Boolean),
    ),
  ].slice(0, 20);

function decoded(text) {
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
  if (VIEWS.includes(state.view)) query.append("view", state.view);
  if (state.q.trim()) query.append("q", state.q);
  for (const name of LISTS) for (const value of state[name]) query.append(name, value);
  if (state.mode !== "hybrid") query.append("mode", state.mode);
  if (state.clean) query.append("clean", "true");
  if (state.n > PAGE && state.view === "search") query.append("n", String(state.n));
  const text = query.toString().replaceAll("%2F", "/");
  const anchor = state.view === "section" && state.anchor ? `#${encodeURIComponent(state.anchor)}` : "";
  return `/${text ? `?${text}` : ""}${anchor}`;
}

/** The parameters of a search. */
export function parameters(state) {
  const { q, path, tag, language, depth, mode, clean } = state;
  return { q: q.trim(), path, tag, language, depth, mode: mode === "hybrid" ? null : mode, clean };
}

/** What stands behind the # for a section: its anchor, or the line of a heading that has none, as one of signs alone. */
export const anchorOf = (link) => link.anchor || (link.depth === 0 ? "" : `L${link.start_line}`);

/** The section of an outline that an anchor names, or undefined. */
export const named = (sections, anchor) =>
  sections.find((one) => one.anchor && one.anchor === anchor) ?? sections.find((one) => `L${one.start_line}` === anchor);

/** How many filters narrow a search. */
export function filterCount(state) {
  return (
    LISTS.reduce((sum, name) => sum + state[name].length, 0) + (state.clean ? 1 : 0) + (state.mode === "hybrid" ? 0 : 1)
  );
}

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
