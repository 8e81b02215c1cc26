// Requests to the server that the page came from, and to no other.

import { t } from "./texts.js";

const TOKEN = "sectionary.token";

/**
 * Why there is no answer. `kind` is the server's word or "unreachable", `code` says more closely why, `retryAfter` is in
 * seconds or null. The message is the server's, in English, or one of the page's own (`isOwn`).
 */
export class Refusal extends Error {
  constructor(kind, message, { code = kind, status = 0, retryAfter = null, isOwn = false } = {}) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    this.isOwn = isOwn;
  }
}

let tokenOfPage = "";

/** Keep the token for this tab, or for this page if the browser does not allow that. */
export function keepToken(token) {
  tokenOfPage = token;
  try {
    sessionStorage.setItem(TOKEN, token);
  } catch {
    // storage is blocked
  }
}

function currentToken() {
  try {
    return sessionStorage.getItem(TOKEN) ?? tokenOfPage;
  } catch {
    return tokenOfPage;
  }
}

/**
 * The answer to GET `/api/{path}`. Parameters that are null, empty or false are left out; a list becomes several parameters.
 * Throws a `Refusal`, or an `AbortError` once `signal` is aborted.
 */
export async function ask(path, parameters = {}, signal = undefined) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "" && one !== false) query.append(name, String(one));
    }
  }
  const token = currentToken();
  const headers = token ? { accept: "application/json", authorization: `Bearer ${token}` } : { accept: "application/json" };
  const address = `/api/${path}${query.size ? `?${query}` : ""}`;
  let response;
  try {
    response = await fetch(address, { headers, signal, credentials: "omit", redirect: "error", cache: "no-store" });
    if (response.ok) {
      const answer = await response.json();
      signal?.throwIfAborted(); // what comes late is for nobody
      return answer;
    }
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("unreachable", t("refused.unreachable-text"), { isOwn: true });
  }
  let error = null;
  try {
    ({ error } = await response.json());
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
  }
  const seconds = Number.parseFloat(response.headers.get("retry-after") ?? "");
  signal?.throwIfAborted();
  throw new Refusal(error?.kind ?? "fault", error?.message ?? t("refused.status-text", { status: response.status }), {
    code: error?.code ?? error?.kind,
    status: response.status,
    isOwn: !error?.message,
    retryAfter: Number.isFinite(seconds) ? seconds : null,
  });
}
