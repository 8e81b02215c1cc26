// The notice that is shown when there is no answer; it asks again by itself.

import { button, el } from "./dom.js";
import { spoken, t } from "./texts.js";

/** Waits before the first, second, ... new attempt, and the longest wait that a server can ask for (seconds). */
const WAITS = [2, 4, 8, 15, 30];
const LONGEST_WAIT = 60;

const TITLES = {
  unreachable: "refused.unreachable",
  index_unavailable: "refused.index_unavailable",
  busy: "refused.busy",
  unavailable: "refused.unavailable",
  not_indexed: "refused.not_indexed",
  not_found: "refused.not_indexed",
  invalid_query: "refused.invalid",
  invalid_parameter: "refused.invalid",
  time_limit: "refused.time_limit",
};

/** What happened, as a title. */
export const titleOf = (refusal) => t(TITLES[refusal.kind] ?? "refused.other");

/** Why, in the server's own words, which are English. */
export const reasonOf = (refusal, tag = "p") =>
  el(tag, refusal.isOwn || spoken() === "en" ? {} : { lang: "en" }, refusal.message);

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
    const retryButton = button(t("refused.retry"), () => this.#retryNow(retry));
    const isTemporary = TEMPORARY.has(refusal.kind);
    const hadFocus = this.#container.contains(document.activeElement);
    this.#container.replaceChildren(
      el(
        "div",
        { class: "notice", role: "alert", "data-kind": refusal.kind },
        el("h2", {}, titleOf(refusal)),
        reasonOf(refusal),
        isTemporary ? el("p", { class: "again" }, retryButton, wait) : null,
      ),
    );
    if (!isTemporary) return;
    if (hadFocus) retryButton.focus();
    let left = Math.min(LONGEST_WAIT, Math.ceil(refusal.retryAfter ?? WAITS[Math.min(this.#tries, WAITS.length - 1)]));
    const showCountdown = () => {
      wait.textContent = t("refused.wait", { seconds: left });
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
