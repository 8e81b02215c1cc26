// The switch for the language of the page.

import { el } from "./dom.js";
import { writeFields } from "./fields.js";
import { speak, spoken, writeTexts } from "./texts.js";

const NAMES = { en: "English", ja: "日本語", ko: "한국어" };
const chooser = document.getElementById("page-language");

/** Write all texts that stand still, and fill the switch; `changed` is called when another language was chosen. */
export function onSpeech(changed) {
  chooser.replaceChildren(...Object.entries(NAMES).map(([code, name]) => el("option", { value: code, lang: code }, name)));
  chooser.value = spoken();
  const write = () => {
    writeTexts();
    writeFields();
  };
  chooser.addEventListener("change", () => {
    speak(chooser.value);
    write();
    changed();
  });
  write();
}
