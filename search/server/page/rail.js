// The rail, a column beside the content: the filters of a search, or the outline of a document.

import { t } from "./texts.js";

/** Whether the window is wide enough for the rail to stand beside the content (the style sheets have the same width). */
export const wide = matchMedia("(min-width: 62rem)");

const rail = document.getElementById("page-rail");
let shownKey = "";

/** Whether the rail was last filled under this key, so that it need not be filled again. */
export const railShows = (key) => key === shownKey;

/** Fill the rail, or hide it if `content` is null. With the same label, what was unfolded stays so and the focus is kept. */
export function showRail(content, label = "", key = "") {
  const focused = rail.contains(document.activeElement) ? document.activeElement : null;
  const isSame = label && rail.getAttribute("aria-label") === label;
  const unfolded = isSame ? [...rail.querySelectorAll("details")].map((one) => one.open) : [];
  shownKey = key;
  rail.hidden = !content;
  document.body.classList.toggle("with-rail", Boolean(content));
  rail.setAttribute("aria-label", label || t("filters"));
  rail.replaceChildren(...(content ? [content] : []));
  [...rail.querySelectorAll("details")].forEach((one, i) => {
    one.open = unfolded[i] ?? (wide.matches && one.matches("[data-fold]"));
  });
  if (focused && content) (sameControl(focused) ?? rail.querySelector("summary")).focus({ preventScroll: true });
}

/** The control of the new content that does what `old` did: the same input, or a summary with the same text. */
function sameControl(old) {
  return [...rail.querySelectorAll("input, summary")].find((one) =>
    old.name
      ? one.name === old.name && (one.type === "text" || one.value === old.value)
      : one.textContent === old.textContent,
  );
}

/** Unfold the outline and move the focus to the section that is shown. */
export function focusOutline() {
  const fold = rail.querySelector("[data-fold]");
  if (!fold) return;
  fold.open = true;
  const current = rail.querySelector("[aria-current]") ?? rail.querySelector(".outline a");
  current.focus({ preventScroll: true });
  current.scrollIntoView({ block: "nearest" });
}

wide.addEventListener("change", () => {
  for (const fold of rail.querySelectorAll("[data-fold]")) fold.open = wide.matches;
});
