// The keys of the page; its help lists them.

const TYPING = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";

/** Listen to keys: `field`, `help` and `view` are elements, `back`, `outline` and `submit` are called. */
export function onKeys({ field, help, view, back, outline, submit }) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    const isTyping = event.target.matches(TYPING);
    if (event.target === field) onKeyInField(event);
    else if (!isTyping) onKeyElsewhere(event);
  });

  function onKeyInField(event) {
    if (event.key === "ArrowDown" && steps().length) {
      event.preventDefault();
      focus(steps()[0]);
    } else if (event.key === "Enter") {
      event.preventDefault();
      submit();
    } else if (event.key === "Escape" && !field.value) {
      event.preventDefault();
      field.blur();
    }
  }

  function onKeyElsewhere(event) {
    if (handleKey(event.key)) event.preventDefault();
  }

  /** Do what a key stands for; the result is false if it stands for nothing here. */
  function handleKey(key) {
    switch (key) {
      case "/":
        field.focus();
        field.select();
        return true;
      case "?":
        help.showModal();
        return true;
      case "o":
        outline();
        return true;
      case "Escape":
        back();
        return true;
      case "j":
      case "ArrowDown":
        return step(1) || (key === "j" && turn("next"));
      case "k":
      case "ArrowUp":
        return step(-1) || (key === "k" && turn("prev"));
      case "u":
        return press("[data-up]");
      default:
        return false;
    }
  }

  const steps = () => [...view.querySelectorAll("[data-step]")];

  /** Move the focus down (1) or up (-1) the links of the view; from the first one up to the field. */
  function step(by) {
    const all = steps();
    if (!all.length) return false;
    const at = all.indexOf(document.activeElement);
    if (at === 0 && by < 0) field.focus();
    else focus(all[Math.min(all.length - 1, at < 0 && by < 0 ? all.length - 1 : at + by)]);
    return true;
  }

  const turn = (rel) => press(`[data-turn=${rel}]`);

  /** Click the first element of the view that matches; the result is false if there is none. */
  function press(selector) {
    const link = view.querySelector(selector);
    link?.click();
    return Boolean(link);
  }
}

/** Focus an element, and scroll only as far as needed to see it. */
export function focus(element) {
  element.focus({ preventScroll: true });
  (element.closest("li") ?? element).scrollIntoView({ block: "nearest" });
}
