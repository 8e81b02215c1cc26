// Where the reader was on the page: scroll position and focused link, kept in the browser's history.

const view = document.getElementById("page-view");

/** Store the position in the current entry of the history. */
export function storePosition() {
  const active = document.activeElement;
  const link = view.contains(active) ? active.getAttribute("href") : null;
  history.replaceState({ ...history.state, y: scrollY, link }, "");
}

/** Go back to a stored position, `{y, link}`; without `y` the page was just loaded, and its passage is shown. */
export function restorePosition({ y, link: href }) {
  const link = href ? [...view.querySelectorAll("a[href]")].find((one) => one.getAttribute("href") === href) : null;
  scrollTo(0, y ?? 0);
  link?.closest("details")?.setAttribute("open", "");
  if (link) link.focus({ preventScroll: true });
  if (y === undefined) revealPassage();
}

/** Go to the beginning of new content: focus its heading, or `fallback` if it has none, and show its passage. */
export function goToBeginning(fallback) {
  scrollTo(0, 0);
  (view.querySelector(".heading") ?? fallback).focus({ preventScroll: true });
  revealPassage();
}

/** Scroll to the passage of a section, unless it is visible already. */
function revealPassage() {
  const parts = [...view.querySelectorAll(".passage")];
  const isVisible = !parts.length || parts.at(-1).getBoundingClientRect().bottom <= innerHeight;
  if (!isVisible) parts[0].scrollIntoView({ block: "center" });
}

let pause = 0;
addEventListener(
  "scroll",
  () => {
    clearTimeout(pause);
    pause = setTimeout(storePosition, 200);
  },
  { passive: true },
);
addEventListener("pagehide", storePosition);
