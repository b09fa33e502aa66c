// The GitHub Action: inputs in, `kodiai review`, a report and outputs out. Plain JavaScript, run by the runner's own Node.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, constants, existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

// Node would end with 1, which means findings.
process.on("uncaughtException", (error) => process.exit(complain(`Kodiai could not review: ${error.message}`, 3)));

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const workspace = realpathSync(process.env.GITHUB_WORKSPACE ?? ".");
const ENDINGS = { sarif: "sarif", json: "json", md: "md", pretty: "txt" };
const MOST_SUMMARY = 1_000_000;
const MOST_OUTPUT = 256 * 1024 * 1024;

process.exitCode = main();

function main() {
  const format = input("format") || "sarif";
  const ending = Object.hasOwn(ENDINGS, format) ? ENDINGS[format] : null;
  if (ending === null) return complain(`format is sarif, json, md or pretty, not ${JSON.stringify(format)}`);
  const wanted = input("output") || `kodiai.${ending}`;
  const [reports, folder] = [inWorkspace(dirname(wanted)), inWorkspace(input("working-directory") || ".")];
  if (reports === null || folder === null)
    return complain("output and working-directory lie in the workspace, in folders that exist");
  const output = join(reports, basename(wanted));
  // Said by the name that the workflow gave: what a link of the checkout leads to may be named anything.
  const report = relative(workspace, resolve(workspace, wanted));
  const [base, head] = [input("base"), input("head") || "HEAD"];
  if (base === "" || /^0+$/.test(base))
    return complain("there is no base to compare with: a new branch was pushed. Name one: with: { base: origin/main }");
  if (!installed()) return complain("Kodiai's packages could not be installed: see above", 3);
  fetchHistory(folder, [base, head]);

  const wished = [
    ["fail-on", input("fail-on")],
    ["config", input("config") === "" ? "" : resolve(folder, input("config"))],
    ["model", input("model")],
  ].flatMap(([name, value]) => (value === "" ? [] : [`--${name}=${value}`]));
  const sarif = input("sarif")
    .split(/\r?\n/)
    .flatMap((path) => (path.trim() === "" ? [] : [`--sarif=${resolve(workspace, path.trim())}`]));
  const trust = isFromFork() ? ["--from-outsider"] : [];
  const words = [
    "review",
    `--base=${base}`,
    `--head=${head}`,
    `--repo=${folder}`,
    `--format=${format}`,
    ...trust,
    ...wished,
    ...sarif,
  ];
  const { code, out } = run(words);
  // Whatever ends so for another reason than a review prints no report; with 2 a SARIF file may be wrong, and the rest is reviewed.
  const findings = code === 0 || code === 1 || (code === 2 && sarif.length > 0) ? count(format, out) : undefined;
  if (findings === undefined) return end(code === 2 ? 2 : 3, null, null);
  const problem = write(output, out);
  if (problem !== null) return complain(`${report} could not be written: ${problem}`);
  if (format === "pretty") quote(out);
  if (format === "md") append("GITHUB_STEP_SUMMARY", out.slice(0, MOST_SUMMARY));
  return end(code, report, findings);
}

function input(name) {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}

/** The real folder: the checkout may hold symbolic links. Null where it is not there, or not in the workspace. */
function inWorkspace(path) {
  const found = resolve(workspace, path);
  const real = existsSync(found) ? realpathSync(found) : null;
  const way = real === null ? ".." : relative(workspace, real);
  return way.startsWith("..") || isAbsolute(way) ? null : real;
}

/** Through no link in the report's place (Windows has no such flag). Returns why not, or null. */
function write(file, text) {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;
  try {
    writeFileSync(file, text, { flag: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW });
    return null;
  } catch (error) {
    return error.code ?? String(error);
  }
}

/** The action is a clone without packages until it first runs. No install script of any package runs. */
function installed() {
  if (existsSync(join(root, "node_modules"))) return true;
  const isWindows = process.platform === "win32";
  const words = ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
  return (
    spawnSync(isWindows ? "npm.cmd" : "npm", words, { cwd: root, stdio: "inherit", shell: isWindows }).status === 0
  );
}

/** Branches of the repository itself are written by people who may write to it. */
function isFromFork() {
  const path = process.env.GITHUB_EVENT_PATH;
  const event = path ? JSON.parse(readFileSync(path, "utf8")) : {};
  return event.pull_request !== undefined && event.pull_request.head?.repo?.full_name !== event.repository?.full_name;
}

/** A checkout of the default depth lacks the commit where the change left its base. If this fails, the review says what to do. */
function fetchHistory(folder, revisions) {
  const git = (...words) => {
    const options = { cwd: folder, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" };
    return spawnSync("git", ["-c", "core.hooksPath=/dev/null", ...words], options);
  };
  if (git("rev-parse", "--is-shallow-repository").stdout?.trim() !== "true") return;
  console.log("The checkout is shallow; its history is fetched, to find where the change left its base");
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"];
  git(...fetch, "--unshallow", "origin", "+refs/heads/*:refs/remotes/origin/*");
  for (const sha of revisions) {
    const isMissing = /^[0-9a-f]{40,64}$/.test(sha) && git("cat-file", "-e", `${sha}^{commit}`).status !== 0;
    if (isMissing) git(...fetch, "origin", sha);
  }
}

function run(words) {
  const home = process.env.RUNNER_TEMP ?? tmpdir();
  const env = { KODIAI_DATA_DIR: join(home, "kodiai"), ...process.env };
  // The runner's Node may be too old for the source; launch.mjs says so.
  const main = [join(root, "scripts/launch.mjs"), join(root, "src/cli/main.ts")];
  const done = spawnSync(process.execPath, [...main, ...words], { env, maxBuffer: MOST_OUTPUT, encoding: "utf8" });
  // What was said of the change may quote it: no line of it is a command to the runner.
  if (done.stderr) quote(done.stderr);
  return { code: done.status, out: done.stdout ?? "" };
}

/** Prints text of others so that the runner takes no line of it for a command. */
function quote(text) {
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n${text}${text.endsWith("\n") ? "" : "\n"}::${token}::\n`);
}

/** How many findings a report has; null where its format does not tell. Undefined for what is no report. */
function count(format, out) {
  if (format === "md" || format === "pretty") return out.trim() === "" ? undefined : null;
  try {
    const report = JSON.parse(out);
    if (format === "json") return report.findings.length;
    const results = report.runs.flatMap((one) => one.results);
    return results.filter(({ suppressions = [] }) => suppressions.length === 0).length;
  } catch {
    return undefined;
  }
}

function end(code, report, findings) {
  const lines = [
    ["exit-code", code],
    ["report", report ?? ""],
    ["findings", findings ?? ""],
  ].map(([name, value]) => `${name}=${value}\n`);
  append("GITHUB_OUTPUT", lines.join(""));
  if (code === 1) console.log("::error::Kodiai found something at or above fail-on; the report has it");
  if (code > 1) console.log("::error::Kodiai could not review; the lines above say why");
  return code;
}

function append(name, text) {
  const file = process.env[name];
  if (file) appendFileSync(file, text);
}

function complain(text, code = 2) {
  console.log(`::error::${text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}`);
  return end(code, null, null);
}
