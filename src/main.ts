// The server: reads the environment once, refuses what is wrong, starts the app. `npm start`, and the container's command.
// What the app is made of is loaded last, so that a refusal is told at once and a signal finds somebody who heeds it.
import { flushCompileCache } from "node:module";
import { loadDotEnv } from "./server/dot-env.ts";
import { heedSignals } from "./server/heed-signals.ts";
import { keepCompiled } from "./server/keep-compiled.ts";

// What the server writes is for its user alone.
process.umask(0o077);
keepCompiled();
const signals = heedSignals();
const given = new Set(Object.keys(process.env));
const split = loadDotEnv(".env");

const { readEnv } = await import("./config/env.ts");
const { shownVariables } = await import("./config/shown-variables.ts");
const { readPrivateKey } = await import("./server/private-key.ts");
const read = readEnv(process.env);
const key = "env" in read ? readPrivateKey(read.env) : { problem: null };
if (split.length > 0) refuse(split);
else if ("problems" in read) refuse(read.problems);
else if ("problem" in key) refuse(key.problem === null ? [] : [key.problem]);
else {
  const { serve } = await import("./server/serve.ts");
  await serve(read.env, key.pem, signals, refuse, shownVariables(process.env, given));
  // Not only at a clean end: who is killed starts again soon, and what was compiled halves the work of that.
  flushCompileCache();
}

/** One line for each problem. Exit code 2 unless it may pass: a process that is started again would find the same. */
function refuse(problems: readonly string[], mayPass = false): void {
  const last = mayPass ? "This may pass: start it again." : "See .env.example.";
  console.error(["Kodiai does not start:", ...problems.map((problem) => `  - ${problem}`), last].join("\n"));
  process.exitCode = mayPass ? 1 : 2;
}
