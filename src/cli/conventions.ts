// kodiai conventions: what people of a repository keep asking for, as entries for its .kodiai.yml. Nothing is written.

import type { Repo } from "../domain/job.ts";
import type { Conventions } from "../domain/memory/convention.ts";
import { repoKey } from "../domain/memory.ts";
import { type ExportPorts, findConventions } from "../flows/memory/export-memory.ts";
import { conventionsMarkdown, conventionsPage } from "./conventions-page.ts";
import { nameOf, nothingRemembered } from "./find-repository.ts";
import { type ExitCode, oneOf, readWords, UsageError } from "./usage.ts";

/** What the verb needs of the world. */
export interface ConventionsVerbPorts {
  /** Where memory is, or would be. */
  readonly folder: string;
  readonly known: readonly Repo[];
  /** The repository that `--repo` names (a folder, OWNER/NAME or HOST/ID); undefined is the one here. */
  readonly repoOf: (word: string | undefined) => Promise<Repo>;
  /** Null where there is no memory at all. */
  readonly open: ExportPorts | null;
  readonly close: () => void;
}

const FORMATS = ["pretty", "md", "json"] as const;
/** Twice may be chance. */
const LEAST_PULLS = 3;
const MOST_PULLS = 1_000;

/**
 * @param open opens memory in the folder that `--data-dir` names
 * @returns 0, also when nothing recurs
 * @throws UsageError; Error when nothing is remembered of the repository
 */
export async function conventions(
  words: readonly string[],
  open: (dataDir: string | undefined) => Promise<ConventionsVerbPorts>,
): Promise<ExitCode> {
  const { values, positionals } = readWords(words, {
    repo: { type: "string" },
    "data-dir": { type: "string" },
    format: { type: "string" },
    json: { type: "boolean" },
    min: { type: "string" },
    since: { type: "string" },
  });
  if (positionals.length > 0) throw new UsageError(`conventions takes no ${JSON.stringify(positionals[0])}`);
  const format = values.json === true ? "json" : oneOf("format", values.format ?? "pretty", FORMATS);
  const recurrence = { least: leastOf(values.min), since: sinceOf(values.since) };
  const ports = await open(values["data-dir"]);
  try {
    const repo = await ports.repoOf(values.repo);
    const isKnown = ports.known.some((one) => repoKey(one) === repoKey(repo));
    if (!isKnown || ports.open === null) throw new Error(nothingRemembered(nameOf(repo), ports.known, ports.folder));
    const found = await findConventions(repo, recurrence, ports.open);
    console.log(PAGES[format](nameOf(repo), found, recurrence));
    return 0;
  } finally {
    ports.close();
  }
}

type Recurrence = Parameters<typeof findConventions>[1];

const PAGES: Record<(typeof FORMATS)[number], (repo: string, found: Conventions, asked: Recurrence) => string> = {
  pretty: (repo, found) => conventionsPage(repo, found),
  md: (repo, found) => conventionsMarkdown(repo, found),
  json: (repo, found, asked) => JSON.stringify({ version: 1, repo, asked, ...found }, null, 2),
};

function leastOf(word: string | undefined): number {
  if (word === undefined) return LEAST_PULLS;
  const least = Number(word);
  if (/^\d{1,4}$/.test(word) && least >= 2 && least <= MOST_PULLS) return least;
  throw new UsageError(
    `--min takes how many pull requests, a whole number from 2 to ${MOST_PULLS}, not ${JSON.stringify(word)}`,
  );
}

/** A day begins in UTC. */
function sinceOf(word: string | undefined): number | null {
  if (word === undefined) return null;
  const at = /^\d{4}-\d\d-\d\d$/.test(word) ? Date.parse(`${word}T00:00:00Z`) : Number.NaN;
  if (Number.isFinite(at) && new Date(at).toISOString().startsWith(word)) return at;
  throw new UsageError(`--since takes a day such as 2026-03-01, not ${JSON.stringify(word)}`);
}
