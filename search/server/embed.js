/*
 * A search box for the pages of another site, in one script without dependencies. On the site:
 *
 *   <script src="https://search.example.org/embed.js" defer></script>
 *
 * Attributes of that element: data-server (address of the server, if it is not the script's), data-target (a selector: where
 * the button stands), data-limit (most hits), data-path (only documents whose path begins so), data-lang (en, ja, ko),
 * data-token (only for pages whose readers may all know it). The server must have been started with --allow-origin.
 *
 * "/" opens the box; arrows, Enter and Escape do what they do everywhere. Whatever comes from the server is put in as text.
 */
(() => {
  "use strict";

  const UNSAFE = /[]/gu; // the server puts its own pattern here
  const TEXTS = {
    en: { open: "Search", label: "Search the documentation", none: "No section matches.", near: "No section answers this; the nearest are below.", failed: "The search cannot be reached.", wrong: "This cannot be searched for as it is written.", busy: "The search cannot answer now; try again in a moment.", refused: "The search does not answer to this page.", hits: (n) => `${n} ${n === 1 ? "result" : "results"}`, close: "Close" },
    ja: { open: "検索", label: "ドキュメントを検索", none: "一致する節はありません。", near: "答えとなる節はありません。近いものを示します。", failed: "検索に接続できません。", wrong: "この書き方では検索できません。", busy: "いまは検索できません。少し待ってからもう一度お試しください。", refused: "このページからは検索できません。", hits: (n) => `${n} 件`, close: "閉じる" },
    ko: { open: "검색", label: "문서 검색", none: "일치하는 절이 없습니다.", near: "답이 되는 절이 없습니다. 가까운 것을 보여 줍니다.", failed: "검색에 연결할 수 없습니다.", wrong: "이렇게 쓴 것은 검색할 수 없습니다.", busy: "지금은 검색할 수 없습니다. 잠시 후 다시 시도하세요.", refused: "이 페이지에서는 검색할 수 없습니다.", hits: (n) => `결과 ${n}개`, close: "닫기" },
  };
  const STYLE = `
    :host { all: initial; font: 1rem/1.5 system-ui, sans-serif; color-scheme: light dark;
      --text: light-dark(#1b1b1b, #ececec); --soft: light-dark(#565656, #b0b0b0); --ground: light-dark(#fff, #1e1e1e);
      --line: light-dark(#8a8a8a, #7d7d7d); --chosen: light-dark(#e3ecfa, #263a58); --mark: light-dark(#fff0a8, #5c4d00); }
    * { box-sizing: border-box; }
    button, input { font: inherit; color: var(--text); background: var(--ground); border: 1px solid var(--line); border-radius: .4rem; }
    button { padding: .3rem .8rem; cursor: pointer; }
    kbd { font: inherit; color: var(--soft); border: 1px solid var(--line); border-radius: .2rem; padding: 0 .35rem; margin-inline-start: .5rem; }
    :focus-visible { outline: 2px solid #3b78d8; outline-offset: 1px; }
    dialog { width: min(44rem, calc(100vw - 2rem)); max-height: 80vh; margin: 8vh auto auto; padding: 1rem; color: var(--text);
      background: var(--ground); border: 1px solid var(--line); border-radius: .6rem; }
    dialog[open] { display: flex; flex-direction: column; gap: .6rem; }
    dialog::backdrop { background: rgb(0 0 0 / 40%); }
    .line { display: flex; gap: .5rem; }
    input { flex: 1; min-width: 0; padding: .5rem .7rem; }
    .status { margin: 0; color: var(--soft); }
    ul { list-style: none; margin: 0; padding: 0; overflow-y: auto; }
    li { padding: .5rem .7rem; border-radius: .4rem; cursor: pointer; overflow-wrap: anywhere; }
    li[aria-selected="true"] { background: var(--chosen); }
    .place { display: block; color: var(--soft); font-size: .85rem; }
    .heading { display: block; font-weight: 600; }
    .text { display: block; font-size: .92rem; }
    mark { color: inherit; background: var(--mark); }
  `;
  const PAUSE = 150; // milliseconds between the last key and a question
  const LONGEST = 2000; // characters of a question that the server takes

  const own = document.currentScript;
  if (own === null || document.querySelector("[data-sectionary-box]") !== null) return;
  const given = own.dataset;
  const server = new URL(given.server || ".", own.src);
  if (!server.pathname.endsWith("/")) server.pathname += "/";
  const language = (given.lang || document.documentElement.lang || navigator.language || "en").slice(0, 2).toLowerCase();
  const texts = TEXTS[language] || TEXTS.en;
  const limit = Math.min(20, Math.max(1, Number.parseInt(given.limit || "8", 10) || 8));

  /** A text in which characters that could reorder, hide or fake text are written as escapes. */
  const printable = (text) => String(text).replace(UNSAFE, (one) => `\\u{${one.codePointAt(0).toString(16)}}`);

  /** An element with attributes and children; children that are no elements become text. */
  function el(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children.map((child) => (child instanceof Node ? child : printable(child))));
    return made;
  }

  const host = el("div", { "data-sectionary-box": "" });
  const root = host.attachShadow({ mode: "open" });
  const style = new CSSStyleSheet();
  style.replaceSync(STYLE);
  root.adoptedStyleSheets = [style];
  const opener = el("button", { type: "button", "aria-haspopup": "dialog", "aria-keyshortcuts": "/" }, texts.open);
  opener.append(el("kbd", { "aria-hidden": "true" }, "/"));
  const input = el("input", {
    type: "text", role: "combobox", "aria-label": texts.label, "aria-expanded": "false", "aria-controls": "hits",
    "aria-autocomplete": "list", "aria-haspopup": "listbox", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    enterkeyhint: "search", maxlength: String(LONGEST), placeholder: texts.label,
  });
  const closer = el("button", { type: "button", "aria-label": texts.close }, "×");
  const status = el("p", { class: "status", role: "status" });
  const list = el("ul", { id: "hits", role: "listbox", "aria-label": texts.label });
  const dialog = el("dialog", { "aria-label": texts.label }, el("div", { class: "line" }, input, closer), status, list);
  root.append(opener, dialog);

  let addresses = []; // where each hit leads to, "" for one without a page
  let chosen = -1;
  let asked = "";
  let timer = 0;
  let running = null;
  let entered = null; // Enter, pressed before the hits of what is typed had come

  /** The address of a hit's page, if it is one that a link may have. */
  function pageOf(url) {
    try {
      const found = new URL(url);
      return ["http:", "https:"].includes(found.protocol) ? found.href : "";
    } catch {
      return "";
    }
  }

  /** A snippet with its matches marked; their offsets count characters, not units of UTF-16. */
  function marked(snippet) {
    const line = el("span", { class: "text" });
    const characters = Array.from(String(snippet.text));
    const part = (from, to) => printable(characters.slice(from, to).join(""));
    let at = 0;
    for (const [from, to] of snippet.matches) {
      if (from < at || to <= from) continue;
      line.append(part(at, from), el("mark", {}, characters.slice(from, to).join("")));
      at = to;
    }
    line.append(part(at));
    return line;
  }

  /** Why there is no answer; in English a mistake in the question has the server's own sentence, which says which one. */
  function refusal(status, error) {
    if (status >= 500 || status === 429) return texts.busy;
    if (![400, 413, 414, 422, 431].includes(status)) return texts.refused;
    return texts === TEXTS.en ? printable(error.message) : texts.wrong;
  }

  function choose(next) {
    chosen = next;
    for (const [i, option] of Array.from(list.children).entries()) {
      option.setAttribute("aria-selected", String(i === chosen));
      if (i === chosen && option.scrollIntoView) option.scrollIntoView({ block: "nearest" });
    }
    if (chosen < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `hit-${chosen}`);
  }

  function show(results, message) {
    addresses = results.map((hit) => pageOf(hit.url));
    list.replaceChildren(
      ...results.map((hit, i) => {
        const trail = hit.heading_path.slice(0, -1).join(" › ");
        const option = el("li", { id: `hit-${i}`, role: "option", "aria-selected": "false" });
        option.append(
          el("span", { class: "place" }, trail ? `${hit.document_title || hit.document_path} › ${trail}` : hit.document_title || hit.document_path),
          el("span", { class: "heading" }, hit.heading),
        );
        if (hit.snippet) option.append(marked(hit.snippet));
        return option;
      }),
    );
    input.setAttribute("aria-expanded", String(results.length > 0));
    status.textContent = message;
    choose(results.length > 0 ? 0 : -1);
    settle();
  }

  /** The hits are those of what is typed: an Enter that came before them leads to the first. */
  function settle() {
    list.setAttribute("aria-busy", "false");
    const press = entered;
    entered = null;
    if (press !== null) follow(chosen, press.ctrlKey || press.metaKey);
  }

  async function ask() {
    clearTimeout(timer);
    const query = input.value.trim();
    if (query === asked) {
      if (running === null) settle();
      return;
    }
    asked = query;
    if (running !== null) running.abort();
    running = null;
    if (query === "") {
      show([], "");
      return;
    }
    const mine = new AbortController();
    running = mine;
    const address = new URL("api/search", server);
    address.search = new URLSearchParams({ q: query, limit: String(limit), ...(given.path ? { path: given.path } : {}) }).toString();
    try {
      const reply = await fetch(address, {
        mode: "cors", credentials: "omit", referrerPolicy: "no-referrer", signal: mine.signal,
        headers: given.token ? { authorization: `Bearer ${given.token}` } : {},
      });
      const found = await reply.json();
      if (mine.signal.aborted) return;
      if (!reply.ok) {
        asked = ""; // it may be asked again
        show([], refusal(reply.status, found.error));
      } else if (found.results.length === 0) show([], texts.none);
      else show(found.results, found.answered ? texts.hits(found.results.length) : texts.near);
    } catch {
      if (mine.signal.aborted) return;
      asked = "";
      show([], texts.failed);
    } finally {
      if (running === mine) running = null;
    }
  }

  function askSoon() {
    entered = null; // who types on does not mean what stood there
    list.setAttribute("aria-busy", "true");
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  }

  function open() {
    if (!dialog.open) dialog.showModal();
    input.focus();
    input.select();
  }

  function follow(i, isApart) {
    const address = addresses[i];
    if (!address) return;
    if (isApart) window.open(address, "_blank", "noopener");
    else {
      dialog.close();
      window.location.assign(address);
    }
  }

  opener.addEventListener("click", open);
  closer.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // beside the box
  });
  dialog.addEventListener("close", () => {
    clearTimeout(timer);
    entered = null;
    opener.focus();
  });
  // while an input method composes, neither its text nor its keys are ours
  input.addEventListener("input", (event) => {
    if (!event.isComposing) askSoon();
  });
  input.addEventListener("compositionend", askSoon);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    const last = list.children.length - 1;
    if (event.key === "Enter") {
      event.preventDefault();
      if (list.getAttribute("aria-busy") === "true") {
        entered = event;
        ask();
      } else follow(chosen, event.ctrlKey || event.metaKey);
    } else if (last >= 0 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      choose((chosen + step + last + 1) % (last + 1));
    }
  });
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays in the field
  list.addEventListener("click", (event) => {
    const option = event.target.closest("li");
    if (option !== null) follow(Array.from(list.children).indexOf(option), event.ctrlKey || event.metaKey);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    const target = event.composedPath()[0];
    const isTyping = target instanceof Element && (target.isContentEditable || target.closest("input, textarea, select") !== null);
    if (isTyping) return;
    event.preventDefault();
    open();
  });

  function place() {
    const target = given.target ? document.querySelector(given.target) : null;
    (target || document.body).append(host);
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", place);
  else place();
})();
