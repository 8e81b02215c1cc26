// Typing in the search field: when to ask.

/** The page asks after a pause in typing of this length (ms): at least, and at most where answers take long. */
const LEAST_PAUSE = 50;
const MOST_PAUSE = 200;
/** The pause is this part of the time that the last answer took. */
const PART = 1 / 4;

let pause = 0;
let isComposing = false;
let wait = LEAST_PAUSE;

/** Note how long the last answer took (ms): a slow server is asked less often. */
export function noteAnswerTime(took) {
  wait = Math.min(MOST_PAUSE, Math.max(LEAST_PAUSE, took * PART));
}

/** Ask nothing more for what was typed so far. */
export const stopWaiting = () => clearTimeout(pause);

/** Whether an input method is composing a text, so that what is in the field is not meant yet. */
export const isUnfinished = () => isComposing;

/** Call `search` after a pause in typing, at once if the field was emptied, and never while a text is composed. */
export function onTyping(field, search) {
  const askSoon = () => {
    clearTimeout(pause);
    pause = setTimeout(search, field.value.trim() ? wait : 0);
  };
  field.addEventListener("input", (event) => {
    if (!event.isComposing && !isComposing) askSoon();
  });
  field.addEventListener("compositionstart", () => {
    isComposing = true;
    clearTimeout(pause);
  });
  field.addEventListener("compositionend", () => {
    isComposing = false;
    askSoon();
  });
}
