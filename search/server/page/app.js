// The page: its state is its address; everything shown follows from that and from the server's answers.

import { Refusal, ask } from "./api.js";
import { overviewPage } from "./overview.js";
import { age, count, printable, titled } from "./dom.js";
import { chips, filterRail } from "./filters.js";
import { findsMore, foundOf, keepFound, passageOf } from "./found.js";
import { focus, hearKeys } from "./keys.js";
import { Notices } from "./notice.js";
import { emptied, nothing, resultList, told, welcome, widened } from "./results.js";
import { outlineRail, sectionView, settleSection } from "./section.js";
import { documentsPage } from "./documents.js";
import { PAGE, address, holding, named, narrowing, parameters, read } from "./state.js";
import { askToken, hearToken } from "./token.js";

/** A pause in typing that is long enough to ask (ms); shorter ones are between letters. */
const PAUSE = 140;
/** From here on waiting is shown, from there on it is explained (ms). */
const SLOW = 300;
const VERY_SLOW = 4000;

const at = (id) => document.getElementById(`page-${id}`);
const [field, main, view, rail, line, foot, progress] = ["query", "main", "view", "rail", "status", "foot", "progress"].map(
  at,
);
const notices = new Notices(at("notice"));
const wide = matchMedia("(min-width: 62rem)");

let state = read(location);
/** What stands in the view: the kind of view and the subject it is about. */
let subject = "";
let running = new AbortController();
let facets = null;
let status = null;

// -- going from state to state ------------------------------------------------------------------------------------------

function go(next, { replace = false, then = null } = {}) {
  const depth = history.state?.depth ?? 0;
  if (replace) {
    history.replaceState({ depth }, "", address(next));
  } else {
    remember();
    history.pushState({ depth: depth + 1 }, "", address(next));
  }
  state = next;
  return render(replace ? { then } : { isArrival: true, then });
}

/** Keep in the history where the reader was. */
function remember() {
  const active = document.activeElement;
  const link = view.contains(active) ? active.getAttribute("href") : null;
  history.replaceState({ ...history.state, y: scrollY, link }, "");
}

/** Show the state; says whether the server let us in. */
async function render({ isArrival = false, restored = null, then = null } = {}) {
  running.abort();
  const mine = (running = new AbortController());
  if (document.activeElement !== field || restored) field.value = state.q;
  for (const link of document.querySelectorAll(".views a")) {
    if (link.dataset.view === (state.view === "section" ? "search" : state.view)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const timers = [
    setTimeout(() => {
      progress.hidden = false;
    }, SLOW),
    setTimeout(() => {
      line.textContent = "Still at it. The first question waits for the model.";
    }, VERY_SLOW),
  ];
  main.setAttribute("aria-busy", "true");
  try {
    await VIEWS[state.view](mine.signal);
    if (mine.signal.aborted) return true;
    notices.clear();
    settle({ isArrival, restored });
    then?.();
    return true;
  } catch (error) {
    if (mine.signal.aborted || error.name === "AbortError") return true;
    if (!(error instanceof Refusal)) throw error;
    refuse(error);
    return error.status !== 401;
  } finally {
    timers.forEach(clearTimeout);
    if (running === mine) {
      progress.hidden = true;
      main.removeAttribute("aria-busy");
    }
  }
}

function refuse(error) {
  line.textContent = "";
  if (subject !== `${state.view} ${state.doc}` || error.status === 400 || error.status === 404 || error.status === 422)
    show("", []);
  if (error.status === 401) askToken();
  else notices.tell(error, () => render());
}

/** After new content: where the reader was, or its beginning. */
function settle({ isArrival, restored }) {
  const link = restored?.link
    ? [...view.querySelectorAll("a[href]")].find((one) => one.getAttribute("href") === restored.link)
    : null;
  if (restored) {
    scrollTo(0, restored.y ?? 0);
    link?.closest("details")?.setAttribute("open", "");
    if (link) link.focus({ preventScroll: true });
    if (restored.y === undefined) reveal();
  } else if (isArrival && document.activeElement !== field) {
    scrollTo(0, 0);
    (view.querySelector(".heading") ?? main).focus({ preventScroll: true });
    reveal();
  }
}

/** Bring the passage of a section into sight; one that stands on the first screen is there already. */
function reveal() {
  const parts = [...view.querySelectorAll(".passage")];
  if (parts.length && parts.at(-1).getBoundingClientRect().bottom > innerHeight) parts[0].scrollIntoView({ block: "center" });
}

function show(kind, content, title = "") {
  subject = kind;
  view.replaceChildren(...content.filter(Boolean));
  document.title = title ? `${printable(title)} – Sectionary` : "Sectionary";
}

// -- the views ----------------------------------------------------------------------------------------------------------

const VIEWS = {
  async search(signal) {
    learnFacets();
    if (!state.q.trim()) {
      const [known] = await Promise.all([ask("status", {}, signal), facets ? null : learnFacets()]);
      status = known;
      tellFoot();
      showRail(null);
      line.textContent = "";
      show("search ", [welcome(status, facets, state, go)]);
      return;
    }
    const answer = await ask("search", { ...parameters(state), limit: state.n, html: true }, signal);
    const { results } = answer;
    const { texts } = keepFound(state, results);
    const isEmptied = !results.length && narrowing(state) > 0 && (await findsMore(state, signal));
    showFilters();
    const isAll = results.length < state.n;
    line.replaceChildren(...told(answer, isAll));
    const more = isAll || state.n >= 100 ? null : showMore;
    const list = () => [widened(answer, state, go), ...resultList(results, { state, texts, more })];
    const content = results.length ? list() : [isEmptied ? emptied(state, refine) : nothing(state, go)];
    show("search ", [chips(state, refine), ...content], state.q.trim());
    if (!status) learnStatus();
  },

  async section(signal) {
    const [outline, found] = await Promise.all([ask("outline", { path: state.doc }, signal), foundOf(state, signal)]);
    const { anchor, lines } = state;
    const entry = anchor || !lines ? named(outline.sections, anchor) : holding(outline.sections, lines[0]);
    const section = await ask(`sections/${(entry ?? outline.sections[0]).id}`, { html: true }, signal);
    line.textContent =
      entry || !anchor ? "" : "There is no such section any more; this is the beginning of its document.";
    showRail(outlineRail(outline, section.id, state), "Outline", `outline ${section.id}`);
    const span = passageOf(section, state, found);
    const made = sectionView(section, { state, texts: found.texts, span, others: outline.other_languages });
    show(`section ${state.doc}`, [made], titled(section.heading));
    settleSection(view);
    if (!status) learnStatus();
  },

  async documents(signal) {
    const [{ documents }, overview] = await Promise.all([ask("documents", {}, signal), ask("overview", {}, signal)]);
    facets = overview;
    showRail(null);
    line.textContent = "";
    show(
      "documents ",
      documentsPage(documents, overview.unsettled, { state, change: (next) => go(next, { replace: true }) }),
      "Documents",
    );
  },

  async index(signal) {
    const [known, overview] = await Promise.all([ask("status", {}, signal), ask("overview", {}, signal)]);
    [status, facets] = [known, overview];
    tellFoot();
    showRail(null);
    line.textContent = "";
    show("index ", overviewPage(status, overview, state), "Index");
  },
};

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

async function learnFacets() {
  if (facets) return;
  try {
    facets = await ask("overview");
  } catch {
    return; // filters do without counts; the answer itself tells what is wrong
  }
  if (state.view === "search" && state.q.trim() && subject === "search ") showFilters();
}

async function learnStatus() {
  try {
    status = await ask("status");
    tellFoot();
  } catch {
    // the foot stays empty; the answer itself tells what is wrong
  }
}

function tellFoot() {
  const run = status.last_run ? `, indexed ${age(status.last_run.ended ?? status.last_run.started)}` : "";
  foot.textContent = `${printable(status.name)}: ${count(status.documents, "document")}, ${count(status.sections, "section")}${run}`;
}

// -- the rail -----------------------------------------------------------------------------------------------------------

let railKey = "";

function showFilters() {
  const { q: _q, n: _n, ...filters } = state;
  const key = JSON.stringify([filters, Boolean(facets)]);
  if (key === railKey) return;
  showRail(filterRail(state, facets, refine), "Filters", key);
}

/** Put something into the rail; what was unfolded stays so, what had the focus has it again. */
function showRail(content, label = "", key = "") {
  const hadFocus = rail.contains(document.activeElement) ? document.activeElement : null;
  const isSame = label && rail.getAttribute("aria-label") === label;
  const unfolded = isSame ? [...rail.querySelectorAll("details")].map((one) => one.open) : [];
  railKey = key;
  rail.hidden = !content;
  document.body.classList.toggle("with-rail", Boolean(content));
  rail.setAttribute("aria-label", label || "Filters");
  rail.replaceChildren(...(content ? [content] : []));
  [...rail.querySelectorAll("details")].forEach((one, i) => {
    one.open = unfolded[i] ?? (wide.matches && one.matches("[data-fold]"));
  });
  if (!hadFocus || !content) return;
  const again = [...rail.querySelectorAll("input, summary")].find((one) =>
    hadFocus.name
      ? one.name === hadFocus.name && (one.type === "text" || one.value === hadFocus.value)
      : one.textContent === hadFocus.textContent,
  );
  (again ?? rail.querySelector("summary")).focus({ preventScroll: true });
}

wide.addEventListener("change", () => {
  for (const fold of rail.querySelectorAll("[data-fold]")) fold.open = wide.matches;
});

function showOutline() {
  if (state.view === "section") {
    const fold = rail.querySelector("[data-fold]");
    if (!fold) return;
    fold.open = true;
    const current = rail.querySelector("[aria-current]") ?? rail.querySelector(".outline a");
    current.focus({ preventScroll: true });
    current.scrollIntoView({ block: "nearest" });
    return;
  }
  const all = [...view.querySelectorAll("[data-step]")];
  const link = all.find((one) => one === document.activeElement) ?? all[0];
  if (link) go(follow(new URL(link.href)), { then: showOutline });
}

// -- typing -------------------------------------------------------------------------------------------------------------

let pause = 0;
let isComposing = false;

function typed() {
  clearTimeout(pause);
  pause = setTimeout(search, field.value.trim() ? PAUSE : 0);
}

function search() {
  clearTimeout(pause);
  if (isComposing || (state.view === "search" && field.value.trim() === state.q.trim())) return null;
  const isOn = state.view === "search" && state.q.trim() && field.value.trim();
  return go({ ...state, view: "search", q: field.value, doc: "", anchor: "", n: PAGE }, { replace: Boolean(isOn) });
}

field.addEventListener("input", (event) => {
  if (!event.isComposing && !isComposing) typed();
});
field.addEventListener("compositionstart", () => {
  isComposing = true;
  clearTimeout(pause);
});
field.addEventListener("compositionend", () => {
  isComposing = false;
  typed();
});
at("form").addEventListener("submit", (event) => event.preventDefault());

async function submit() {
  await search();
  const first = view.querySelector("[data-step]");
  if (first && state.view === "search") focus(first);
}

// -- links, keys, history -----------------------------------------------------------------------------------------------

/** The state that a link of this page leads to; sections are opened within the question that led to them. */
function follow(url) {
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
  else go(follow(url));
  if (link.matches(".brand a")) field.focus();
});

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

let scrolled = 0;
addEventListener(
  "scroll",
  () => {
    clearTimeout(scrolled);
    scrolled = setTimeout(remember, 200);
  },
  { passive: true },
);
addEventListener("pagehide", remember);

hearToken(() => render());
hearKeys({ field, help: at("help"), view, back, outline: showOutline, submit });
at("help-button").addEventListener("click", () => at("help").showModal());

// -- beginning ----------------------------------------------------------------------------------------------------------

history.scrollRestoration = "manual";
const restored = history.state;
history.replaceState({ depth: 0, ...restored }, "");
if (state.view === "search" && !state.q && wide.matches) field.focus();
render({ restored: restored ?? {} });
