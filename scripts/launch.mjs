// Runs a JavaScript or TypeScript program on a Node that can strip types: the running one when it
// is new enough, else the project's own platform binary. Plain JavaScript, because the Node that
// starts it may be as old as 18 (npm 10.8 on Node 20 does not link a local package's binary into
// .bin).
//
//   node scripts/launch.mjs [FLAG ...] PROGRAM [ARG ...]
//
// Ends as the program does; with 3 where there is no Node for it, or it ended without a code.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

// Node would end with 1, which means findings; such as for a program that cannot be started.
process.on("uncaughtException", ({ message }) => {
  console.error(`kodiai does not start: ${message}`);
  process.exit(3);
});

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

function platformBinary() {
  const exe = process.platform === "win32" ? "node.exe" : "node";
  for (const name of [`node-${process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`]) {
    for (const base of [join(root, "node_modules"), join(root, "test/node24/node_modules")]) {
      const path = join(base, name, "bin", exe);
      if (existsSync(path)) return path;
    }
  }
  return null;
}

const binary = isNewEnough(process.versions.node) ? process.execPath : platformBinary();
if (binary === null) {
  console.error(
    `kodiai needs Node 22.18 or newer; this is ${process.versions.node} and no Node came with the project. ` +
      "Run `npm ci` without --omit=dev or --omit=optional, or install Node 24.",
  );
  process.exit(3);
}

const env = {
  ...process.env,
  // Children of the program that say `node` get the same one.
  PATH: `${dirname(binary)}${delimiter}${process.env.PATH ?? ""}`,
  // Each process and thread would strip the types of every file again: a quarter of the tests'
  // time. Not in the machine's common folder for temporary files, where others could put code for
  // us to run.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, "node_modules/.cache/compile"),
};
const words = process.argv.slice(2);
const program = words.findIndex((word) => !word.startsWith("-"));
if (program >= 0) {
  words[program] = resolve(root, words[program]);
  // Node would end with 1.
  if (!existsSync(words[program])) throw new Error(`there is no ${words[program]}`);
}
// npm changes into the project's folder; the paths that a user names are seen from where npm was
// started.
const { INIT_CWD, npm_lifecycle_event: script, npm_package_json: manifest } = process.env;
const cwd = script === "kodiai" && manifest === join(root, "package.json") ? INIT_CWD : undefined;
const child = spawn(binary, words, { stdio: "inherit", env, cwd });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
if (script !== undefined) {
  // npm starts this by a shell, which dies of npm's SIGTERM and passes it to nobody.
  const shell = process.ppid;
  setInterval(() => process.ppid === shell || child.kill("SIGTERM"), 200).unref();
}
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 3;
  if (signal === null) process.exit();
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
