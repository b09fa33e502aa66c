// kodiai index: reads documents and code of a clone's commit into memory; run again, only what changed.
import type { Repo } from "../domain/job.ts";
import { type Indexed, type IndexedCorpus, type IndexPorts, indexRepository } from "../flows/index-repository.ts";
import { type ExitCode, oneOf, readWords, UsageError } from "./usage.ts";

/** What the verb needs of the world. */
export interface IndexVerbPorts extends IndexPorts {
  readonly repo: Repo;
  readonly redact: (text: string) => Promise<string>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly close: () => void;
}

/** Which commit of which clone, into which folder. */
export interface IndexWords {
  readonly path: string;
  readonly revision: string;
  readonly dataDir: string | undefined;
}

const CORPORA: readonly IndexedCorpus[] = ["doc", "code"];

/**
 * @param open reads the tree of the revision and opens memory
 * @returns 0
 * @throws UsageError
 */
export async function index(
  words: readonly string[],
  open: (words: IndexWords) => Promise<IndexVerbPorts>,
): Promise<ExitCode> {
  const { values, positionals } = readWords(words, {
    repo: { type: "string" },
    rev: { type: "string" },
    corpus: { type: "string" },
    "data-dir": { type: "string" },
    format: { type: "string" },
    json: { type: "boolean" },
  });
  const [path, ...more] = positionals;
  if (more.length > 0) throw new UsageError(`${JSON.stringify(more[0])} is too much`);
  const corpora = values.corpus === undefined ? CORPORA : [oneOf("corpus", values.corpus, CORPORA)];
  const ports = await open({
    path: path ?? values.repo ?? ".",
    revision: values.rev ?? "HEAD",
    dataDir: values["data-dir"],
  });
  try {
    const { repo, redact, now } = ports;
    const done = await indexRepository({ repo, corpora, at: now(), remembering: { redact } }, ports);
    const asJson = values.json === true || values.format === "json";
    console.log(asJson ? JSON.stringify({ version: 1, ...done }, null, 2) : report(repo, done));
    return 0;
  } finally {
    ports.close();
  }
}

/** Reasons shown on a screen; `--json` has every path. */
const SHOWN = 12;

function report(repo: Repo, { commit, files, remembered, forgotten, leftOut, degraded }: Indexed): string {
  const { added, updated, unchanged, embedded, refused } = remembered;
  const reasons = new Map<string, number>();
  for (const { reason } of leftOut) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const most = [...reasons].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  return [
    `${repo.owner}/${repo.name} at ${commit.slice(0, 12)}: ${files.read} files read, ${files.unchanged} unchanged, ${files.gone} gone`,
    `  ${added} added, ${updated} updated, ${unchanged} unchanged, ${forgotten} forgotten, ${refused.length} refused; ${embedded} embedded`,
    ...most.map(([reason, count]) => `  left out: ${count} × ${reason}`),
    ...degraded.map(({ part, reason }) => `  ${part}: ${reason}`),
  ].join("\n");
}
