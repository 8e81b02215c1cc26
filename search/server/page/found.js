// What the last question found, for sections that are opened later: the texts to mark, and the passages that answer.

import { ask } from "./api.js";
import { spanOfLines, spanOfSnippet } from "./passage.js";
import { matchedTexts } from "./markdown.js";
import { PAGE, parameters, unfiltered } from "./state.js";

const NOTHING = { key: "", texts: new Set(), snippets: new Map() };
let found = NOTHING;

const keyOf = (state) => JSON.stringify(parameters(state));

/** Keep what the question of a state found: `texts` to mark, and `snippets` by section id. */
export function keepFound(state, results) {
  found = {
    key: keyOf(state),
    texts: matchedTexts(results),
    snippets: new Map(results.map(({ id, snippet }) => [id, snippet])),
  };
  return found;
}

/** What the question of a state found; the server is asked if the page was opened at a section, without a search. */
export async function foundOf(state, signal) {
  if (!state.q.trim()) return NOTHING;
  if (found.key === keyOf(state)) return found;
  try {
    return keepFound(state, (await ask("search", { ...parameters(state), limit: PAGE }, signal)).results);
  } catch (error) {
    if (error.name === "AbortError" || error.status === 401) throw error;
    return NOTHING; // the section is shown without marks
  }
}

/** Whether the question finds something without the filters. */
export async function findsMore(state, signal) {
  const wider = { ...unfiltered(state), mode: state.mode };
  return (await ask("search", { ...parameters(wider), limit: 1 }, signal)).results.length > 0;
}

/**
 * The part of a section that the lines of a state are, or null if it has none. If the section's snippet has exactly these
 * lines, the part is the snippet's sentences instead of whole lines.
 */
export function passageOf(section, { lines }, { snippets }) {
  if (!lines) return null;
  const snippet = snippets.get(section.id);
  const isSnippet = snippet?.start_line === lines[0] && snippet.end_line === lines[1];
  return isSnippet ? spanOfSnippet(section, snippet) : spanOfLines(section, lines);
}
