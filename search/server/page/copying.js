// What can be done with a section: copy its link, its citation or its Markdown, and open it elsewhere.

import { ask } from "./api.js";
import { button, el } from "./dom.js";
import { address, anchorOf, opened } from "./state.js";
import { placeName, t } from "./texts.js";

/** Copy a text; the result says whether the browser allowed it. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedFromField(text); // no secure page, or no permission
  }
}

function copiedFromField(text) {
  const before = document.activeElement;
  const field = el("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1" });
  field.value = text;
  document.body.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    before?.focus({ preventScroll: true });
  }
}

/** "docs/a.md:10-31 (Title › Heading)", of a converted file "docs/a.pdf, page 3 (Title › Heading)". */
export function citation({ document_path: path, start_line: first, end_line: last, place, trail }) {
  const where = place ? `${path}, ${placeName(place)}` : `${path}:${first}-${last}`;
  const title = trail.filter((one) => one.trim()).join(" › ");
  return title ? `${where} (${title})` : where;
}

/** The address of a section on this page, without the question that led to it. */
const linkTo = (section, state) => {
  const plain = { ...state, q: "", path: [], tag: [], language: [], depth: [], mode: "hybrid", clean: false };
  return location.origin + address(opened(plain, section.document_path, anchorOf(section)));
};

/** Buttons that copy, and links that open the section elsewhere. `editor` is the address for an editor, or "". */
export function actions(section, state, editor) {
  const said = el("span", { class: "said", role: "status" });
  const copy = (what, text) =>
    button(
      t(`actions.${what}`),
      async () => {
        said.textContent = "";
        const isCopied = await copied(text);
        said.textContent = t(isCopied ? `copied.${what}` : "copied.not");
      },
      { "data-copy": what },
    );
  const isPublished = /^https?:\/\//.test(section.url);
  const isForEditors = editor.startsWith("vscode://file/");
  return el(
    "div",
    { class: "actions", role: "group", "aria-label": t("actions") },
    copy("link", linkTo(section, state)),
    copy("citation", citation(section)),
    copy("markdown", section.content),
    isForEditors ? el("a", { class: "button", href: editor }, t("actions.editor")) : null,
    isPublished ? el("a", { class: "button", href: section.url, rel: "noopener noreferrer" }, t("actions.site")) : null,
    said,
  );
}

/** The address that opens a section in an editor, at `line` if given; "" if there is none or the server does not tell it. */
export async function editorAddress(section, line, signal) {
  try {
    return (await ask("editor", { section, line }, signal)).address;
  } catch (error) {
    if (error.name === "AbortError" || error.status === 401) throw error;
    return "";
  }
}
