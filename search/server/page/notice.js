// The notice that is shown when there is no answer; it asks again by itself.

import { button, el, name, sentence } from "./dom.js";
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

const DOCTOR = { command: "sectionary doctor" };
/** The server's codes, and what the page's texts for them have in them: names that are the same in every language. */
const BECAUSE = {
  invalid_query: {},
  empty_query: {},
  too_many_fields: {},
  too_many_sections: {},
  path_filter: { example: "docs/**" },
  field_depth: { field: "depth:" },
  field_lang: { field: "lang:", example: "lang:ja" },
  field_minus: { path: "path:", tag: "tag:" },
  field_since: { field: "since:", date: "since:2026-11-01", age: "since:7d" },
  invalid_parameter: {},
  not_indexed: {},
  not_found: {},
  index_missing: { command: "sectionary index FOLDER" },
  index_incompatible: { command: "sectionary index FOLDER --rebuild" },
  index_damaged: { command: "sectionary verify --repair" },
  index_denied: DOCTOR,
  index_untrusted: { command: "sectionary trust" },
  index_locked: {},
  index_unavailable: DOCTOR,
  model_unavailable: DOCTOR,
  unavailable: DOCTOR,
  busy: {},
  stopping: {},
  time_limit: {},
  fault: {},
  token_wanted: {},
  host_refused: { option: "--allow-host" },
  origin_refused: {},
  site_refused: {},
  address_too_long: {},
  body_too_large: {},
  method_not_allowed: {},
  refused: {},
};

/**
 * Why, in the language of the page. In English it is the server's own sentence, which says most; that is also shown, as
 * English, for a code that the page does not know.
 */
export function reasonOf(refusal, tag = "p") {
  const names = Object.hasOwn(BECAUSE, refusal.code) ? Object.entries(BECAUSE[refusal.code]) : null;
  if (refusal.isOwn || spoken() === "en") return el(tag, {}, refusal.message);
  if (!names) return el(tag, { lang: "en" }, refusal.message);
  const values = Object.fromEntries(names.map(([key, text]) => [key, name(text, {}, "code")]));
  return el(tag, {}, sentence(`because.${refusal.code}`, values));
}

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
