// kodiai index: reads the documents of a clone's commit into memory, and its code if the configuration enables it.

import type { Repo } from "../domain/job.ts";
import { counted } from "../domain/text/counted.ts";
import {
  type Indexed,
  type IndexedCorpus,
  type IndexPorts,
  indexRepository,
} from "../flows/repository/index-repository.ts";
import { type ExitCode, noMore, oneOf, readWords, UsageError } from "./usage.ts";
import { VERBS } from "./verbs.ts";

/** The ports of the command. */
export interface IndexVerbPorts extends IndexPorts {
  readonly repo: Repo;
  /** The corpora that the configuration enables. */
  readonly corpora: readonly IndexedCorpus[];
  readonly redact: (text: string) => Promise<string>;
  /** The web address of a file of the tree; null without one. */
  readonly urlOf: (path: string) => string | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly close: () => void;
}

/** Which commit of which clone, for which repository, into which folder. */
export interface IndexWords {
  /** The clone; for undefined, the folder that `repo` names, else the current one. */
  readonly path: string | undefined;
  /** A folder or OWNER/NAME; for undefined, the clone's own. */
  readonly repo: string | undefined;
  /** A clone of the repository's wiki, which is read instead of the repository. */
  readonly wiki: string | undefined;
  readonly revision: string;
  readonly dataDir: string | undefined;
}

const WIKI: readonly IndexedCorpus[] = ["wiki"];
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
  const { values, positionals } = readWords(words, VERBS.index.options);
  const [path, ...more] = positionals;
  noMore(more);
  const wiki = values.wiki !== undefined;
  if (wiki && values.corpus !== undefined) throw new UsageError("--wiki and --corpus exclude each other");
  if (wiki && path !== undefined) throw new UsageError("with --wiki, --repo names the repository whose wiki it is");
  const only = values.corpus === undefined ? null : [oneOf("corpus", values.corpus, CORPORA)];
  const ports = await open({
    path,
    repo: values.repo,
    wiki: values.wiki,
    revision: values.rev ?? "HEAD",
    dataDir: values["data-dir"],
  });
  try {
    const { repo, redact, now, urlOf } = ports;
    const request = {
      repo,
      corpora: wiki ? WIKI : (only ?? ports.corpora),
      at: now(),
      remembering: { redact },
      urlOf,
      wiki,
    };
    const done = await indexRepository(request, ports);
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
    `${repo.owner}/${repo.name} at ${commit.slice(0, 12)}: ${counted(files.read, "file")} read, ${files.unchanged} unchanged, ${files.gone} removed`,
    `  ${added} added, ${updated} updated, ${unchanged} unchanged, ${forgotten} forgotten, ${refused.length} refused; ${embedded} embedded`,
    ...most.map(([reason, count]) => `  left out: ${count} × ${reason}`),
    ...degraded.map(({ part, reason }) => `  ${part}: ${reason}`),
  ].join("\n");
}
