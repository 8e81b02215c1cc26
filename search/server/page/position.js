// Where the reader was on the page: scroll position and focused link, kept in the browser's history.

const view = document.getElementById("page-view");

/** Store the position in the current entry of the history. */
export function storePosition() {
  const active = document.activeElement;
  const link = view.contains(active) ? active.getAttribute("href") : null;
  history.replaceState({ ...history.state, y: scrollY, link }, "");
}

/**
 * Go back to a stored position, `{y, link}`; without `y` the page was just loaded, and its passage is shown. Where no link
 * had the focus and nothing has it now, `fallback` included, it goes to the heading, or to `fallback` if there is none.
 */
export function restorePosition({ y, link: href }, fallback) {
  const link = href ? [...view.querySelectorAll("a[href]")].find((one) => one.getAttribute("href") === href) : null;
  scrollTo(0, y ?? 0);
  link?.closest("details")?.setAttribute("open", "");
  if (link) link.focus({ preventScroll: true });
  else if (y !== undefined && [document.body, fallback].includes(document.activeElement)) focusHeading(fallback);
  if (y === undefined) revealPassage();
}

/** Go to the beginning of new content: focus its heading, or `fallback` if it has none, and show its passage. */
export function goToBeginning(fallback) {
  scrollTo(0, 0);
  focusHeading(fallback);
  revealPassage();
}

const focusHeading = (fallback) => (view.querySelector(".heading") ?? fallback).focus({ preventScroll: true });

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
