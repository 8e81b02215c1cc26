// What the last question found, for the sections that are opened: the texts to mark, and the passages that answer.

import { ask } from "./api.js";
import { spanOfLines, spanOfSnippet } from "./passage.js";
import { surfaces } from "./markdown.js";
import { PAGE, parameters, unfiltered } from "./state.js";

const NOTHING = { key: "", texts: new Set(), snippets: new Map() };
let found = NOTHING;

const keyOf = (state) => JSON.stringify(parameters(state));

/** Keep what the question of a state found: `texts` to mark, and `snippets` by section. */
export function keepFound(state, results) {
  found = {
    key: keyOf(state),
    texts: surfaces(results),
    snippets: new Map(results.map(({ id, snippet }) => [id, snippet])),
  };
  return found;
}

/** What the question of a state found, asked again where the page was opened at a section. */
export async function foundOf(state, signal) {
  if (!state.q.trim()) return NOTHING;
  if (found.key === keyOf(state)) return found;
  try {
    return keepFound(state, (await ask("search", { ...parameters(state), limit: PAGE }, signal)).results);
  } catch (error) {
    if (error.name === "AbortError" || error.status === 401) throw error;
    return NOTHING; // the section is what was asked for; it can do without marks
  }
}

/** Whether the question finds something without the filters. */
export async function findsMore(state, signal) {
  const wider = { ...unfiltered(state), mode: state.mode };
  return (await ask("search", { ...parameters(wider), limit: 1 }, signal)).results.length > 0;
}

/** The part of a section that the state's lines are, or null; the very sentences where its snippet stands on these lines. */
export function passageOf(section, { lines }, { snippets }) {
  if (!lines) return null;
  const snippet = snippets.get(section.id);
  const isThere = snippet?.start_line === lines[0] && snippet.end_line === lines[1];
  return isThere ? spanOfSnippet(section, snippet) : spanOfLines(section, lines);
}
