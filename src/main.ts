// The server: reads the environment, rejects invalid settings, starts the app (`npm start`).
// The app's modules load last: errors are printed at once, and signals handled from the beginning.
import { flushCompileCache } from "node:module";
import { guardExit } from "./server/guard-exit.ts";
import { handleSignals } from "./server/handle-signals.ts";
import { keepCompiled } from "./server/keep-compiled.ts";

guardExit();
// Only the server's user may read the files that it writes.
process.umask(0o077);
keepCompiled();
const signals = handleSignals();
const { loadDotEnv } = await import("./environment/dot-env.ts");
const split = loadDotEnv(".env");

const { readEnv } = await import("./config/environment/env.ts");
const { readPrivateKey } = await import("./environment/private-key.ts");
const read = readEnv(process.env);
const key = "env" in read ? readPrivateKey(read.env) : { problem: null };
if (split.length > 0) refuse(split);
else if ("problems" in read) refuse(read.problems);
else if ("problem" in key) refuse(key.problem === null ? [] : [key.problem]);
else {
  const { serve } = await import("./server/serve.ts");
  await serve(read.env, key.pem, signals, refuse, process.argv.includes("--in-process"));
  // Not only at a clean exit: a killed process restarts soon, and compiled code halves that work.
  flushCompileCache();
}

/** Prints one line for each problem. Exit code 3 when a restart may help, otherwise 2. */
function refuse(problems: readonly string[], mayPass = false): void {
  const help = process.env.APP_ID
    ? "See .env.example."
    : "`kodiai setup` creates the App and sets these (in a clone: npm run -s kodiai -- setup). All are in .env.example.";
  const last = mayPass ? "This may pass: start it again." : help;
  console.error(["Kodiai does not start:", ...problems.map((problem) => `  - ${problem}`), last].join("\n"));
  process.exitCode = mayPass ? 3 : 2;
}
