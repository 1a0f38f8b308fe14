/** The page: signs in, then shows the phones. */

import { ask, signIn, takeToken } from "./api.js";
import { byId, h, say } from "./dom.js";
import { showDevices } from "./devices.js";
import { showElements } from "./elements.js";
import { showHistory } from "./history.js";
import { showPool } from "./pool.js";
import { showRecorder } from "./recorder.js";
import { showRequests } from "./requests.js";
import { showRuns } from "./runs.js";
import { showScreen } from "./screen.js";
import { showActions, showTyping } from "./typing.js";

async function begin() {
  const token = takeToken();
  let server;
  try {
    if (token) await signIn(token);
    server = await ask("/ready");
  } catch (error) {
    if (error.status === 401) return askForToken(token ? "That token is not the server's." : "");
    return say(`The server does not answer: ${error.message}`, true);
  }
  showRequests();
  showTyping();
  showActions().catch((error) => say(error.message, true));
  showScreen();
  showElements();
  showRuns();
  showRecorder();
  showHistory();
  if (server.pool) showPool();
  await showDevices();
}

/** @param {string} why */
function askForToken(why) {
  const token = h("input", { id: "token", type: "password", autocomplete: "off", required: true });
  const submit = async (event) => {
    event.preventDefault();
    try {
      await signIn(token.value.trim());
      byId("start").replaceChildren();
      byId("start").hidden = true;
      say("");
      await begin();
    } catch (error) {
      say(error.status === 401 ? "That token is not the server's." : error.message, true);
    }
  };
  const start = byId("start");
  start.hidden = false;
  start.replaceChildren(
    h("h2", {}, "Sign in"),
    h("p", {}, "Open the link that clawperator serve printed, or write its token here."),
    h(
      "form",
      { className: "row", on: { submit } },
      h("label", { htmlFor: "token", className: "grow" }, "Token", token),
      h("button", { type: "submit", className: "primary" }, "Sign in"),
    ),
  );
  say(why, true);
  token.focus();
}

begin();
