// The dialog that asks for the token of a server that wants one.

import { keepToken } from "./api.js";

const at = (id) => document.getElementById(`page-token${id}`);

/** Ask; says so if a token was given already and is not the right one. */
export function askToken() {
  if (at("").open) at("-note").textContent = "The server does not take this token.";
  else at("").showModal();
  at("-field").focus();
}

/** After a token was given, `again` asks what was refused and says whether it is answered now. */
export function hearToken(again) {
  at("-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    keepToken(at("-field").value.trim());
    at("-field").value = "";
    if (await again()) at("").close();
  });
}
