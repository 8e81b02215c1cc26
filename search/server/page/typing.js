// Typing in the search field: when to ask.

/** While an answer is awaited, the page asks after a pause in typing of this length (ms): at least, and at most. */
const LEAST_PAUSE = 50;
const MOST_PAUSE = 200;
/** The pause is this part of the time that the last answer took. */
const PART = 1 / 4;

let pause = 0;
let isComposing = false;
let wait = LEAST_PAUSE;
/** Whether the last answer came so soon that a question for each key is no burden; not known before the first one. */
let isFast = false;
/** The promise of the answer that is awaited, or null. */
let awaited = null;

/** Note how long the last answer took (ms): a slow server is asked less often. */
export function noteAnswerTime(took) {
  wait = Math.min(MOST_PAUSE, Math.max(LEAST_PAUSE, took * PART));
  isFast = took * PART <= LEAST_PAUSE;
}

/** Whether something was typed that is asked for only after a pause. */
export const isPausing = () => pause !== 0;

/** Ask nothing more for what was typed so far. */
export function stopWaiting() {
  clearTimeout(pause);
  pause = 0;
}

/** Whether an input method is composing a text, so that what is in the field is not meant yet. */
export const isUnfinished = () => isComposing;

/**
 * Call `search` for what is typed, never while a text is composed; it returns the promise of its answer. It is called at once
 * if the field was emptied, or if the server is fast and no answer is awaited, else after a pause in typing.
 */
export function onTyping(field, search) {
  const askNow = async () => {
    stopWaiting();
    const own = (awaited = search());
    await own;
    if (awaited !== own) return;
    awaited = null;
    if (pause && isFast) askNow();
  };
  const askSoon = () => {
    stopWaiting();
    if (isFast && !awaited) askNow();
    else pause = setTimeout(askNow, field.value.trim() ? wait : 0);
  };
  field.addEventListener("input", (event) => {
    if (!event.isComposing && !isComposing) askSoon();
  });
  field.addEventListener("compositionstart", () => {
    isComposing = true;
    stopWaiting();
  });
  field.addEventListener("compositionend", () => {
    isComposing = false;
    askSoon();
  });
}
