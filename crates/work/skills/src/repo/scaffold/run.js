#!/usr/bin/env node
// The script of the skill @SKILL_ID@.
//
// clawperator skills run @SKILL_ID@ --device SERIAL -- ARGUMENTS
//
// clawperator passes the phone's serial as the first argument if one was named,
// then ARGUMENTS, and sets CLAWPERATOR_BIN to itself.

const { spawnSync } = require("node:child_process");

const SKILL_ID = "@SKILL_ID@";
const APPLICATION_ID = "@APPLICATION_ID@";
// A path with spaces comes in quotes.
const clawperator = (process.env.CLAWPERATOR_BIN || "clawperator").replace(/^"(.*)"$/, "$1");
const device = process.env.CLAWPERATOR_DEVICE_ID;

/** Runs actions on the phone and returns the envelope. */
function execute(actions) {
  const id = `${SKILL_ID}-${Date.now()}`;
  const execution = {
    commandId: id,
    taskId: id,
    source: SKILL_ID,
    expectedFormat: "android-ui-automator",
    timeoutMs: 30000,
    actions,
  };
  const args = ["exec", JSON.stringify(execution), "--json"];
  if (device) args.push("--device", device);
  const run = spawnSync(clawperator, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (run.error) throw run.error;
  const answer = JSON.parse(run.stdout);
  if (!answer.envelope) throw new Error(`${answer.code}: ${answer.message}`);
  return answer.envelope;
}

/** Prints the result. It must be the last thing that is printed. */
function finish(status, checkpoints, verified) {
  const result = {
    contractVersion: "1.0.0",
    skillId: SKILL_ID,
    goal: null,
    inputs: {},
    status,
    checkpoints,
    terminalVerification: { status: verified },
  };
  console.log("[Clawperator-Skill-Result]");
  console.log(JSON.stringify(result));
  process.exitCode = status === "success" ? 0 : 1;
}

try {
  // Replace these actions with those of the skill.
  const envelope = execute([
    { id: "open", type: "open_app", params: { applicationId: APPLICATION_ID } },
    { id: "look", type: "snapshot_ui" },
  ]);
  const checkpoints = envelope.stepResults.map((step) => ({
    id: step.id,
    status: step.success ? "ok" : "failed",
  }));
  const done = envelope.status === "success";
  finish(done ? "success" : "failed", checkpoints, done ? "verified" : "failed");
} catch (error) {
  console.error(String(error.message || error));
  finish("failed", [], "not_run");
}
