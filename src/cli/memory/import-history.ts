// kodiai import: turns a repository's past reviews into memory, with progress.

import { apiUrlFor, namedRepository } from "../../config/environment/github-address.ts";
import { UsageError } from "../../config/usage-error.ts";
import type { Repo } from "../../domain/job.ts";
import type { HistoryProgress } from "../../domain/memory/past-reviews.ts";
import { counted } from "../../domain/text/counted.ts";
import { nameOf } from "../../flows/memory/find-repository.ts";
import { type HistoryRun, importHistory } from "../../flows/repository/import-history.ts";
import { historyVerbPorts } from "../../wire/cli/memory-ports.ts";
import { terminalText } from "../terminal-text.ts";
import { printed, sinceOf, verb, wholeNumber, withPorts } from "../usage.ts";
import { countsText, mostFirst } from "./memory-lines.ts";

/** @returns 0, also when a rate limit interrupted it: run again, it resumes @throws UsageError */
export const importPast = verb("import", 1, async (values, [repository]) => {
  if (repository === undefined) throw new UsageError("name the repository: kodiai import OWNER/NAME");
  const limit = wholeNumber("limit", values.limit ?? "1000", 1);
  const since = sinceOf(values.since);
  const isDry = values["dry-run"] === true;
  const named = namedRepository(repository);
  const { GITHUB_TOKEN: token = "" } = process.env;
  if (token === "") throw new UsageError("set GITHUB_TOKEN to read past reviews; it needs to read pull requests only");
  const from = { ...named, token, apiUrl: apiUrlFor(named.host) };
  const opening = historyVerbPorts({ ...from, dataDir: values["data-dir"], isDry });
  return withPorts(opening, async (ports) => {
    const { repo } = ports;
    const request = { repo, since, limit, most: null, ownLogin: null, at: Date.now };
    const show = progressLine(repo);
    const done = await importHistory(request, ports, show.update);
    show.end();
    return printed(values, { dryRun: isDry, ...done }, () => report(repo, done, isDry));
  });
});

/** One line that is overwritten on a terminal; elsewhere nothing, so that logs stay short. */
function progressLine(repo: Repo): { update(progress: HistoryProgress): void; end(): void } {
  const { stderr } = process;
  const write = (line: string) => void (stderr.isTTY && stderr.write(`\r\u001b[K${terminalText(line)}`));
  return {
    update({ read, tally: { comments, added, updated, unchanged } }) {
      const counts = `${counted(read, "pull request")}, ${counted(comments, "comment")} read`;
      write(`${nameOf(repo)}: ${counts}, ${added + updated + unchanged} remembered`);
    },
    end: () => write(""),
  };
}

function report(repo: Repo, { progress, stopped }: HistoryRun, isDry: boolean): string {
  const { tally } = progress;
  const { comments, added, updated, unchanged, refused } = tally;
  const worth = tally.byOutcome.reduce((sum, [, count]) => sum + count, 0);
  const result = isDry
    ? `${counted(worth, "memory", "memories")} found, nothing was stored`
    : `${added} added, ${updated} updated, ${unchanged} unchanged, ${refused} refused`;
  const lines = [
    `${nameOf(repo)}: ${counted(comments, "comment")} read: ${result}`,
    `  by language: ${countsText(mostFirst(tally.byLanguage))}`,
    `  by outcome: ${countsText(mostFirst(tally.byOutcome))}`,
    ...mostFirst(tally.leftOut).map(([reason, count]) => `  left out: ${count} × ${reason}`),
    ...mostFirst(tally.degraded).map(([reason, count]) => `  incomplete: ${count} × ${reason}`),
    ...(tally.usd > 0 ? [`  embedding cost USD ${tally.usd.toFixed(4)}`] : []),
  ];
  if (stopped !== null) {
    const { until } = stopped;
    const when = until === null ? "later" : `after ${new Date(until).toISOString().slice(11, 16)} UTC`;
    const why = "the last fifth of this hour's GitHub requests is reserved";
    lines.push(`  not finished: ${why}; run it again ${when} to resume`);
  }
  return lines.map(terminalText).join("\n");
}
