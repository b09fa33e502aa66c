// kodiai index: reads the documents of a clone's commit into memory.

import { UsageError } from "../../config/usage-error.ts";
import type { Repo } from "../../domain/job.ts";
import { embeddedText } from "../../domain/memory/write-report.ts";
import { counted } from "../../domain/text/counted.ts";
import { type Indexed, indexRepository } from "../../flows/repository/index-repository.ts";
import { indexVerbPorts } from "../../wire/cli/memory-ports.ts";
import { printed, verb, withPorts } from "../usage.ts";

/** @returns 0 @throws UsageError */
export const index = verb("index", 1, async (values, [path]) => {
  const wiki = values.wiki !== undefined;
  if (wiki && path !== undefined) throw new UsageError("with --wiki, --repo names the repository whose wiki it is");
  const wanted = { path, repo: values.repo, wiki: values.wiki, revision: values.rev ?? "HEAD" };
  return withPorts(indexVerbPorts({ ...wanted, dataDir: values["data-dir"] }), async (ports) => {
    const { repo, redact, now, urlOf } = ports;
    const whole = { most: null, after: null, wordsOnly: false };
    const corpus = wiki ? "wiki" : "doc";
    const request = { repo, at: now(), remembering: { redact }, urlOf, corpus, ...whole } as const;
    const done = await indexRepository(request, ports);
    return printed(values, done, () => report(repo, done));
  });
});

/** Reasons shown on a screen; `--json` has every path. */
const SHOWN = 12;

function report(repo: Repo, { commit, files, remembered, forgotten, leftOut, degraded }: Indexed): string {
  const { added, updated, unchanged, refused } = remembered;
  const reasons = [...Map.groupBy(leftOut, ({ reason }) => reason)].sort(([, a], [, b]) => b.length - a.length);
  return [
    `${repo.owner}/${repo.name} at ${commit.slice(0, 12)}: ${counted(files.read, "file")} read, ${files.unchanged} unchanged, ${files.removed} removed`,
    `  ${added} added, ${updated} updated, ${unchanged} unchanged, ${forgotten} forgotten, ${refused.length} refused; ${embeddedText(remembered)}`,
    ...reasons.slice(0, SHOWN).map(([reason, all]) => `  left out: ${all.length} × ${reason}`),
    ...degraded.filter(({ part }) => part !== "embedding").map(({ part, reason }) => `  ${part}: ${reason}`),
  ].join("\n");
}
