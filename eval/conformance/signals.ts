// Languages, file kinds, risks, author tiers, metrics and left-out files, held against the cases of
// an earlier system.

import { isDeepStrictEqual } from "node:util";
import { assessAuthor, changeMetrics, fileKinds } from "../../src/analyze/analyze.ts";
import { risks } from "../../src/analyze/risk.ts";
import { defaultConfig } from "../../src/config/repo-config.ts";
import { classifyLanguage, isCode, type Language } from "../../src/domain/code/languages.ts";
import { canonicalLanguage, relatedLanguages } from "../../src/domain/language.ts";
import type { FileDiff } from "../../src/domain/pull-request.ts";
import type { RiskId } from "../../src/domain/signals.ts";
import { selectFiles, wordOfBase } from "../../src/gather/select-files.ts";
import type { AreaCheck, Deliberate } from "./area-check.ts";

interface LanguageInput {
  readonly path: string;
  readonly withContext?: boolean;
  readonly contextFiles?: readonly string[];
}

/**
 * The earlier system had display names for code alone; a file of data or prose was "Unknown" to it.
 */
function displayName(language: Language): string {
  return isCode(language) ? language.name : "Unknown";
}

function classified(input: unknown): unknown {
  const { path, contextFiles, withContext } = input as LanguageInput;
  const language = classifyLanguage(path, { siblings: contextFiles ?? [] });
  return { language: withContext === true ? language.language : displayName(language) };
}

function classifiedWithContext(input: unknown): unknown {
  const { path, contextFiles } = input as LanguageInput;
  return { language: classifyLanguage(path, { siblings: contextFiles ?? [] }).language };
}

function grouped(input: unknown): unknown {
  const { files } = input as { readonly files: readonly string[] };
  const code = files
    .map((path) => ({ path, language: classifyLanguage(path, { siblings: files }) }))
    .filter(({ language }) => isCode(language));
  const groups = Map.groupBy(code, ({ language }) => language.name);
  return {
    filesByLanguage: Object.fromEntries([...groups].map(([name, all]) => [name, all.map(({ path }) => path)])),
  };
}

interface DiffInput {
  readonly changedFiles?: readonly string[];
  readonly numstatLines?: readonly string[];
  readonly lines?: readonly string[];
  readonly diffContent?: string;
}

/**
 * The cases give paths, numstat lines and loose diff text; we read FileDiffs. The text belongs to
 * the first file.
 */
function fileDiffs({ changedFiles = [], numstatLines = [], diffContent = "" }: DiffInput): readonly FileDiff[] {
  const counts = new Map(numstatLines.map((line) => [line.split("\t")[2] ?? "", line]));
  const paths = [...new Set([...changedFiles, ...counts.keys()])];
  return paths.map((path, index) => ({
    path,
    previousPath: null,
    status: "modified",
    binary: counts.get(path)?.startsWith("-") ?? false,
    oldMode: null,
    newMode: null,
    additions: Number.parseInt(counts.get(path)?.split("\t")[0] ?? "0", 10) || 0,
    deletions: Number.parseInt(counts.get(path)?.split("\t")[1] ?? "0", 10) || 0,
    hunks: index === 0 ? hunks(diffContent) : [],
    complete: true,
  }));
}

/** Text without `@@` is one hunk of which every line is added. */
function hunks(text: string): FileDiff["hunks"] {
  if (text === "") return [];
  const parts = text.startsWith("@@") ? text.split(/^@@.*$/m).slice(1) : [text];
  return parts.map((part) => {
    const lines = part.split("\n").filter((line) => line !== "");
    return {
      oldStart: 1,
      oldLines: 0,
      newStart: 1,
      newLines: lines.length,
      section: "",
      lines: lines.map((line, index) => ({
        kind: "added",
        oldLine: null,
        newLine: index + 1,
        text: line.replace(/^\+/, ""),
      })),
    };
  });
}

const kindOf = fileKinds(defaultConfig().fileKinds);

function facts(files: readonly FileDiff[]) {
  return files.map(({ path }) => ({ path, language: classifyLanguage(path).language, kind: kindOf(path) }));
}

/** Risks are compared by id; their wording is ours. */
const RISK_IDS: ReadonlyMap<string, RiskId> = new Map([
  ["Touches credential/secret-related files", "credentials"],
  ["Modifies dependency manifest", "dependencies"],
  ["Modifies database schema or migrations", "schema"],
  ["Modifies authentication/authorization code", "authentication"],
  ["Modifies error handling logic", "error-handling"],
  ["Changes CI/CD or infrastructure configuration", "infrastructure"],
  ["Touches cryptographic code", "cryptography"],
]);

const riskSignals: Omit<AreaCheck, "area"> = {
  answer: (input) => {
    const files = fileDiffs(input as DiffInput);
    return { riskSignals: risks(files, facts(files)).map(({ id }) => id) };
  },
  same: (actual, expected) => {
    const ids = (expected as { readonly riskSignals: readonly string[] }).riskSignals.map((text) => RISK_IDS.get(text));
    return isDeepStrictEqual((actual as { readonly riskSignals: readonly string[] }).riskSignals, ids);
  },
  deliberate: [],
};

function kind(input: unknown): unknown {
  const { path, fileCategories = {} } = input as { path: string; fileCategories?: Record<string, readonly string[]> };
  const own = { ...defaultConfig().fileKinds, ...fileCategories } as Parameters<typeof fileKinds>[0];
  return { category: fileKinds(own)(path) };
}

function excluded(input: unknown): unknown {
  const { path } = input as { readonly path: string };
  const [file] = fileDiffs({ changedFiles: [path] });
  if (file === undefined) return { excluded: false };
  const { leftOut, spared } = selectFiles([file], wordOfBase({ pathFilters: [], attributes: "" }));
  return { excluded: leftOut.length + spared.length > 0 };
}

function metrics(input: unknown): unknown {
  const files = fileDiffs(input as DiffInput);
  const { files: totalFiles, added, removed, hunks: hunksCount } = changeMetrics(files, facts(files));
  return { metrics: { totalFiles, totalLinesAdded: added, totalLinesRemoved: removed, hunksCount } };
}

function numstat(input: unknown): unknown {
  const files = fileDiffs({ numstatLines: (input as DiffInput).lines ?? [] });
  return {
    perFile: Object.fromEntries(files.map((file) => [file.path, { added: file.additions, removed: file.deletions }])),
  };
}

function tier(input: unknown): unknown {
  const { authorAssociation, mergedPrCount } = input as { authorAssociation: string; mergedPrCount: number | null };
  return { tier: assessAuthor({ association: authorAssociation }, { mergedPullRequests: mergedPrCount }).tier };
}

/**
 * No such flag here: the size dial of the earlier system has no counterpart, the metrics themselves
 * have.
 */
const sizeFlagGone = (actual: unknown, expected: unknown): boolean =>
  isDeepStrictEqual((actual as { metrics: unknown }).metrics, (expected as { metrics: unknown }).metrics);

const none: readonly Deliberate[] = [];

export const areas: readonly AreaCheck[] = [
  { area: "language.classify", answer: classified, deliberate: none },
  { area: "language.classifyWithContext", answer: classifiedWithContext, deliberate: none },
  { area: "language.group", answer: grouped, deliberate: none },
  {
    area: "language.related",
    answer: (input) => ({ related: relatedLanguages((input as { language: string }).language) }),
    deliberate: none,
  },
  {
    area: "language.normalizeLabel",
    answer: (input) => ({ normalized: canonicalLanguage((input as { label: string }).label) }),
    deliberate: none,
  },
  { area: "diff.category", answer: kind, deliberate: none },
  { area: "diff.riskSignals", ...riskSignals },
  { area: "diff.metrics", answer: metrics, same: sizeFlagGone, deliberate: none },
  { area: "diff.numstat", answer: numstat, deliberate: none },
  { area: "author.tier", answer: tier, deliberate: none },
  { area: "hunk.exclude", answer: excluded, deliberate: none },
  { area: "language", answer: classified, deliberate: none },
  { area: "riskSignals", ...riskSignals },
  { area: "category", answer: kind, deliberate: none },
  { area: "hunkExclude", answer: excluded, deliberate: none },
];
