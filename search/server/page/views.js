// What the page shows beside the search: a section, the documents, the changes, the index.

import { ask } from "./api.js";
import { changesPage, fetchChanges } from "./changes.js";
import { editorAddress } from "./copying.js";
import { documentsPage } from "./documents.js";
import { titled } from "./dom.js";
import { takeFacets, takeStatus } from "./facts.js";
import { foundOf, passageOf } from "./found.js";
import { letScroll } from "./markdown.js";
import { overviewPage } from "./overview.js";
import { showRail } from "./rail.js";
import { outlineRail, sectionView } from "./section.js";
import { sectionAtLine, sectionByAnchor } from "./state.js";
import { t } from "./texts.js";

/**
 * The functions that fetch and show each of these views, by its name; each takes a signal that aborts its requests.
 *
 * `state` gives the state to show, `go` goes to another one, `show` takes what the element `view` shows, `statusLine` is the
 * line above it, and `refreshFacts` learns of new runs.
 */
export function otherViews({ state, go, show, view, statusLine, refreshFacts }) {
  return {
    async section(signal) {
      const [outline, found] = await Promise.all([ask("outline", { path: state().doc }, signal), foundOf(state(), signal)]);
      const { anchor, lines } = state();
      const entry = anchor || !lines ? sectionByAnchor(outline.sections, anchor) : sectionAtLine(outline.sections, lines[0]);
      const { id } = entry ?? outline.sections[0];
      const [section, linked, editor] = await Promise.all([
        ask(`sections/${id}`, { html: true }, signal),
        ask("links", { section: id }, signal),
        editorAddress(id, lines?.[0], signal),
      ]);
      signal.throwIfAborted();
      statusLine.textContent = entry || !anchor ? "" : t("section.gone");
      showRail(outlineRail(outline, section.id, state()), t("section.outline"), `outline ${section.id}`);
      const span = passageOf(section, state(), found);
      const others = outline.other_languages;
      const article = sectionView(section, { state: state(), texts: found.texts, span, others, linked, editor, signal });
      show(`section ${state().doc}`, [article], titled(section.heading));
      letScroll(view);
      refreshFacts();
    },

    async documents(signal) {
      const { documents } = await ask("documents", {}, signal);
      showRail(null);
      statusLine.textContent = "";
      const page = documentsPage(documents, { state: state(), change: (next) => go(next, { replace: true }) });
      show("documents ", page.elements, t("view.documents"));
      ask("overview", {}, signal).then(
        (overview) => page.flag(overview.unsettled),
        () => {}, // the list is good without what has changed since
      );
      refreshFacts();
    },

    async changes(signal) {
      const answer = await fetchChanges(state(), signal);
      showRail(null);
      statusLine.textContent = "";
      show("changes ", changesPage(answer, state(), go), t("changes.title"));
      refreshFacts();
    },

    async index(signal) {
      const [fresh, overview] = await Promise.all([ask("status", {}, signal), ask("overview", {}, signal)]);
      signal.throwIfAborted();
      takeStatus(fresh);
      takeFacets(overview);
      showRail(null);
      statusLine.textContent = "";
      show("index ", overviewPage(fresh, overview, state()), t("view.index"));
    },
  };
}
