// The page. Its address is its state; what it shows depends on that and on the server's answers alone.

import { Refusal, ask } from "./api.js";
import { printable } from "./dom.js";
import { facts, fetchFacets, fetchStatus, takeStatus, writeFoot } from "./facts.js";
import { chips, filterRail } from "./filters.js";
import { findsMore, keepFound } from "./found.js";
import { showHelp } from "./help.js";
import { focus, focusFirst, onKeys } from "./keys.js";
import { letScroll } from "./markdown.js";
import { Notices, reasonOf, titleOf } from "./notice.js";
import { goToBeginning, restorePosition, storePosition } from "./position.js";
import { focusOutline, railShows, showRail, wide } from "./rail.js";
import { allFilteredOut, narrowedBy, nothingFound, resultList, statusText, welcome } from "./results.js";
import { onSpeech } from "./speech.js";
import { PAGE, address, narrowing, parameters, read } from "./state.js";
import { t } from "./texts.js";
import { askToken, onToken } from "./token.js";
import { isPausing, isUnfinished, noteAnswerTime, onTyping, stopWaiting } from "./typing.js";
import { otherViews } from "./views.js";

/** After this long a bar shows that the server is working, and after that long a sentence explains it (ms). */
const SHOW_WAITING = 300;
const EXPLAIN_WAITING = 4000;

const byId = (id) => document.getElementById(`page-${id}`);
const [field, main, view, statusLine, progress] = ["query", "main", "view", "status", "progress"].map(byId);
const notices = new Notices(byId("notice"));

let state = read(location);
/** What the view shows now: the kind of view and, for a section, its document. */
let shown = "";
/** Aborts the requests of the state that is being shown. */
let running = new AbortController();
/** The promise that this state is shown. */
let rendered = Promise.resolve();

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
function render(options = {}) {
  rendered = showState(options);
  return rendered;
}

/** Wait until the current state is shown, whatever that is by then. */
async function settled() {
  let awaited;
  while (awaited !== rendered) await (awaited = rendered);
}

async function showState({ isArrival = false, restored = null, then = null }) {
  running.abort();
  wasLeft ||= state.view !== "search";
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
      statusLine.textContent = t("search.waiting");
    }, EXPLAIN_WAITING),
  ];
  main.setAttribute("aria-busy", "true");
  const before = shown;
  try {
    await VIEWS[state.view](own.signal);
    if (own.signal.aborted) return true;
    notices.clear();
    if (restored) restorePosition(restored, main);
    else if (isArrival && document.activeElement !== field) goToBeginning(main);
    else if (isArrival && before !== shown) scrollTo(0, 0);
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

/**
 * Move the focus on from `old`, an element of the view that is replaced: from a result to the same one or the first, from
 * others to the filter that now stands where one was dropped, `at` so many, or else to the beginning.
 */
function focusInstead(old, at) {
  const entries = old.matches("[data-step]") ? [...view.querySelectorAll("[data-step]")] : [];
  const chips = [...view.querySelectorAll(".chips button")];
  const next = entries.find((one) => one.href && one.href === old.href) ?? entries[0] ?? chips[at] ?? chips.at(-1) ?? main;
  next.focus({ preventScroll: true });
}

/** Show why there is no answer. What was shown stays if it is about the same and the server may answer later. */
function showRefusal(error) {
  const isRefused = error.status === 400 || error.status === 422;
  if (isRefused && shown === SEARCH && state.view === "search" && document.activeElement === field) {
    // what is being typed cannot be searched for yet: the list stays where it is
    notices.clear();
    statusLine.replaceChildren(`${titleOf(error)}:`, reasonOf(error, "span"));
    return;
  }
  statusLine.textContent = "";
  if (shown !== `${state.view} ${state.doc}` || isRefused || error.status === 404) show("", []);
  if (error.status === 401) askToken();
  else notices.show(error, () => render());
}

/**
 * Show `content` (null entries are left out) in one step; `what` tells which view it is, see `shown`. Where a list takes the
 * place of a list, the page stays scrolled as it is, however short the new one is.
 */
function show(what, content, title = "") {
  const top = view.getBoundingClientRect().top;
  view.style.minHeight = what === SEARCH && shown === SEARCH && scrollY > 0 ? `${Math.ceil(innerHeight - top)}px` : "";
  const old = view.contains(document.activeElement) ? document.activeElement : null;
  const at = [...view.querySelectorAll(".chips button")].indexOf(old);
  shown = what;
  showKind();
  view.replaceChildren(...content.filter(Boolean));
  if (old) focusInstead(old, Math.max(0, at));
  document.title = title ? `${printable(title)} – Sectionary` : "Sectionary";
}

/** The style of the page depends on whether it shows the search or another view. */
const showKind = () => document.body.classList.toggle("searching", state.view === "search");

// -- the views ----------------------------------------------------------------------------------------------------------

const SEARCH = "search ";

const VIEWS = {
  async search(signal) {
    if (shown === "") showFilters();
    const later = () => signal.aborted || shown !== SEARCH || showFilters();
    const waiting = facts.facets ? null : fetchFacets().then(later);
    if (!state.q.trim()) {
      const [fresh] = await Promise.all([ask("status", {}, signal), waiting]);
      signal.throwIfAborted();
      takeStatus(fresh);
      if (facts.areOld) await fetchFacets();
      signal.throwIfAborted();
      showFilters();
      statusLine.textContent = "";
      show(SEARCH, [welcome(fresh, facts.facets, state, go)]);
      return;
    }
    const begun = performance.now();
    const answer = await ask("search", { ...parameters(state), limit: state.n, html: true }, signal);
    noteAnswerTime(performance.now() - begun);
    const { results } = answer;
    const { texts } = keepFound(state, results);
    const isFilteredOut = !results.length && narrowing(state) > 0 && (await findsMore(state, signal));
    showFilters();
    const isAll = results.length < state.n;
    statusLine.replaceChildren(...statusText(answer, isAll));
    const more = isAll || state.n >= 100 ? null : showMore;
    const none = () => (isFilteredOut ? allFilteredOut(state, refine, answer) : nothingFound(state, go, answer));
    const content = results.length ? resultList(results, { state, texts, more }) : [none()];
    show(SEARCH, [narrowedBy(chips(state, refine), answer, state, go), ...content], state.q.trim());
    letScroll(view);
    refreshFacts();
  },

  ...otherViews({ state: () => state, go, show, view, statusLine, refreshFacts: () => refreshFacts() }),
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

function showFilters() {
  const { q: _q, n: _n, ...filters } = state;
  const key = JSON.stringify([filters, facts.answers]);
  if (railShows(key)) return;
  showRail(filterRail(state, facts.facets, refine), t("filters"), key);
}

/** Learn of runs of the indexer while the page is open; what is being typed into a filter stays. */
const refreshFacts = (options) => fetchStatus(showNewRun, options);

function showNewRun() {
  if (shown !== SEARCH || document.activeElement.matches("#page-path")) return;
  if (state.q.trim()) showFilters();
  else render();
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") refreshFacts({ isFresh: false });
});

/** Show the outline of the section that is shown; in a list, of the one that has the focus or of the first. */
function showOutline() {
  if (state.view === "section") {
    focusOutline();
    return;
  }
  const all = [...view.querySelectorAll("a[data-step]")];
  const link = all.find((one) => one === document.activeElement) ?? all[0];
  if (link) go(stateOfLink(new URL(link.href)), { then: showOutline });
}

// -- typing -------------------------------------------------------------------------------------------------------------

let answered = null; // the promise of the last question's answer
/** Whether another view was shown since a question was typed, so that the next one does not replace it in the history. */
let wasLeft = false;

/** Ask for what is in the field, unless it is asked already; while one question is changed, the history gets no new entry. */
function search() {
  stopWaiting();
  if (isUnfinished() || (state.view === "search" && field.value.trim() === state.q.trim())) return answered;
  const goesOn = state.view === "search" && state.q.trim() && field.value.trim() && !wasLeft;
  wasLeft = false;
  answered = go({ ...state, view: "search", q: field.value, doc: "", anchor: "", n: PAGE }, { replace: Boolean(goesOn) });
  return answered;
}

onTyping(field, search);
byId("form").addEventListener("submit", (event) => event.preventDefault());

/** Empty the field, as its own cross would. */
function empty() {
  field.value = "";
  search();
}

/** Ask at once, and move to the first result. */
async function submit() {
  const asked = field.value;
  search();
  await settled();
  // who types on stays in the field, and who moved on stays there
  if (field.value === asked && document.activeElement === field && state.view === "search") focusFirst(view);
}

/** Move to the first entry of what is shown, or of the answer that is awaited; false if there is none. */
function first() {
  return isPausing() || (state.view === "search" && main.hasAttribute("aria-busy")) ? submit() : focusFirst(view);
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
  else go(stateOfLink(url), { then: link.matches("[data-stay]") ? stay : null });
  if (link.matches(".brand a")) field.focus();
});

/** Move the focus to the choice that holds now, after one of a row of links was followed. */
const stay = () => view.querySelector("[data-stay][aria-current]")?.focus({ preventScroll: true });

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
  stopWaiting();
  state = read(location);
  render({ restored: event.state ?? {} });
});

onToken(() => render());
onKeys({ field, view, help: showHelp, back, outline: showOutline, first, submit, empty });
byId("help-button").addEventListener("click", showHelp);
onSpeech(() => {
  showRail(null);
  writeFoot();
  render();
});

// -- beginning ----------------------------------------------------------------------------------------------------------

history.scrollRestoration = "manual";
const restored = history.state;
history.replaceState({ depth: 0, ...restored }, "");
showKind();
if (state.view === "search" && !state.q && wide.matches) field.focus();
render({ restored: restored ?? {} });
