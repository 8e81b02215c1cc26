// The keyboard, and the help that tells of it.

const TYPING = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";

/** Hear the keys; `page` says what is there and does what is asked. */
export function hearKeys({ field, help, view, back, outline, submit }) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    const isTyping = event.target.matches(TYPING);
    if (event.target === field) inField(event);
    else if (!isTyping) elsewhere(event);
  });

  function inField(event) {
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

  function elsewhere(event) {
    const done = act(event.key);
    if (done) event.preventDefault();
  }

  function act(key) {
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

  /** To the next or the last of what can be opened; from the first one back to the field. */
  function step(by) {
    const all = steps();
    if (!all.length) return false;
    const at = all.indexOf(document.activeElement);
    if (at === 0 && by < 0) field.focus();
    else focus(all[Math.min(all.length - 1, at < 0 && by < 0 ? all.length - 1 : at + by)]);
    return true;
  }

  const turn = (rel) => press(`[data-turn=${rel}]`);

  function press(selector) {
    const link = view.querySelector(selector);
    link?.click();
    return Boolean(link);
  }
}

/** Focus it where it can be seen, without a jump to the edge. */
export function focus(element) {
  element.focus({ preventScroll: true });
  (element.closest("li") ?? element).scrollIntoView({ block: "nearest" });
}
