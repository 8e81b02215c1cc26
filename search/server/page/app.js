// The page. Its address is its state; what it shows depends on that and on the server's answers alone.

import { Refusal, ask } from "./api.js";
import { documentsPage } from "./documents.js";
import { age, count, printable, titled } from "./dom.js";
import { chips, filterRail } from "./filters.js";
import { findsMore, foundOf, keepFound, passageOf } from "./found.js";
import { focus, onKeys } from "./keys.js";
import { letScroll } from "./markdown.js";
import { Notices } from "./notice.js";
import { overviewPage } from "./overview.js";
import { goToBeginning, restorePosition, storePosition } from "./position.js";
import { focusOutline, railShows, showRail, wide } from "./rail.js";
import { allFilteredOut, dropFiltersHint, nothingFound, resultList, statusText, welcome } from "./results.js";
import { outlineRail, sectionView } from "./section.js";
import { PAGE, address, narrowing, parameters, read, sectionAtLine, sectionByAnchor } from "./state.js";
import { askToken, onToken } from "./token.js";

/** The page asks after a pause in typing of this length (ms); between two letters it is usually shorter. */
const TYPING_PAUSE = 140;
/** After this long a bar shows that the server is working, and after that long a sentence explains it (ms). */
const SHOW_WAITING = 300;
const EXPLAIN_WAITING = 4000;

const byId = (id) => document.getElementById(`page-${id}`);
const [field, main, view, statusLine, foot, progress] = ["query", "main", "view", "status", "foot", "progress"].map(byId);
const notices = new Notices(byId("notice"));

let state = read(location);
/** What the view shows now: the kind of view and, for a section, its document. */
let shown = "";
/** Aborts the requests of the state that is being shown. */
let running = new AbortController();
/** The server's last answers about the index; null before the first ones. */
let facets = null;
let status = null;

// -- going from state to state ------------------------------------------------------------------------------------------

/** Go to another state, as a new entry of the history or instead of the current one; `then` is called once it is shown. */
function go(next, { replace = false, then = null } = {}) {
  const depth = history.state?.depth ?? 0;
  if (replace) {
    history.replaceState({ depth }, "", address(next));
  } else {
    storePosition();
    history.pushState({ depth: depth + 1 }, "", address(next));
  }
  state = next;
  return render(replace ? { then } : { isArrival: true, then });
}

/** Show the current state; the result is false if the server refused the token. */
async function render({ isArrival = false, restored = null, then = null } = {}) {
  running.abort();
  const own = (running = new AbortController());
  if (document.activeElement !== field || restored) field.value = state.q;
  for (const link of document.querySelectorAll(".views a")) {
    if (link.dataset.view === (state.view === "section" ? "search" : state.view)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const timers = [
    setTimeout(() => {
      progress.hidden = false;
    }, SHOW_WAITING),
    setTimeout(() => {
      statusLine.textContent = "Still at it. The first question waits for the model.";
    }, EXPLAIN_WAITING),
  ];
  main.setAttribute("aria-busy", "true");
  try {
    await VIEWS[state.view](own.signal);
    if (own.signal.aborted) return true;
    notices.clear();
    if (restored) restorePosition(restored);
    else if (isArrival && document.activeElement !== field) goToBeginning(main);
    then?.();
    return true;
  } catch (error) {
    if (own.signal.aborted || error.name === "AbortError") return true;
    if (!(error instanceof Refusal)) throw error;
    showRefusal(error);
    return error.status !== 401;
  } finally {
    timers.forEach(clearTimeout);
    if (running === own) {
      progress.hidden = true;
      main.removeAttribute("aria-busy");
    }
  }
}

/** Show why there is no answer. What was shown stays if it is about the same and the server may answer later. */
function showRefusal(error) {
  statusLine.textContent = "";
  if (shown !== `${state.view} ${state.doc}` || error.status === 400 || error.status === 404 || error.status === 422)
    show("", []);
  if (error.status === 401) askToken();
  else notices.show(error, () => render());
}

/** Show `content` (null entries are left out); `what` tells which view it is, see `shown`. */
function show(what, content, title = "") {
  shown = what;
  view.replaceChildren(...content.filter(Boolean));
  document.title = title ? `${printable(title)} – Sectionary` : "Sectionary";
}

// -- the views ----------------------------------------------------------------------------------------------------------

const VIEWS = {
  async search(signal) {
    fetchFacets();
    if (!state.q.trim()) {
      const [fresh] = await Promise.all([ask("status", {}, signal), facets ? null : fetchFacets()]);
      status = fresh;
      showFoot();
      showRail(null);
      statusLine.textContent = "";
      show("search ", [welcome(status, facets, state, go)]);
      return;
    }
    const answer = await ask("search", { ...parameters(state), limit: state.n, html: true }, signal);
    const { results } = answer;
    const { texts } = keepFound(state, results);
    const isFilteredOut = !results.length && narrowing(state) > 0 && (await findsMore(state, signal));
    showFilters();
    const isAll = results.length < state.n;
    statusLine.replaceChildren(...statusText(answer, isAll));
    const more = isAll || state.n >= 100 ? null : showMore;
    const list = () => [dropFiltersHint(answer, state, go), ...resultList(results, { state, texts, more })];
    const content = results.length ? list() : [isFilteredOut ? allFilteredOut(state, refine) : nothingFound(state, go)];
    show("search ", [chips(state, refine), ...content], state.q.trim());
    if (!status) fetchStatus();
  },

  async section(signal) {
    const [outline, found] = await Promise.all([ask("outline", { path: state.doc }, signal), foundOf(state, signal)]);
    const { anchor, lines } = state;
    const entry = anchor || !lines ? sectionByAnchor(outline.sections, anchor) : sectionAtLine(outline.sections, lines[0]);
    const { id } = entry ?? outline.sections[0];
    const [section, linked] = await Promise.all([
      ask(`sections/${id}`, { html: true }, signal),
      ask("links", { section: id }, signal),
    ]);
    statusLine.textContent =
      entry || !anchor ? "" : "There is no such section any more; this is the beginning of its document.";
    showRail(outlineRail(outline, section.id, state), "Outline", `outline ${section.id}`);
    const span = passageOf(section, state, found);
    const article = sectionView(section, { state, texts: found.texts, span, others: outline.other_languages, linked });
    show(`section ${state.doc}`, [article], titled(section.heading));
    letScroll(view);
    if (!status) fetchStatus();
  },

  async documents(signal) {
    const [{ documents }, overview] = await Promise.all([ask("documents", {}, signal), ask("overview", {}, signal)]);
    facets = overview;
    showRail(null);
    statusLine.textContent = "";
    show(
      "documents ",
      documentsPage(documents, overview.unsettled, { state, change: (next) => go(next, { replace: true }) }),
      "Documents",
    );
  },

  async index(signal) {
    const [fresh, overview] = await Promise.all([ask("status", {}, signal), ask("overview", {}, signal)]);
    [status, facets] = [fresh, overview];
    showFoot();
    showRail(null);
    statusLine.textContent = "";
    show("index ", overviewPage(status, overview, state), "Index");
  },
};

/** Search with other filters, from the first page. */
function refine(next) {
  return go({ ...next, view: "search", n: PAGE }, { replace: true });
}

function showMore() {
  const before = state.n;
  go(
    { ...state, n: Math.min(100, state.n + PAGE) },
    {
      replace: true,
      then: () => {
        const next = view.querySelectorAll(".hits h3 a")[before];
        if (next) focus(next);
      },
    },
  );
}

/** Fetch what the filters offer, once, and show it if the results are shown. */
async function fetchFacets() {
  if (facets) return;
  try {
    facets = await ask("overview");
  } catch {
    return; // the filters work without counts; the answer's own error is shown
  }
  if (state.view === "search" && state.q.trim() && shown === "search ") showFilters();
}

async function fetchStatus() {
  try {
    status = await ask("status");
    showFoot();
  } catch {
    // the foot stays empty; the answer's own error is shown
  }
}

function showFoot() {
  const run = status.last_run ? `, indexed ${age(status.last_run.ended ?? status.last_run.started)}` : "";
  foot.textContent = `${printable(status.name)}: ${count(status.documents, "document")}, ${count(status.sections, "section")}${run}`;
}

function showFilters() {
  const { q: _q, n: _n, ...filters } = state;
  const key = JSON.stringify([filters, Boolean(facets)]);
  if (railShows(key)) return;
  showRail(filterRail(state, facets, refine), "Filters", key);
}

/** Show the outline of the section that is shown; in a list, of the one that has the focus or of the first. */
function showOutline() {
  if (state.view === "section") {
    focusOutline();
    return;
  }
  const all = [...view.querySelectorAll("[data-step]")];
  const link = all.find((one) => one === document.activeElement) ?? all[0];
  if (link) go(stateOfLink(new URL(link.href)), { then: showOutline });
}

// -- typing -------------------------------------------------------------------------------------------------------------

let pause = 0;
let isComposing = false;

/** Ask after a pause; at once if the field was emptied. */
function askSoon() {
  clearTimeout(pause);
  pause = setTimeout(search, field.value.trim() ? TYPING_PAUSE : 0);
}

/** Ask for what is in the field; while one question is changed, the history gets no new entry. */
function search() {
  clearTimeout(pause);
  if (isComposing || (state.view === "search" && field.value.trim() === state.q.trim())) return null;
  const goesOn = state.view === "search" && state.q.trim() && field.value.trim();
  return go({ ...state, view: "search", q: field.value, doc: "", anchor: "", n: PAGE }, { replace: Boolean(goesOn) });
}

field.addEventListener("input", (event) => {
  if (!event.isComposing && !isComposing) askSoon();
});
field.addEventListener("compositionstart", () => {
  isComposing = true;
  clearTimeout(pause);
});
field.addEventListener("compositionend", () => {
  isComposing = false;
  askSoon();
});
byId("form").addEventListener("submit", (event) => event.preventDefault());

/** Ask at once, and move to the first result. */
async function submit() {
  await search();
  const first = view.querySelector("[data-step]");
  if (first && state.view === "search") focus(first);
}

// -- links, keys, history -----------------------------------------------------------------------------------------------

/** The state that a link of this page leads to; a section that is opened keeps the current question and filters. */
function stateOfLink(url) {
  const next = read(url);
  if (next.view !== "section" || next.q) return next;
  const { q, path, tag, language, depth, mode, clean } = state;
  return { ...next, q, path, tag, language, depth, mode, clean };
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return;
  const url = new URL(link.getAttribute("href"), location.origin + location.pathname);
  if (url.origin !== location.origin || url.pathname !== "/") return;
  event.preventDefault();
  if (link.matches(".skip")) main.focus();
  else if (link.dataset.view === "search" && field.value.trim()) go({ ...state, view: "search", doc: "", anchor: "" });
  else go(stateOfLink(url));
  if (link.matches(".brand a")) field.focus();
});

/** In the search, move to the field; elsewhere, go back to where the reader came from, or to the search. */
function back() {
  if (state.view === "search") {
    field.focus();
    field.select();
  } else if (history.state?.depth) {
    history.back();
  } else {
    go({ ...state, view: "search", doc: "", anchor: "" });
  }
}

addEventListener("popstate", (event) => {
  clearTimeout(pause);
  state = read(location);
  render({ restored: event.state ?? {} });
});

onToken(() => render());
onKeys({ field, help: byId("help"), view, back, outline: showOutline, submit });
byId("help-button").addEventListener("click", () => byId("help").showModal());

// -- beginning ----------------------------------------------------------------------------------------------------------

history.scrollRestoration = "manual";
const restored = history.state;
history.replaceState({ depth: 0, ...restored }, "");
if (state.view === "search" && !state.q && wide.matches) field.focus();
render({ restored: restored ?? {} });
