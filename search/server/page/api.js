// Questions to the server that the page came from, and to no other.

const TOKEN = "sectionary.token";

/** Why there is no answer: `kind` as the server says, or "unreachable"; `retryAfter` in seconds or null. */
export class Refusal extends Error {
  constructor(kind, message, { status = 0, retryAfter = null } = {}) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

let kept = "";

/** Keep the token for this tab, or for this page where the browser lets it keep nothing. */
export function keepToken(token) {
  kept = token;
  try {
    sessionStorage.setItem(TOKEN, token);
  } catch {
    // storage is blocked
  }
}

function keptToken() {
  try {
    return sessionStorage.getItem(TOKEN) ?? kept;
  } catch {
    return kept;
  }
}

/** The answer to GET `/api/{path}`; parameters that are null, empty or false are left out, lists are repeated. */
export async function ask(path, parameters = {}, signal = undefined) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "" && one !== false) query.append(name, String(one));
    }
  }
  const token = keptToken();
  const headers = token ? { accept: "application/json", authorization: `Bearer ${token}` } : { accept: "application/json" };
  const address = `/api/${path}${query.size ? `?${query}` : ""}`;
  let response;
  try {
    response = await fetch(address, { headers, signal, credentials: "omit", redirect: "error", cache: "no-store" });
    if (response.ok) return await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("unreachable", "The server does not answer. Is it still running?");
  }
  let told = null;
  try {
    told = (await response.json()).error;
  } catch (error) {
    if (error.name === "AbortError") throw error;
  }
  const seconds = Number.parseFloat(response.headers.get("retry-after") ?? "");
  throw new Refusal(told?.kind ?? "fault", told?.message ?? `The server answers with the status ${response.status}.`, {
    status: response.status,
    retryAfter: Number.isFinite(seconds) ? seconds : null,
  });
}
