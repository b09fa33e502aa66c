// kodiai explain: reviews one change and prints the output of every pipeline stage. Posts nothing.

import { inspect, styleText } from "node:util";
import type { ChangeContext } from "../../domain/change-context.ts";
import { wholePercents } from "../../domain/figures/whole-percents.ts";
import type { Degraded, Skipped } from "../../domain/omissions.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import { admissionText, candidatesText, type Precedents } from "../../domain/retrieval.ts";
import { type Review, unreadDiff } from "../../domain/review.ts";
import type { ReviewSignals } from "../../domain/signals.ts";
import { counted } from "../../domain/text/counted.ts";
import { SARIF_FILE, type ToolReport } from "../../domain/tool-result.ts";
import { nameOf } from "../../flows/memory/find-repository.ts";
import type { Stage } from "../../flows/review/review-ports.ts";
import { writeReview } from "../../flows/review/review-pull-request.ts";
import { withoutSecrets } from "../../wire/secrets.ts";
import { memoryLines } from "../memory/memory-lines.ts";
import { subject } from "../subject.ts";
import { clipped, terminalJson, terminalText } from "../terminal-text.ts";
import { verb } from "../usage.ts";
import { type PlainQuestion, plainQuestion, promptParts, shownPrompts } from "./prompt-text.ts";

/** @throws UsageError, or the error that prevented the review */
export const explain = verb("explain", 1, async (values, positionals) => {
  const questions: PlainQuestion[] = [];
  const { job, ports } = await subject(values, positionals, (request) => questions.push(plainQuestion(request)));

  const stages: { readonly stage: string; readonly ms: number; readonly value: unknown }[] = [];
  const step: Stage = async (stage, enter) => {
    const started = performance.now();
    const value = await enter();
    stages.push({ stage, ms: Math.round(performance.now() - started), value });
    return value;
  };
  const written = await writeReview(job, ports, step);
  // The output of gather contains whole files, and with them their secrets.
  const output = { version: 1, job, stages, model: modelPart(questions, written) };
  const text = JSON.stringify(output, (_, value) => (value instanceof Map ? Object.fromEntries(value) : value));
  const clean = await withoutSecrets(JSON.parse(text) as typeof output);
  if (values.json === true) console.log(terminalJson(clean));
  else {
    for (const { stage, ms, value } of clean.stages) {
      const page = values.full === true ? outline(value) : stagePage(value, ms);
      console.log(`${styleText(["bold", "cyan"], stage)} ${styleText("dim", `${ms} ms`)}\n${page}\n`);
    }
    if (values.full === true) console.log(`${styleText(["bold", "cyan"], "model")}\n${outline(clean.model)}\n`);
    if (values["show-prompt"] === true) console.log(shownPrompts(questions, "pretty"));
  }
  const failed = written.kind === "review" ? unreadDiff(written) : written.reason;
  const unread = written.kind === "review" ? written.degraded.filter(({ part }) => part === SARIF_FILE) : [];
  for (const { reason } of unread) console.error(`kodiai explain: ${terminalText(reason)}`);
  if (failed === null) return unread.length > 0 ? 2 : 0;
  console.error(`kodiai explain: not reviewed: ${failed}`);
  return 3;
});

function stagePage(value: unknown, ms: number): string {
  if (isOf<Precedents>(value, "precedents")) return precedentsPage(value, ms);
  const rows = stageRows(value);
  return rows === null ? outline(value) : rowLines(rows).join("\n");
}

function stageRows(value: unknown): readonly Row[] | null {
  if (isOf<PullRequestContext>(value, "context")) return gatherRows(value);
  if (isOf<ChangeContext>(value, "change-context")) return contextRows(value);
  if (isOf<Review>(value, "review")) return reviewRows(value);
  const isSignals = typeof value === "object" && value !== null && "intent" in value && "risks" in value;
  return isSignals ? analyzeRows(value as ReviewSignals) : null;
}

function rowLines(rows: readonly Row[]): readonly string[] {
  return rows.map(
    ([label, text]) => `  ${styleText("dim", label.padEnd(WIDTH))} ${clipped(terminalText(text), LINE_CHARS)}`,
  );
}

function isOf<T extends { readonly kind: string }>(value: unknown, kind: T["kind"]): value is T {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === kind;
}

/** The prompt part by part, what was cut, and what the model read; or why no model was called. */
function modelPart(questions: readonly PlainQuestion[], written: Review | Skipped): unknown {
  if (questions.length === 0 || written.kind === "skipped") return "no model was used";
  const { coverage, cost } = written;
  const { model = null, cut = [], files = [], located = null, readings = null } = coverage ?? {};
  return {
    name: model,
    questions: questions.map((question) => ({
      purpose: question.purpose,
      tokens: question.inputTokens,
      parts: promptParts(question).map(({ part, chars }) => `${part}: ${chars} characters`),
    })),
    cut: cut.map(({ part, shown, of }) => `${part}: ${shown} of ${of} characters`),
    read: files.map(({ path, state, reason }) => `${path}: ${state}${reason === null ? "" : `: ${reason}`}`),
    readings,
    placesProven: located,
    cost,
  };
}

const LINE_CHARS = 160;

/** A whole value; long lists and texts are cut visibly. */
function outline(value: unknown): string {
  const cut = { depth: null, maxArrayLength: 20, maxStringLength: 200, breakLength: LINE_CHARS };
  return terminalText(inspect(value, cut)).replace(/^/gm, "  ");
}

/** Why it searched, the queries, the results and what was cut. @param ms wall time of the stage */
function precedentsPage(precedents: Precedents, ms: number): string {
  const found = [...queryRows(precedents), ...resultRows(precedents)];
  const rows = [...gateRows(precedents), ...found, ...costRows(precedents, ms)];
  const used = precedents.ranked.flatMap((memory, index) => memoryLines(memory, index + 1));
  return [
    ...rowLines(rows),
    ...section("used", precedents.ranked.length, used),
    ...seenLines(precedents),
    ...cutLines(precedents),
  ].join("\n");
}

const WIDTH = 10;

function gateRows({ gate, query }: Precedents): Row[] {
  const decision = gate.retrieve ? "search" : query === null ? "skip" : "skip; searched anyway to check the decision";
  const strategy = gate.strategy === null ? "" : `, strategy ${gate.strategy}`;
  const relevance = gate.estimatedRelevance === null ? "" : `, relevance ${gate.estimatedRelevance.toFixed(2)}`;
  return [
    ["gate", `${decision} (${gate.decidedBy}, confidence ${gate.confidence.toFixed(2)}${strategy}${relevance})`],
    ["", gate.reason],
  ];
}

function queryRows({ query }: Precedents): Row[] {
  if (query === null) return [];
  return [
    ...query.text.split("\n").map((line, at): Row => [at === 0 ? "query" : "", clipped(line, LINE_CHARS)]),
    ...(query.dropped.length === 0 ? [] : [["dropped", query.dropped.join(", ")] as const]),
    ...query.variants.map(({ kind, text, path }, index): Row => {
      const of = path === null ? "" : ` of ${clipped(path, LINE_CHARS)}`;
      return [index === 0 ? "asked as" : "", `${kind}${of}, ${text.length} characters`];
    }),
  ];
}

function resultRows({ query, provenance, ranked }: Precedents): Row[] {
  if (query === null) return [];
  const { admits, threshold, thresholdMethod, method, repoSources, sharedPoolUsed } = provenance;
  const pool = sharedPoolUsed ? "; the owner's other repositories were searched too" : "";
  const from = repoSources.length === 0 ? "" : ` of ${repoSources.join(", ")}`;
  return [
    ["found", `${candidatesText(provenance)} by ${method}; ${ranked.length} are used${from}${pool}`],
    ["admitted", admissionText(admits, threshold, thresholdMethod)],
  ];
}

function costRows({ query, usage, rerank, modelCosts, degraded }: Precedents, ms: number): readonly Row[] {
  const { texts, cached, tokens, usd } = usage;
  const embedding =
    texts === 0 ? "none" : `${counted(texts, "text")}, ${cached} cached, ${counted(tokens, "token")}, $${usd}`;
  const search: Row[] = [
    ["embedding", embedding],
    ["reranking", rerankText(rerank ?? null)],
  ];
  const models = modelCosts.map(({ purpose, questions, inputTokens, outputTokens, usd: price }): Row => {
    const cost = price === null ? "no price known" : `$${price}`;
    return ["model", `${questions} × ${purpose}, ${inputTokens + outputTokens} tokens, ${cost}`];
  });
  return [...(query === null ? [] : search), ...models, ["time", `${ms} ms`], ...degradedRows(degraded)];
}

function rerankText(rerank: Precedents["rerank"]): string {
  if (rerank === null) return "none";
  const { by, ms, tokens, usd, topChanged, meanMove, failed } = rerank;
  const moved = `changed ${Math.round(topChanged * 100)} % of the first five, moved ${meanMove.toFixed(1)} ranks`;
  return `by ${by}, ${ms} ms, ${tokens} tokens, $${usd}; ${failed === null ? moved : `failed: ${failed}`}`;
}

function degradedRows(degraded: readonly Degraded[]): readonly Row[] {
  return degraded.map(({ part, reason }) => ["degraded", `${part}: ${reason}`]);
}

function seenLines({ seenBefore }: Precedents): readonly string[] {
  const lines = seenBefore.map(({ path, memoryId, similarity, outcome, date, url }) => {
    const known = [memoryId, outcome, date, url].filter(Boolean).join("  ");
    return terminalText(`${path}  similarity ${similarity.toFixed(2)}  ${known}`);
  });
  return section("seen before", lines.length, lines);
}

const SHOWN_IDS = 6;

/** Cut memories by reason, most frequent first; figures in a reason are those of its first. */
function cutLines({ cut: out }: Precedents): readonly string[] {
  const groups = Map.groupBy(out, ({ reason }) => reason.replace(/\d+(?:\.\d+)?|mem_[0-9a-f]{12}/g, "…"));
  const lines = [...groups.values()]
    .sort((first, second) => second.length - first.length)
    .map((all) => {
      const ids = all.slice(0, SHOWN_IDS).map(({ id }) => id);
      const more = all.length > SHOWN_IDS ? ` and ${all.length - SHOWN_IDS} more` : "";
      return terminalText(`${String(all.length).padStart(4)} × ${all[0]?.reason ?? ""}: ${ids.join(" ")}${more}`);
    });
  return section("cut", out.length, lines);
}

function section(title: string, count: number, lines: readonly string[]): readonly string[] {
  if (count === 0) return [];
  return ["", `  ${styleText("bold", `${title} (${count})`)}`, ...lines.map((line) => `  ${line}`)];
}

/** A line without a label continues the line before. A stage has about ten; `--full` prints all. */
type Row = readonly [label: string, text: string];

const SHOWN = 5;

function gatherRows({ pull, repo, files, leftOut, ...context }: PullRequestContext): readonly Row[] {
  const { configProblems, past, degraded } = context;
  const lines = files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0);
  return [
    ["change", `${pull.title} (${pull.base.ref} ← ${pull.head.ref})`],
    ["repository", repo.host === "local" ? nameOf(repo) : `${repo.host}/${nameOf(repo)}`],
    ["author", `${pull.author.login}, ${pull.author.association}`],
    ["files", `${files.length} reviewed, ${counted(lines, "changed line")}; ${leftOut.length} left out`],
    ...shown(files.map(({ path, additions, deletions }) => `${path} +${additions} −${deletions}`)),
    ...shown(leftOut.map(({ path, reason }) => `left out: ${path}: ${reason}`)),
    ["config", context.configUsed],
    ["", counted(configProblems.length, "problem")],
    ...toolRows(context.tools),
    ["scope", past.checkpoint.kind === "full" ? "the whole change" : "what changed since the last review"],
    ...degradedRows(degraded),
  ];
}

function toolRows({ results }: ToolReport): readonly Row[] {
  const byTool = [...Map.groupBy(results, ({ tool }) => tool)].map(([tool, { length }]) => `${tool} ${length}`);
  return byTool.length === 0 ? [] : [["tools", `results in changed files: ${byTool.join(", ")}`]];
}

function analyzeRows({ intent, languages, risks, author, metrics }: ReviewSignals): readonly Row[] {
  const percents = wholePercents(languages.map(({ share }) => share));
  const shares = languages.map(({ name }, at) => `${name} ${percents[at]} %`).join(", ");
  const { files, added, removed, hunks } = metrics;
  return [
    ["intent", `${intent.type ?? "unknown"}${intent.breaking.length > 0 ? ", breaking" : ""}`],
    ["languages", shares === "" ? "none" : shares],
    ["risks", risks.length === 0 ? "none" : risks.map(({ text }) => text).join("; ")],
    ["author", `${author.tier} (${author.because})`],
    ["size", `${counted(files, "file")}, +${added} −${removed} in ${counted(hunks, "hunk")}`],
  ];
}

/** What the model sees of the repository besides the diff; empty without a model. */
function contextRows({ from, excerpts, callSites, cut, tokens, degraded }: ChangeContext): readonly Row[] {
  const cutText = cut.map(({ kind, count }) => `${count} ${kind}`).join(", ");
  const size = `${counted(excerpts.length, "excerpt")}, ${counted(tokens, "token")}`;
  return [
    ["from", from],
    ["shown", cutText === "" ? size : `${size}; cut: ${cutText}`],
    ...shown(excerpts.map(({ path, why, lines }) => `${path}, ${counted(lines.length, "line")}: ${why.join("; ")}`)),
    ...shown(callSites.map(({ name, sites, more }) => `${name}: ${counted(sites.length + more, "use")}`)),
    ...degradedRows(degraded),
  ];
}

function reviewRows({ findings, heldBack, degraded, coverage, cost }: Review): readonly Row[] {
  return [
    ["findings", `${findings.length}`],
    ...shown(
      findings.map(
        ({ finding: { severity, path, line, title }, place }) => `${severity} ${path}:${line} ${title} (${place})`,
      ),
    ),
    ["held back", `${heldBack.length}`],
    ...shown(heldBack.map(({ finding: { path, line, title }, reason }) => `${path}:${line} ${title}: ${reason}`)),
    ["model", coverage === null ? "none" : `${coverage.model}, ${cost.inputTokens + cost.outputTokens} tokens`],
    ...readingRows(coverage?.readings),
    ...degradedRows(degraded),
  ];
}

/** How often the model was to read the change, why so often, and what that was to cost. */
function readingRows(readings: NonNullable<Review["coverage"]>["readings"]): readonly Row[] {
  if (readings === undefined) return [];
  const { planned, because, estimate, fewer } = readings;
  const { inputTokens, outputTokens, usd } = estimate;
  const price = usd === null ? "no price known" : `USD ${usd.toFixed(3)}`;
  const cost = `estimated before: ${counted(inputTokens, "token")} in, ${counted(outputTokens, "token")} out, ${price}`;
  return [
    ["readings", `${planned} (${because}); ${cost}`],
    ...shown(fewer.map(({ path, times, reason }) => `${path}: read ${counted(times, "time")}: ${reason}`)),
  ];
}

function shown(lines: readonly string[]): readonly Row[] {
  const more = lines.length - SHOWN;
  return [
    ...lines.slice(0, SHOWN).map((line): Row => ["", line]),
    ...(more > 0 ? [["", `… and ${more} more (--full)`] as const] : []),
  ];
}
