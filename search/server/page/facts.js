// What the page knows of the index: its status and what the filters offer, as the server last told.

import { ask } from "./api.js";
import { el, name, sentence } from "./dom.js";
import { age, count } from "./texts.js";

const foot = document.getElementById("page-foot");

/** A status that is older than this is asked for again with the next answer (ms). */
const FRESH = 60_000;

/**
 * The server's last answers: `status` and `facets`; null before the first ones. `answers` counts those of `facets`, and
 * `areOld` is true if the indexer ran since the last of them.
 */
export const facts = { status: null, facets: null, answers: 0, areOld: false };
let askedAt = -FRESH;

/** What differs from one run of the indexer to the next. */
const runOf = ({ last_run: run, documents, sections }) => JSON.stringify([run, documents, sections]);

/** Take a status of the index, and show it below the page; roots are named in lists if there is more than one. */
export function takeStatus(status) {
  if (facts.status && runOf(facts.status) !== runOf(status)) facts.areOld = true;
  facts.status = status;
  askedAt = performance.now();
  document.body.classList.toggle("many-roots", status.roots.length > 1);
  writeFoot();
}

/** Write the foot, in the language that the page speaks now. */
export function writeFoot() {
  const { status } = facts;
  if (!status) return;
  const run = status.last_run;
  const values = {
    name: name(status.name),
    documents: count(status.documents, "document"),
    sections: count(status.sections, "section"),
    age: run ? age(run.ended ?? run.started) : "",
  };
  foot.replaceChildren(el("span", {}, sentence(run ? "foot.indexed" : "foot", values)));
}

const asking = new Map();

/** Ask for something, unless its answer is awaited already. A failure is left out: the answer that is shown tells of it. */
function once(path, take) {
  const forget = () => asking.delete(path);
  if (!asking.has(path)) asking.set(path, ask(path).then(take).then(forget, forget));
  return asking.get(path);
}

/** Take what the filters offer. */
export function takeFacets(overview) {
  facts.facets = overview;
  facts.answers += 1;
  facts.areOld = false;
}

/** Ask for what the filters offer; without an answer they have no counts. */
export const fetchFacets = () => once("overview", takeFacets);

/** Ask for the status, unless it is known and `fresh`; after a run of the indexer, `onNewRun` is called with new facets. */
export async function fetchStatus(onNewRun, { isFresh = performance.now() - askedAt < FRESH } = {}) {
  if (isFresh) {
    writeFoot(); // its age has grown
    return;
  }
  await once("status", takeStatus);
  if (!facts.areOld) return;
  await fetchFacets();
  onNewRun();
}
