// The dialog that asks for the token of a server that wants one.

import { keepToken } from "./api.js";
import { t } from "./texts.js";

const byId = (id) => document.getElementById(`page-token${id}`);

/** Ask for the token; if the dialog is open already, the token that was given is wrong. */
export function askToken() {
  if (byId("").open) byId("-note").textContent = t("token.wrong");
  else byId("").showModal();
  byId("-field").focus();
}

/** Call `retry` after a token was given; the dialog closes if it results in true, since the server took the token. */
export function onToken(retry) {
  byId("-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    keepToken(byId("-field").value.trim());
    byId("-field").value = "";
    if (await retry()) byId("").close();
  });
}
