// explain_finding: why a finding was reported or held back, and how people reacted since.

import { z } from "zod";
import { UsageError } from "../config/usage-error.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { isoDate } from "../domain/text/iso-date.ts";
import { ofTool } from "../domain/tool-result.ts";
import { explainFinding } from "../flows/commands/explain-finding.ts";
import { whyOutcome } from "../flows/memory/why-outcome.ts";
import type { McpMemory } from "../wire/cli/mcp.ts";
import { repositoryField, repositoryOf, type Tool } from "./tool.ts";

const input = z.strictObject({
  id: z
    .string()
    .regex(/^(?:fnd|mem)_[0-9a-f]{12}$/, "must be fnd_ or mem_ and 12 hex digits")
    .describe(
      "The finding's id (fnd_…, as review_changes, review_diff and `kodiai review --json` give it), or its memory's (mem_…).",
    ),
  pull: z
    .int()
    .min(1)
    .optional()
    .describe(
      "The pull request that it was found on. Not needed for findings of review_changes and review_diff, nor for memories.",
    ),
  repository: repositoryField,
});

export const explainFindingTool: Tool<typeof input> = {
  name: "explain_finding",
  title: "Why was this said, or not said?",
  description:
    "Says where a finding comes from (a rule, a model, memory), how sure it is, where it was placed and why, or why it was held back, with the precedents behind that; and what people did about it, act by act.",
  input,
  async run({ id, pull, repository }, ports) {
    const repo = await repositoryOf(repository, ports);
    const memory = await ports.memory();
    const explained = await explainFinding(repo, id, pull ?? null, {
      records: memory?.records ?? null,
      recall: memory?.search.recall ?? null,
      recent: ports.recent,
    });
    if (explained.kind === "unknown") throw new UsageError(`${id} is not known: ${explained.reason}`);
    const { state, finding, placed, heldBack, memory: record } = explained;
    const kept = record === null || memory === null ? null : await keptOf(record, memory);
    const source = finding === null ? null : sourceOf(finding);
    return { value: { id, state, finding, source, placed, heldBack, memory: kept }, lists: [] };
  },
};

function sourceOf({ source, rule }: { readonly source: string; readonly rule: string | null }): string {
  const of = ofTool(rule);
  if (of !== null) return `${of.tool} reported it, by its rule ${of.rule}`;
  return rule === null ? `a ${source} reported it` : `the rule ${rule}: docs/rules.md describes what it looks for`;
}

async function keptOf(record: MemoryRecord, { evidence }: McpMemory) {
  const { because, evidence: acts, outcome, decided } = await whyOutcome(record, evidence);
  const { id, text, path, corpus, provenance } = record;
  const date = isoDate(provenance.at);
  return {
    id,
    corpus,
    text,
    path,
    author: provenance.author,
    date,
    url: provenance.url,
    outcome,
    decided,
    because,
    acts: acts.slice(-MOST_ACTS).map(({ evidence: act, effect }) => ({
      at: isoDate(act.at),
      kind: act.kind,
      stance: act.stance,
      by: act.by === null ? null : { login: act.by.login, access: act.by.access },
      text: act.text,
      url: act.url,
      effect,
    })),
  };
}

const MOST_ACTS = 30;
