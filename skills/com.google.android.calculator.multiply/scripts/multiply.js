// Multiplies two whole numbers on the calculator: one click per digit, then the
// result is read and compared. Prints a result frame.
"use strict";

const { execFileSync } = require("node:child_process");

const APP = "com.google.android.calculator";
const SKILL = process.env.CLAWPERATOR_SKILL_ID;
const device = process.argv[2];

function wholeNumber(inputs, name) {
  const value = Number(inputs[name]);
  if (!Number.isInteger(value) || value < 0 || value > 999999) {
    throw new Error(`the input ${name} must be a whole number from 0 to 999999`);
  }
  return value;
}

function press(id, at) {
  return { id: `press-${at}-${id}`, type: "click", params: { matcher: { resourceId: `${APP}:id/${id}` } } };
}

function execution(a, b) {
  const digits = (number) => [...String(number)].map((digit) => `digit_${digit}`);
  const keys = [...digits(a), "op_mul", ...digits(b), "eq"];
  return {
    commandId: `multiply-${process.pid}`,
    taskId: "multiply",
    source: SKILL,
    expectedFormat: "android-ui-automator",
    timeoutMs: 90000,
    actions: [
      { id: "close", type: "close_app", params: { applicationId: APP } },
      { id: "open", type: "open_app", params: { applicationId: APP } },
      ...keys.map(press),
      {
        id: "read",
        type: "read_text",
        params: {
          matcher: { resourceId: `${APP}:id/result_final` },
          retry: { maxAttempts: 5, initialDelayMs: 500, maxDelayMs: 2000 },
        },
      },
    ],
  };
}

function run(payload) {
  const words = ["exec", JSON.stringify(payload), "--device", device];
  try {
    return JSON.parse(execFileSync(process.env.CLAWPERATOR_BIN, words, { encoding: "utf8" }));
  } catch (error) {
    // A failed execution is an answer, too.
    return JSON.parse(error.stdout);
  }
}

function main() {
  const inputs = JSON.parse(process.env.CLAWPERATOR_SKILL_INPUTS || "{}");
  const a = wholeNumber(inputs, "a");
  const b = wholeNumber(inputs, "b");
  const answer = run(execution(a, b));
  const steps = answer.envelope ? answer.envelope.stepResults : [];
  const read = steps.find((step) => step.id === "read" && step.success);
  const verified = read !== undefined && Number(read.data.text) === a * b;
  const frame = {
    contractVersion: "1.0.0",
    skillId: SKILL,
    goal: { text: "Multiply two numbers on the calculator" },
    inputs: { a, b },
    status: verified ? "success" : "failed",
    checkpoints: [
      { id: "calculated", status: read ? "ok" : "failed" },
      { id: "compared", status: verified ? "ok" : read ? "failed" : "skipped" },
    ],
    terminalVerification: { status: verified ? "verified" : read ? "failed" : "not_run" },
    outputs: verified ? { product: a * b } : {},
  };
  console.log("[Clawperator-Skill-Result]");
  console.log(JSON.stringify(frame));
}

main();
