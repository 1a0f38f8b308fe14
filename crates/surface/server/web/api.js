/** Requests to this server, and nowhere else. */

/** A request that the server refused. */
export class Refused extends Error {
  /** @param {number} status @param {any} error */
  constructor(status, error) {
    super(error?.message ?? `the server answered ${status}`);
    this.status = status;
    this.code = error?.code;
    this.hint = error?.details?.hint;
  }
}

/** A refusal in words: what happened, and what to do. @param {Error & {hint?: string}} error */
export function inWords({ message, hint }) {
  return hint ? `${message.replace(/\.$/, "")}. ${hint}` : message;
}

/**
 * Sends a request; the answer is JSON.
 * @param {string} path
 * @param {{method?: string, body?: any, query?: Record<string, any>, headers?: Record<string, string>, signal?: AbortSignal}} [options]
 */
export async function ask(path, options = {}) {
  const response = await send(path, options);
  if (response.status === 204) return null;
  const answer = await response.json();
  if (answer?.ok === false && answer.error) throw new Refused(response.status, answer.error);
  return answer;
}

/** Sends a request; the answer is the response itself, if it is good. */
export async function send(path, { method, body, query, headers = {}, signal } = {}) {
  const url = query ? `${path}?${new URLSearchParams(query)}` : path;
  const init = { method: method ?? (body === undefined ? "GET" : "POST"), headers: { ...headers }, signal };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers["Content-Type"] = "application/json";
  }
  const response = await fetch(url, { ...init, cache: "no-store", credentials: "same-origin" });
  if (response.ok || response.status === 304) return response;
  const answer = await response.json().catch(() => null);
  throw new Refused(response.status, answer?.error);
}

/** Shows the server a token; from then on a cookie does. @param {string} token */
export async function signIn(token) {
  await send("/session", { body: { token } });
}

/** The token in the address, which is removed from there at once. @returns {string | null} */
export function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) history.replaceState(null, "", location.pathname + location.search);
  return token;
}
