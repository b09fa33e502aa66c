// The GitHub Action: inputs in, `kodiai review`, a report and outputs out. Plain JavaScript, run by
// the machine's Node.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
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
  // Said by the name that the workflow gave: what a link of the checkout leads to may be named
  // anything.
  const report = relative(workspace, resolve(workspace, wanted));
  const [base, head] = [input("base"), input("head") || "HEAD"];
  const comment = input("comment") || "false";
  if (comment !== "true" && comment !== "false") return complain("comment is true or false");
  const event = readEvent();
  const pull = comment === "true" ? (event.pull_request?.html_url ?? null) : null;
  if (comment === "true" && pull === null) console.log("There is no pull request to comment on");
  if (pull === null && (base === "" || /^0+$/.test(base)))
    return complain("there is no base to compare with: a new branch was pushed. Name one: with: { base: origin/main }");
  if (!installed()) return complain("Kodiai's packages could not be installed: see above", 3);
  if (pull === null) fetchHistory(folder, [base, head]);

  const wished = [
    ["fail-on", input("fail-on")],
    ["config", input("config") === "" ? "" : resolve(folder, input("config"))],
    ["model", input("model")],
  ].flatMap(([name, value]) => (value === "" ? [] : [`--${name}=${value}`]));
  const sarif = input("sarif")
    .split(/\r?\n/)
    .flatMap((path) => (path.trim() === "" ? [] : [`--sarif=${resolve(workspace, path.trim())}`]));
  const trust = isFromFork(event) ? ["--from-outsider"] : [];
  const change = pull === null ? [`--base=${base}`, `--head=${head}`] : ["--comment", pull];
  const words = ["review", ...change, `--repo=${folder}`, `--format=${format}`, ...trust, ...wished, ...sarif];
  const { code, out, outcome } = run(words, pull === null ? {} : { GITHUB_TOKEN: input("token") });
  // A run that ends before it has a review has no outcome. With 2 a SARIF file is wrong, with 3 a
  // model did not answer: the rest is reviewed.
  if (outcome === null || code === null) return end(code === 2 ? 2 : 3, null);
  // Without a review there is no report: the configuration, or the draft, left the pull request
  // out.
  const problem = out === "" ? null : write(output, out);
  if (problem !== null) return complain(`${report} could not be written: ${problem}`);
  if (format === "pretty") quote(out);
  if (outcome.posted === null) {
    annotate(outcome.findings);
    append("GITHUB_STEP_SUMMARY", outcome.markdown.slice(0, MOST_SUMMARY));
  }
  return end(code, out === "" ? null : report, outcome);
}

function input(name) {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}

/**
 * The real folder: the checkout may hold symbolic links. Null where it is not there, or not in the
 * workspace.
 */
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

/**
 * The action is a clone without packages until it first runs. No install script of any package
 * runs.
 */
function installed() {
  if (existsSync(join(root, "node_modules"))) return true;
  const isWindows = process.platform === "win32";
  const words = ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
  return (
    spawnSync(isWindows ? "npm.cmd" : "npm", words, { cwd: root, stdio: "inherit", shell: isWindows }).status === 0
  );
}

function readEvent() {
  const path = process.env.GITHUB_EVENT_PATH;
  return path ? JSON.parse(readFileSync(path, "utf8")) : {};
}

/** Branches of the repository itself are written by people who may write to it. */
function isFromFork(event) {
  return event.pull_request !== undefined && event.pull_request.head?.repo?.full_name !== event.repository?.full_name;
}

/**
 * A checkout of the default depth lacks the commit where the change left its base. If this fails,
 * the review says what to do.
 */
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

/** `outcome` as `kodiai review --outcome` writes it; null where there is none. */
function run(words, more) {
  const home = process.env.RUNNER_TEMP ?? tmpdir();
  const env = { KODIAI_DATA_DIR: join(home, "kodiai"), ...process.env, ...more };
  const folder = mkdtempSync(join(home, "kodiai-outcome-"));
  const file = join(folder, "outcome.json");
  // The runner's Node may be too old for the source; launch.mjs says so.
  const main = [join(root, "scripts/launch.mjs"), join(root, "src/cli/main.ts")];
  const done = spawnSync(process.execPath, [...main, ...words, `--outcome=${file}`], {
    env,
    maxBuffer: MOST_OUTPUT,
    encoding: "utf8",
  });
  // What was said of the change may quote it: no line of it is a command to the runner.
  if (done.stderr) quote(done.stderr);
  const outcome = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
  rmSync(folder, { recursive: true });
  return { code: done.status, out: done.stdout ?? "", outcome };
}

/** GitHub shows ten errors and ten warnings of a step: the rest is in the job's summary. */
function annotate(findings) {
  for (const { path, side, startLine, line, severity, title, body } of findings) {
    const kind = severity === "critical" || severity === "major" ? "error" : "warning";
    const lines = side === "RIGHT" ? { line: startLine, endLine: line } : {};
    const properties = Object.entries({ file: path, ...lines, title }).map(
      ([name, value]) => `${name}=${property(value)}`,
    );
    console.log(`::${kind} ${properties.join(",")}::${data(body)}`);
  }
}

/** As GitHub's toolkit escapes the text of a workflow command. */
function data(text) {
  return String(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text) {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** Prints text of others so that the runner takes no line of it for a command. */
function quote(text) {
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n${text}${text.endsWith("\n") ? "" : "\n"}::${token}::\n`);
}

/** @param outcome null when nothing was reviewed */
function end(code, report, outcome = null) {
  const findings = outcome?.findings.length;
  const posted = outcome?.posted ?? undefined;
  const lines = [
    ["exit-code", code],
    ["report", report ?? ""],
    ["findings", findings ?? ""],
    ["posted", posted],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}\n`]));
  append("GITHUB_OUTPUT", lines.join(""));
  if (code === 1) console.log("::error::Kodiai found something at or above fail-on; the report has it");
  if (code > 1)
    console.log(`::error::Kodiai could not review${outcome === null ? "" : " all of it"}; the lines above say why`);
  return code;
}

function append(name, text) {
  const file = process.env[name];
  if (file) appendFileSync(file, text);
}

function complain(text, code = 2) {
  console.log(`::error::${data(text)}`);
  return end(code, null);
}
