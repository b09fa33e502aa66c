// kodiai doctor --live: tests on the real GitHub what Kodiai relies on, and prints GitHub's answers.

import manifest from "../../../package.json" with { type: "json" };
import type { LiveLook, LiveReport, LiveResult } from "../../domain/live-report.ts";
import { type Asker, askerFor } from "../asker.ts";
import { markdownTable, terminalText } from "../terminal-text.ts";
import { type ExitCode, oneOf, printJson, type readWords, UsageError } from "../usage.ts";
import type { VERBS } from "../verbs.ts";

type LiveValues = ReturnType<typeof readWords<typeof VERBS.doctor.options>>["values"];

/** A repository with more files than this was not created for a test. */
const NEARLY_EMPTY = 20;

/**
 * @param word OWNER/NAME
 * @returns 0 when every tested promise holds; 3 when one does not, when the run was cut short, or when it left something behind
 * @throws UsageError; Error if the repository cannot be read
 */
export async function doctorLive(word: string, values: LiveValues): Promise<ExitCode> {
  const [, owner = "", name = ""] = /^([\w.-]+)\/([\w.-]+)$/.exec(word) ?? [];
  if (owner === "") throw new UsageError(`--live takes OWNER/NAME, not ${JSON.stringify(word)}`);
  const { "outside-login": login, "token-file": tokenFile, "data-dir": dataDir } = values;
  const outsideLogin = login === undefined ? null : oneOf("outside-login", login, ["yes", "no"]) === "yes";
  const { liveVerbPorts } = await import("../../wire/cli/live.ts");
  const ports = liveVerbPorts({ owner, name, dataDir, tokenFile, outsideLogin });
  await mustAgree(word, await ports.look(), values, askerFor(values.yes === true));
  const stop = new AbortController();
  const stopped = () => {
    console.error("stopping: waiting for the current request, then cleaning up");
    stop.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stopped);
  const report = await ports.run(stop.signal, (experiment) => console.error(`trying ${experiment}`));
  const { left, ...shown } = report;
  if (values.json === true) printJson({ kodiai: manifest.version, ...shown });
  else console.log(page(report));
  for (const one of left) console.error(terminalText(`could not clean up in ${word}: ${one}`));
  const isBroken = report.results.some(({ verdict }) => verdict === "does not hold");
  return isBroken || left.length > 0 || !report.isWhole ? 3 : 0;
}

async function mustAgree(word: string, look: LiveLook, { yes, force }: LiveValues, asker: Asker): Promise<void> {
  const { login, mayPush, openPulls, files } = look;
  if (!mayPush) throw new UsageError(`the token of ${login} may not push to ${word}`);
  if (openPulls > 0 || files > NEARLY_EMPTY) {
    const used = `${word} is in use: it has ${openPulls} open pull requests and ${files} files`;
    if (force !== true && !(await asker.confirm(`${used}. Continue anyway?`, false)))
      throw new UsageError(`${used}; create a repository for this, or add --force`);
  }
  const what =
    `As ${login} this makes two branches and a pull request in ${word}, renames a branch and, where you may, the repository ` +
    "for a second, and has the App review, react and comment. Branches are deleted afterwards; the closed pull request stays. " +
    "A server that runs reviews it as well.";
  if (yes !== true && !(await asker.confirm(`${what} Continue?`, false)))
    throw new UsageError("--live asks first; without a terminal, add --yes");
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
