// What the page knows of the index: its status and what the filters offer, as the server last told.

import { ask } from "./api.js";
import { el, name, sentence } from "./dom.js";
import { age, count } from "./texts.js";

const foot = document.getElementById("page-foot");

/** The server's last answers: `status` and `facets`; null before the first ones. */
export const facts = { status: null, facets: null };

/** Take a status of the index, and show it below the page; roots are named in lists if there is more than one. */
export function takeStatus(status) {
  facts.status = status;
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

const asked = new Map();

/** Ask for something once, and again after a failure; the answer that is shown tells what is wrong. */
function once(path, take) {
  if (!asked.has(path))
    asked.set(
      path,
      ask(path).then(take, () => asked.delete(path)),
    );
  return asked.get(path);
}

/** Ask for the status, unless it is known already. */
export const fetchStatus = () => (facts.status ? null : once("status", takeStatus));

/** Ask for what the filters offer, unless it is known already; without an answer they have no counts. */
export async function fetchFacets() {
  if (!facts.facets) await once("overview", (overview) => (facts.facets = overview));
}
