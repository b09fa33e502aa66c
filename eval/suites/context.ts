// Is what a judgement needs in the prompt? `--repos DIR` has a bundle for each repository,
// `needs.jsonl` (beside the data, or `--needs FILE`) says `{id, needs: [{path, text}]}`: lines of
// `path` that hold `text`. `--only TEXT` picks by id; `--show` prints what is missing.
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { codeSymbols } from "../../src/adapters/code-index/symbols.ts";
import { noMemory } from "../../src/adapters/no-memory/no-memory.ts";
import { estimatedTokens } from "../../src/domain/model.ts";
import { inspector } from "../../src/wire/rules.ts";
import { modelChoice } from "../model-choice.ts";
import { readPulls } from "../pull-requests.ts";
import { dataFingerprint, fingerprint, jsonLines, shapedRows } from "../read-data.ts";
import { recordedModel, stemOf } from "../reply-folder.ts";
import { openRepositories } from "../repositories.ts";
import { reviewPull } from "../review-pull.ts";
import type { Row, Suite } from "../suite.ts";

const NeedsRow = z.object({
  id: z.string(),
  needs: z.array(z.object({ path: z.string(), text: z.string() })),
});
type Need = z.infer<typeof NeedsRow>["needs"][number];

/** The file with the needs of the development pull requests. */
const OWN_NEEDS = join(import.meta.dirname, "..", "context", "needs.jsonl");

export const suite: Suite = async ({ data, flags }) => {
  const started = performance.now();
  const repos = flags.get("repos");
  if (repos === undefined) throw new Error("say where the repositories are: --repos DIR");
  const [read, needs] = await Promise.all([readPulls(data), readNeeds(data, flags.get("needs"))]);
  const only = flags.get("only") ?? "";
  const pulls = read.pulls.filter(({ id }) => needs.has(id) && id.includes(only));
  const repositories = await openRepositories(repos);
  const symbols = codeSymbols();
  const rules = inspector();
  const choice = modelChoice(flags.get("model"));
  const rows: { id: string; shown: number; needs: number; tokens: number; without: number }[] = [];
  const missing: string[] = [];
  try {
    for (const pull of pulls) {
      const repository = await repositories.of(pull.repo, pull.number);
      const prompts = async (withRepository: boolean) => {
        const { model, outcomes } = await recordedModel(stemOf(pull), new Map(), choice);
        const around = withRepository ? { repository, symbols: symbols.ofReview() } : {};
        await reviewPull(pull, { recall: noMemory(), model, rules, ...around });
        return outcomes.map(({ question }) => question.user.join("\n"));
      };
      const [after, before] = [await prompts(true), await prompts(false)];
      const wanted = needs.get(pull.id) ?? [];
      const lacking = wanted.filter((need) => !after.some((prompt) => shows(prompt, need)));
      missing.push(...lacking.map(({ path, text }) => `${pull.id}: not shown: ${path}: ${text}`));
      rows.push({
        id: pull.id,
        shown: wanted.length - lacking.length,
        needs: wanted.length,
        without: wanted.filter((need) => before.some((prompt) => shows(prompt, need))).length,
        tokens: estimatedTokens(Math.max(0, (after[0]?.length ?? 0) - (before[0]?.length ?? 0))),
      });
    }
  } finally {
    symbols.close();
    await repositories.close();
  }
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0);
  const row = (name: string, n: number, shown: number, tokens: number, all: number): Row => ({
    name,
    n,
    metrics: { shown, needs: all, tokens },
  });
  const tokens = Math.round(sum((one) => one.tokens) / Math.max(1, rows.length));
  return {
    data: { n: rows.length, fingerprint: dataFingerprint(read.files) },
    config: { fingerprint: fingerprint([choice.names]) },
    rows: [
      row(
        "default",
        rows.length,
        sum((one) => one.shown),
        tokens,
        sum((one) => one.needs),
      ),
      row(
        "the diff alone",
        rows.length,
        sum((one) => one.without),
        0,
        sum((one) => one.needs),
      ),
      ...(flags.has("show") ? rows.map((one) => row(one.id, 1, one.shown, one.tokens, one.needs)) : []),
    ],
    notes: [
      `tokens: the mean that the code around the change adds to a question; ${((performance.now() - started) / 1000).toFixed(1)} s`,
      ...(flags.has("show") ? missing : []),
    ],
  };
};

/** In the folder at any depth, beside it, or our own; by the id of the pull request. */
async function readNeeds(data: string, named: string | undefined): Promise<ReadonlyMap<string, readonly Need[]>> {
  const places = named === undefined ? await needsFiles(data) : [named];
  const rows = new Map<string, readonly Need[]>();
  for (const path of places) {
    const lines = jsonLines(await readFile(path, "utf8"), path);
    for (const { id, needs } of shapedRows(lines, "needs", NeedsRow)) rows.set(id, needs);
  }
  if (rows.size === 0) throw new Error(`${data} has no needs.jsonl; name it: --needs FILE`);
  return rows;
}

async function needsFiles(data: string): Promise<readonly string[]> {
  const entries = await readdir(data, { recursive: true, withFileTypes: true });
  const inside = entries
    .filter((entry) => entry.isFile() && /^needs.*\.jsonl$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  if (inside.length > 0) return inside;
  const beside = join(dirname(data), "needs.jsonl");
  const isThere = await readFile(beside, "utf8").then(
    () => true,
    () => false,
  );
  return [isThere ? beside : OWN_NEEDS];
}

/**
 * Whether the lines that a prompt shows of the file, in the diff or around it, hold the text; white
 * space aside.
 */
function shows(prompt: string, { path, text }: Need): boolean {
  const wanted = folded(text);
  let isFile = false;
  const lines: string[] = [];
  for (const line of prompt.split("\n")) {
    const heading = /^### (?:FILE )?(.*)$/.exec(line)?.[1];
    if (heading !== undefined) isFile = heading.startsWith(`${path}:`) || heading.startsWith(`${path} (`);
    else if (/^kodiai-[0-9a-f]{16,} end of /.test(line)) isFile = false;
    else if (isFile) lines.push(line.replace(/^-?\d+#[0-9a-f]{4}:[-+ ]?/, ""));
    else if (line.startsWith(`${path}:`)) lines.push(line.slice(path.length).replace(/^:\d+: /, ""));
  }
  return folded(lines.join("\n")).includes(wanted);
}

function folded(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
