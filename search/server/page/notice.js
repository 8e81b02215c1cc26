// The notice that is shown when there is no answer; it asks again by itself.

import { el } from "./dom.js";

/** Waits before the first, second, ... new attempt, and the longest wait that a server can ask for (seconds). */
const WAITS = [2, 4, 8, 15, 30];
const LONGEST_WAIT = 60;

const TITLES = {
  unreachable: "The server is gone",
  index_unavailable: "No index to search yet",
  busy: "The server is busy",
  unavailable: "The server cannot answer now",
  not_indexed: "Not in the index",
  not_found: "Not in the index",
  invalid_query: "This cannot be searched for",
  invalid_parameter: "This cannot be searched for",
  time_limit: "This took too long",
};
/** Kinds of refusals that can end without the reader's help. */
const TEMPORARY = new Set(["unreachable", "index_unavailable", "busy", "unavailable", "time_limit"]);

/** Shows notices inside an element, and asks again by itself while the reason may be temporary. */
export class Notices {
  #container;
  #timer = 0;
  #tries = 0;

  constructor(container) {
    this.#container = container;
  }

  /** Remove the notice. */
  clear() {
    clearInterval(this.#timer);
    this.#tries = 0;
    this.#container.replaceChildren();
  }

  /** Show why there is no answer; `retry` asks again. */
  show(refusal, retry) {
    clearInterval(this.#timer);
    const wait = el("span", { class: "small" });
    const button = el("button", { type: "button", class: "button", on: { click: () => this.#retryNow(retry) } }, "Try now");
    const isTemporary = TEMPORARY.has(refusal.kind);
    const hadFocus = this.#container.contains(document.activeElement);
    this.#container.replaceChildren(
      el(
        "div",
        { class: "notice", role: "alert", "data-kind": refusal.kind },
        el("h2", {}, TITLES[refusal.kind] ?? "No answer"),
        el("p", {}, refusal.message),
        isTemporary ? el("p", { class: "again" }, button, wait) : null,
      ),
    );
    if (!isTemporary) return;
    if (hadFocus) button.focus();
    let left = Math.min(LONGEST_WAIT, Math.ceil(refusal.retryAfter ?? WAITS[Math.min(this.#tries, WAITS.length - 1)]));
    const showCountdown = () => {
      wait.textContent = `or wait: again in ${left} s`;
    };
    showCountdown();
    this.#timer = setInterval(() => {
      left -= 1;
      if (left > 0) showCountdown();
      else this.#retryNow(retry);
    }, 1000);
  }

  #retryNow(retry) {
    clearInterval(this.#timer);
    this.#tries += 1;
    retry();
  }
}
