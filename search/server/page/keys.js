// The keys of the page: one table, which binds them and from which the help is made.

const CHOICES = "[type=checkbox], [type=radio]";
const TYPING = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";

/**
 * Each entry: its `keys`, where they work (`at`), the name of the text that explains them, and what they do. `run` is given
 * the page (see `onKeys`) and results in false if the key does nothing here, so that the browser has it.
 */
export const KEYS = [
  { at: "anywhere", keys: ["/"], text: "key.field", run: ({ field }) => (field.focus(), field.select()) },
  { at: "anywhere", keys: ["o"], text: "key.outline", run: ({ outline }) => outline() },
  { at: "anywhere", keys: ["?"], text: "key.help", run: ({ help }) => help() },
  { at: "field", keys: ["ArrowDown"], text: "key.first", run: ({ first }) => first() },
  { at: "field", keys: ["Enter"], text: "key.submit", run: ({ submit }) => submit() },
  { at: "field", keys: ["Escape"], text: "key.empty", run: ({ field, empty }) => (field.value ? empty() : field.blur()) },
  { at: "list", keys: ["ArrowDown", "j"], text: "key.next", run: (page) => step(page, 1) },
  { at: "list", keys: ["ArrowUp", "k"], text: "key.previous", run: (page) => step(page, -1) },
  { at: "list", keys: ["Enter"], text: "key.open", run: (page) => openFocused(page) },
  { at: "list", keys: ["Escape"], text: "key.to-field", run: ({ back }) => back() },
  { at: "tree", keys: ["ArrowRight"], text: "key.unfold", run: ({ view }) => unfold(view) },
  { at: "tree", keys: ["ArrowLeft"], text: "key.fold", run: ({ view }) => fold(view) },
  { at: "section", keys: ["j"], text: "key.next-section", run: ({ view }) => press(view, "[data-turn=next]") },
  { at: "section", keys: ["k"], text: "key.previous-section", run: ({ view }) => press(view, "[data-turn=prev]") },
  { at: "section", keys: ["u"], text: "key.up", run: ({ view }) => press(view, "[data-up]") },
  { at: "section", keys: ["c"], text: "key.copy", run: ({ view }) => press(view, "[data-copy=link]") },
  { at: "section", keys: ["Escape"], text: "key.back", run: ({ back }) => back() },
];

/**
 * Listen to keys. `page` has the elements `field` and `view`, and functions: `back`, `outline`, `first` (move to the
 * first entry), `submit`, `empty` (the field) and `help` (show it).
 */
export function onKeys(page) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]") || event.defaultPrevented) return;
    const places = placesOf(event.target, page);
    const bound = KEYS.find(({ at, keys }) => places.includes(at) && keys.includes(event.key));
    if (event.target.matches(CHOICES) && bound?.at !== "anywhere" && event.key !== "Escape") return; // they move by arrows
    if (bound && bound.run(page) !== false) event.preventDefault();
  });
}

/** Where a key was pressed: in the field, or on a view of these kinds. */
function placesOf(target, { field, view }) {
  if (target === field) return ["field"];
  if (target.matches(TYPING)) return [];
  const kind = view.querySelector(".section") ? "section" : "list";
  return ["anywhere", view.querySelector("[data-tree]") ? "tree" : "", kind];
}

const steps = (view) => [...view.querySelectorAll("[data-step]")];

/** Move the focus to the first entry of the view; the result is false if there is none. */
export function focusFirst(view) {
  const [first] = steps(view);
  if (first) focus(first);
  return Boolean(first);
}

/** Move the focus down (1) or up (-1) the entries of the view; from the first one up to the field. */
function step({ view, field }, by) {
  const all = steps(view);
  if (!all.length) return false;
  const at = all.indexOf(document.activeElement);
  if (at === 0 && by < 0) field.focus();
  else focus(all[Math.min(all.length - 1, at < 0 && by < 0 ? all.length - 1 : at + by)]);
  return true;
}

/** Click the entry that has the focus; other elements have the key themselves. */
function openFocused({ view }) {
  const entry = document.activeElement;
  if (!view.contains(entry) || !entry.matches("[data-step]")) return false;
  entry.click();
  return true;
}

/** The folder of the tree that has the focus, or null. */
const folder = () => (document.activeElement.matches("[data-tree] [aria-expanded]") ? document.activeElement : null);

function unfold(view) {
  const entry = folder();
  if (!entry) return false;
  if (entry.getAttribute("aria-expanded") === "false") entry.click();
  else focus(steps(view)[steps(view).indexOf(entry) + 1] ?? entry);
  return true;
}

function fold() {
  const entry = document.activeElement;
  if (!entry.matches("[data-tree] [data-step]")) return false;
  const above = entry.closest("li").parentElement.closest("li")?.querySelector("[data-step]");
  if (entry.getAttribute("aria-expanded") === "true") entry.click();
  else if (above) focus(above);
  return true;
}

/** Click the first element of the view that matches; the result is false if there is none. */
function press(view, selector) {
  const link = view.querySelector(selector);
  link?.click();
  return Boolean(link);
}

/** Focus an element, and scroll only as far as needed to see it. */
export function focus(element) {
  element.focus({ preventScroll: true });
  (element.closest("[data-tree]") ? element : (element.closest("li") ?? element)).scrollIntoView({ block: "nearest" });
}
