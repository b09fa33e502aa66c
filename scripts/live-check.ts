// Tests on the real GitHub what Kodiai relies on, with an installed App, and prints GitHub's
// answers (docs/operating.md).
//
//   npm run -s live-check -- OWNER/NAME
//
//   --data-dir DIR          the server's folder, with its .env
//   --token-file FILE       a token to open the pull request with, else GITHUB_TOKEN
//   --outside-login yes|no  whether an outside collaborator could log in to the dashboard
//   --yes                   asks no questions
//   --force                 uses a repository that is in use
//   --json                  prints the report as JSON
//
// Exit 0 when every tested promise holds; 2 for wrong usage; 3 when a promise does not hold, or the
// run was cut short or left something behind.

import manifest from "../package.json" with { type: "json" };
import { type Asker, askerFor } from "../src/cli/asker.ts";
import { terminalText } from "../src/cli/terminal-text.ts";
import { fileText, oneOf, printJson, readWords } from "../src/cli/usage.ts";
import { readEnv } from "../src/config/environment/env.ts";
import { UsageError } from "../src/config/usage-error.ts";
import { counted } from "../src/domain/text/counted.ts";
import { privateKeyOf } from "../src/environment/private-key.ts";
import { readServersEnv } from "../src/environment/server-folder.ts";
import { githubFetch } from "../src/wire/egress.ts";
import { registerSecrets, withoutSecrets } from "../src/wire/secrets.ts";
import { liveGitHub } from "./live-check/live-run.ts";
import type { LiveLook, LiveReport, LiveResult } from "./live-check/report.ts";
import { markdownTable } from "./markdown-table.ts";

const FLAG = { type: "boolean" } as const;
const WORD = { type: "string" } as const;
const OPTIONS = {
  ...{ "data-dir": WORD, "token-file": WORD, "outside-login": WORD },
  ...{ yes: FLAG, force: FLAG, json: FLAG },
} as const;
type Values = ReturnType<typeof readWords<typeof OPTIONS>>["values"];

/** A repository with more files than this was not created for a test. */
const NEARLY_EMPTY = 20;

async function liveCheck(words: readonly string[]): Promise<number> {
  const { values, positionals } = readWords(words, OPTIONS, 1);
  const [word = ""] = positionals;
  const [, owner = "", name = ""] = /^([\w.-]+)\/([\w.-]+)$/.exec(word) ?? [];
  if (owner === "") throw new UsageError(`give OWNER/NAME, not ${JSON.stringify(word)}`);
  const github = openGitHub(owner, name, values);
  await mustAgree(word, await github.look(), values, askerFor(values.yes === true));
  const stop = new AbortController();
  const stopped = () => {
    console.error("stopping: waiting for the current request, then cleaning up");
    stop.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stopped);
  const report = await withoutSecrets(
    await github.run(stop.signal, (experiment) => console.error(`trying ${experiment}`)),
  );
  const { left, ...shown } = report;
  if (values.json === true) printJson({ kodiai: manifest.version, ...shown });
  else console.log(page(report));
  for (const one of left) console.error(terminalText(`could not clean up in ${word}: ${one}`));
  if (left.length > 0 || !report.isWhole) return 3;
  return report.results.some(({ verdict }) => verdict === "does not hold") ? 3 : 0;
}

function openGitHub(owner: string, name: string, values: Values): ReturnType<typeof liveGitHub> {
  const { "outside-login": login, "token-file": tokenFile, "data-dir": dataDir } = values;
  const outsideLogin = login === undefined ? null : oneOf("outside-login", login, ["yes", "no"]) === "yes";
  const unread = readServersEnv(dataDir);
  if (unread !== null) console.error(`live-check: ${unread}`);
  if (process.env.APP_ID === undefined) throw new UsageError("it needs the App's credentials, as the server does");
  const read = readEnv(process.env);
  if ("problems" in read) throw new UsageError(read.problems.join("; "));
  const { appId, githubApiUrl: apiUrl, githubHost: host } = read.env;
  const given = tokenFile === undefined ? process.env.GITHUB_TOKEN : fileText(tokenFile, "--token-file");
  const token = given?.trim() ?? "";
  if (token === "") throw new UsageError("it needs your own token, in GITHUB_TOKEN or --token-file");
  const privateKey = privateKeyOf(read.env);
  registerSecrets(token, privateKey);
  const credentials = { appId, privateKey };
  return liveGitHub({ credentials, token, apiUrl, host, owner, name, outsideLogin, fetch: githubFetch(apiUrl) });
}

async function mustAgree(word: string, look: LiveLook, { yes, force }: Values, asker: Asker): Promise<void> {
  const { login, mayPush, openPulls, files } = look;
  if (!mayPush) throw new UsageError(`the token of ${login} may not push to ${word}`);
  if (openPulls > 0 || files > NEARLY_EMPTY) {
    const used = `${word} is in use: it has ${counted(openPulls, "open pull request")} and ${counted(files, "file")}`;
    if (force !== true && !(await asker.confirm(`${used}. Continue anyway?`, false)))
      throw new UsageError(`${used}; create a repository for this, or add --force`);
  }
  const what =
    `As ${login} this makes two branches and a pull request in ${word}, renames a branch and, where you may, the repository ` +
    "for a second, and has the App review, react and comment. Branches are deleted afterwards; the closed pull request stays. " +
    "A server that runs reviews it as well.";
  if (yes !== true && !(await asker.confirm(`${what} Continue?`, false)))
    throw new UsageError("it asks first; without a terminal, add --yes");
}

const SUMS = {
  holds: "hold",
  "does not hold": "do not",
  "not tried": "were not tried",
} as const satisfies Record<LiveResult["verdict"], string>;

function page({ github, opening, results, left, isWhole }: LiveReport): string {
  const sums = Object.entries(SUMS).map(
    ([verdict, words]) => `${results.filter((one) => one.verdict === verdict).length} ${words}`,
  );
  const broken = results.filter(({ verdict }) => verdict === "does not hold");
  const rows = results.map(({ name, promise, verdict, found }) => [`\`${name}\``, promise, verdict, found]);
  const requests = [{ name: "opening", how: "The person opens a pull request.", requests: opening }, ...results];
  return [
    "# What GitHub answers to Kodiai\n",
    `Kodiai ${manifest.version} on ${github}. Names, numbers and tokens are masked.\n`,
    `${results.length} promises: ${sums.join(", ")}.\n`,
    ...(isWhole ? [] : ["The run was cut short.\n"]),
    ...(left.length === 0 ? [] : [`The clean-up is not complete: ${left.length} steps failed.\n`]),
    markdownTable([["name", "promise", "verdict", "GitHub's answer"], ...rows]),
    ...(broken.length === 0 ? [] : ["## What Kodiai does if a promise does not hold\n"]),
    ...broken.map(({ name, otherwise }) => `- \`${name}\`: ${otherwise}`),
    ...(broken.length === 0 ? [] : [""]),
    "## Requests\n",
    ...requests
      .filter((one) => one.requests.length > 0)
      .map(({ name, how, requests: sent }) => `${name}: ${how}\n\n\`\`\`text\n${sent.join("\n")}\n\`\`\`\n`),
  ]
    .join("\n")
    .trimEnd();
}

try {
  process.exitCode = await liveCheck(process.argv.slice(2));
} catch (error) {
  console.error(terminalText(`live-check: ${error instanceof Error ? error.message : String(error)}`));
  process.exitCode = error instanceof UsageError ? 2 : 3;
}
