// What the page says when there is no answer, and when it asks again.

import { el } from "./dom.js";

/** Longest and shortest wait before the page asks again by itself (seconds). */
const LONGEST = 60;
const WAITS = [2, 4, 8, 15, 30];

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
const PASSING = new Set(["unreachable", "index_unavailable", "busy", "unavailable", "time_limit"]);

/** A place for notices that asks again by itself while the reason may pass. */
export class Notices {
  #place;
  #timer = 0;
  #tries = 0;

  constructor(place) {
    this.#place = place;
  }

  /** Nothing to say (any more). */
  clear() {
    clearInterval(this.#timer);
    this.#tries = 0;
    this.#place.replaceChildren();
  }

  /** Say why there is no answer; `again` asks again. */
  tell(refusal, again) {
    clearInterval(this.#timer);
    const wait = el("span", { class: "small" });
    const button = el("button", { type: "button", class: "button", on: { click: () => this.#retry(again) } }, "Try now");
    const passes = PASSING.has(refusal.kind);
    const hadFocus = this.#place.contains(document.activeElement);
    this.#place.replaceChildren(
      el(
        "div",
        { class: "notice", role: "alert", "data-kind": refusal.kind },
        el("h2", {}, TITLES[refusal.kind] ?? "No answer"),
        el("p", {}, refusal.message),
        passes ? el("p", { class: "again" }, button, wait) : null,
      ),
    );
    if (!passes) return;
    if (hadFocus) button.focus();
    let left = Math.min(LONGEST, Math.ceil(refusal.retryAfter ?? WAITS[Math.min(this.#tries, WAITS.length - 1)]));
    const show = () => {
      wait.textContent = `or wait: again in ${left} s`;
    };
    show();
    this.#timer = setInterval(() => {
      left -= 1;
      if (left > 0) show();
      else this.#retry(again);
    }, 1000);
  }

  #retry(again) {
    clearInterval(this.#timer);
    this.#tries += 1;
    again();
  }
}
