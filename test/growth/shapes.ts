// Changes of any number of parts: files, hunks, commits, findings, memories. Each prepares its
// input and returns what is measured.

import { codeSymbols } from "../../src/adapters/code-index/symbols.ts";
import { prepareRules, rulesInspector } from "../../src/adapters/rules/inspector.ts";
import { inspectRepository } from "../../src/adapters/rules/repository/inspect-repository.ts";
import { analyze } from "../../src/analyze/analyze.ts";
import { contextOf } from "../../src/context/context.ts";
import { shapeOf, textStream } from "../../src/domain/code/code-fingerprint.ts";
import type { PullRequestContext } from "../../src/domain/pull-request.ts";
import { selectFiles, wordOfBase } from "../../src/gather/select-files.ts";
import { reviewMarkdown } from "../../src/publish/publish.ts";
import { flaggedInChange, review } from "../../src/review/review.ts";
import { snapshotOf } from "../adapters/contracts/symbols.ts";
import { aContext } from "../builders/pull-request.ts";
import { NO_SYMBOLS } from "../fakes/no-symbols.ts";
import { sampleReview } from "../publish/sample-review.ts";
import { BY_RULES, finding, NO_PRECEDENTS } from "../review/review-builders.ts";
import type { Sized } from "./growth.ts";
import { addedFile, contextOfFiles, editedFile } from "./stages.ts";

const many = <One>(count: number, make: (at: number) => One): One[] =>
  Array.from({ length: count }, (_, at) => make(at));

const silent = { inspect: async () => ({ findings: [], heldBack: [], degraded: [] }) };
function changeOf(files: Readonly<Record<string, string>>, draw = editedFile, pull = {}): PullRequestContext {
  const diff = Object.entries(files)
    .map(([path, text]) => draw(path, text))
    .join("");
  return contextOfFiles(diff, files, pull);
}

const inspected = (context: PullRequestContext) => {
  const facts = new Map(analyze(context).files.map((one) => [one.path, one]));
  return context.files.map((diff) => ({
    diff,
    facts: facts.get(diff.path) ?? { path: diff.path, language: "unknown", kind: "source" as const },
    headText: context.headTexts.get(diff.path) ?? null,
  }));
};

/** By the rules that need no grammar. */
function inspectedLines(path: string, text: string) {
  const files = inspected(changeOf({ [path]: text }, addedFile));
  return () => prepareRules(new Map(), [])(files, true);
}

const around = (context: PullRequestContext, texts: Readonly<Record<string, string>>, symbols = NO_SYMBOLS) => {
  const signals = analyze(context);
  const head = snapshotOf(texts);
  return () =>
    contextOf(context, signals, {
      snapshots: { at: async () => ({ snapshot: head, degraded: [] }) },
      symbols,
      mask: async (text: string) => text,
    });
};

const smallFiles = (count: number, folder = (at: number) => `src/f${at % 50}`) =>
  Object.fromEntries(many(count, (at) => [`${folder(at)}/a${at}.ts`, `call${at}();\nother();\n`]));

/** One file with so many hunks of one added line each. */
function manyHunks(count: number): PullRequestContext {
  const head = ["diff --git a/a.ts b/a.ts", "index 1111111..2222222 100644", "--- a/a.ts", "+++ b/a.ts"];
  const hunks = many(count, (at) => [`@@ -${at * 10 + 1},1 +${at * 11 + 1},2 @@`, " x();", `+eval(a${at});`]).flat();
  return contextOfFiles([...head, ...hunks, ""].join("\n"), {});
}

const said = (context: PullRequestContext, count: number) => {
  const [file] = context.files;
  const text = context.headTexts.get(file?.path ?? "") ?? "";
  const stream = textStream(text);
  return many(count, (at) => ({
    finding: finding({ path: file?.path ?? "", rule: null, source: "model", startLine: at + 1, line: at + 1 }),
    place: "inline" as const,
    shape: shapeOf(stream, at + 1, at + 1),
    url: null,
    recovered: false,
  }));
};

/**
 * By stage and shape. The last symbols are those of real processes, whose own time is not measured
 * here.
 */
export const SHAPES: Readonly<Record<string, Sized>> = {
  "analyze many files": (n) => {
    const context = changeOf(smallFiles(n));
    return () => analyze(context);
  },
  "analyze many commits": (n) => {
    const context = aContext(
      {},
      { commits: many(n, (at) => ({ sha: `${at}`, message: `fix: ${at}\n\nFixes #${at}` })) },
    );
    return () => analyze(context);
  },
  "analyze many labels": (n) => {
    const context = aContext({}, { labels: many(n, (at) => `label ${at}`) });
    return () => analyze(context);
  },
  "select many files": (n) => {
    const { files } = changeOf(smallFiles(n));
    return () => selectFiles(files, wordOfBase({ pathFilters: ["!vendor/**", "src/**"], attributes: "" }));
  },
  "select many links to files of one name": (n) => {
    const link = (at: number) =>
      [
        `diff --git a/l${at}/a.ts b/l${at}/a.ts`,
        "new file mode 120000",
        "--- /dev/null",
        `+++ b/l${at}/a.ts`,
        "@@ -0,0 +1 @@",
        `+../k${at}/a.ts`,
        "",
      ].join("\n");
    const added = many(n, (at) => link(at) + addedFile(`k${at}/a.ts`, "x();"));
    const { files } = contextOfFiles(added.join(""), {});
    return () => selectFiles(files, wordOfBase({ pathFilters: [], attributes: "" }));
  },
  "read around many files": (n) => {
    const files = smallFiles(n);
    return around(changeOf(files), files);
  },
  "read around many hunks": (n) => {
    const context = manyHunks(n);
    return around(context, { "a.ts": "x();\n".repeat(n * 11) });
  },
  "read around a description of many paths": (n) => {
    const texts = Object.fromEntries(many(n, (at) => [`f${at % 100}/g/a${at}.b`, "x"]));
    const body = many(1_500, (at) => `a${at}.b`).join(" ");
    return around(changeOf({ "a.ts": "a();\nb();\n" }, editedFile, { body }), { ...texts, "a.ts": "a();\nb();\n" });
  },
  "read around many definitions": (n) => {
    const text = many(n * 4, (at) => `x${at}();`).join("\n");
    const outline = many(n, (at) => ({
      ...{ name: `f${at}`, kind: "function", path: "a.ts", signature: "" },
      ...{ startLine: 4 * at + 1, endLine: 4 * at + 4 },
    }));
    return around(changeOf({ "a.ts": text }), { "a.ts": text }, { ...NO_SYMBOLS, outline: async () => outline });
  },
  "read around nested definitions": (n) => {
    const text = many(n * 2, (at) => `x${at}();`).join("\n");
    const outline = many(n, (at) => ({
      ...{ name: `f${at}`, kind: "function", path: "a.ts", signature: "" },
      ...{ startLine: at + 1, endLine: 2 * n - at },
    }));
    return around(changeOf({ "a.ts": text }), { "a.ts": text }, { ...NO_SYMBOLS, outline: async () => outline });
  },
  "read around one name defined often": (n) => {
    const files = Object.fromEntries(many(n, (at) => [`p/f${at}/a.ts`, `thing();\nanother${at}();`]));
    const definitions = many(n * 4, (at) => ({
      ...{ name: "thing", kind: "function", path: `q/r${at % 12}/d.ts`, signature: "" },
      ...{ startLine: 1, endLine: 2 },
    }));
    const found = { definitions, references: [], unread: 0 };
    const find = async () => ({ symbols: new Map([["thing", found]]), degraded: [] });
    return around(changeOf(files), files, { ...NO_SYMBOLS, find });
  },
  "find the nearest of many files": (n) => {
    const files = Object.fromEntries(many(n, (at) => [`p/f${at}/a.ts`, "same();\n"]));
    const head = snapshotOf(files);
    const near = [...head.files.keys()];
    return async () => {
      const symbols = codeSymbols();
      try {
        return await symbols.find({ ...head, text: async () => "" }, { used: new Set(), changed: new Set(), near });
      } finally {
        symbols.close();
      }
    };
  },
  "inspect many files by rules": (n) => {
    const files = inspected(changeOf(smallFiles(n), addedFile));
    return () => rulesInspector().inspect(files, new Map(), []);
  },
  "inspect many hunks by rules": (n) => {
    const files = inspected(manyHunks(n));
    return () => rulesInspector().inspect(files, new Map(), []);
  },
  "inspect a long script of a workflow": (n) =>
    inspectedLines(
      ".github/workflows/a.yml",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an expression of GitHub Actions
      `on: push\njobs:\n  a:\n    steps:\n      - run: |\n${"          echo ${{ github.event.issue.title }}\n".repeat(n)}`,
    ),
  "inspect many columns of tables": (n) =>
    inspectedLines("db/a.sql", many(n, (at) => `ALTER TABLE t${at} ADD COLUMN c int NOT NULL;\n`).join("")),
  "inspect many updates of tables": (n) =>
    inspectedLines(
      "db/a.sql",
      many(n, (at) => `UPDATE t${at} SET a = 1;\nALTER TABLE u${at} ADD COLUMN a int;\n`).join(""),
    ),
  "inspect many dropped tables": (n) =>
    inspectedLines("db/a.sql", many(n, (at) => `DROP TABLE t${at};\nCREATE TABLE u${at} (a int);\n`).join("")),
  "inspect many removed exports": (n) => {
    const head = [
      "diff --git a/src/a.ts b/src/a.ts",
      "index 1111111..2222222 100644",
      "--- a/src/a.ts",
      "+++ b/src/a.ts",
    ];
    const removed = many(n, (at) => `-export const name${at} = ${at};`);
    const diff = [...head, `@@ -1,${n + 1} +1,1 @@`, " // kept", ...removed, ""].join("\n");
    const files = inspected(contextOfFiles(diff, { "src/a.ts": "// kept\n" }));
    const imports = many(n, (at) => ({ from: "./a.ts", name: `name${at}`, local: `name${at}`, line: at + 1 }));
    const all = many(n, (at) => `name${at}`);
    const links = async (_path: string, text: string) => ({
      ...{ functions: [], imports, calls: [] },
      exports: text.includes("name0 ") ? all : [],
    });
    const having = async (_head: unknown, words: ReadonlySet<string>) =>
      new Map([...words].map((word) => [word, ["src/b.ts"]]));
    const texts = { "src/b.ts": "x", ...Object.fromEntries(many(n, (at) => [`f/${at}/a.ts`, "x"])) };
    const at = async () => ({ snapshot: snapshotOf(texts), degraded: [] });
    const repository = { symbols: { ...NO_SYMBOLS, links, having }, at };
    return async () => {
      const { findings } = await inspectRepository(files, new Map(), repository);
      if (findings.length === 0) throw new Error("no import was found");
    };
  },
  "review many files": (n) => {
    const context = changeOf(smallFiles(n));
    const signals = analyze(context);
    return () => review(context, signals, NO_PRECEDENTS, { ...BY_RULES, inspector: silent });
  },
  "review many findings": (n) => {
    const context = changeOf({ "a.ts": many(n, (at) => `eval(a${at});`).join("\n") });
    const signals = analyze(context);
    const findings = many(n, (at) => finding({ path: "a.ts", startLine: at + 1, line: at + 1 }));
    const inspector = { inspect: async () => ({ findings, heldBack: [], degraded: [] }) };
    return () => review(context, signals, NO_PRECEDENTS, { ...BY_RULES, inspector });
  },
  "review findings against an earlier review": (n) => {
    const whole = changeOf({ "a.ts": many(n, (at) => `eval(a${at}, b, c, d, e);`).join("\n") });
    const earlier = said(whole, Math.min(n, 500));
    const context = { ...whole, past: { checkpoint: { kind: "full" as const, reason: null }, said: earlier } };
    const signals = analyze(context);
    const findings = many(n, (at) => finding({ path: "a.ts", startLine: at + 1, line: at + 1 }));
    const inspector = { inspect: async () => ({ findings, heldBack: [], degraded: [] }) };
    return () => review(context, signals, NO_PRECEDENTS, { ...BY_RULES, inspector });
  },
  "review findings against many memories": (n) => {
    const context = changeOf({ "a.ts": many(n, (at) => `eval(a${at}, b, c, d, e);`).join("\n") });
    const signals = analyze(context);
    const findings = many(n, (at) => finding({ path: "a.ts", startLine: at + 1, line: at + 1 }));
    const inspector = { inspect: async () => ({ findings, heldBack: [], degraded: [] }) };
    const by = { by: "ada", isWriter: true, reason: "by design", url: null, at: 0, isReaction: false, pull: null };
    const rejected = many(n, (at) => ({
      ...{
        memoryId: `m${at}`,
        pull: at,
        path: "a.ts",
        category: "style" as const,
        rule: `r${at}`,
        url: null,
        each: [by],
      },
    }));
    const flagged = said(context, n).map(({ shape }, at) => ({
      ...{
        memoryId: `m${at}`,
        pull: at,
        path: "a.ts",
        category: "style" as const,
        severity: "minor" as const,
        rule: null,
      },
      ...{ title: "t", shape, url: null, at: 0, fixedAt: null, isAdded: true, isDistinctive: true },
      places: [{ path: "a.ts", startLine: at + 1, line: at + 1, isWhole: true }],
    }));
    const alikeClaims = async (some: readonly unknown[]) => some.map(() => []);
    const pastDecisions = { flagged, rejected, openPulls: new Set<number>(), alikeClaims, now: 0 };
    return () => review(context, signals, NO_PRECEDENTS, { ...BY_RULES, inspector, pastDecisions });
  },
  "look up many memories in one long line": (n) => {
    const context = changeOf({ "a.ts": "call(alpha, beta, gamma, delta, epsilon); ".repeat(n) });
    const [one] = said(context, 1);
    const facts = { path: "a.ts", pull: 1, at: 0, fixedAt: null, rule: null, category: "style", severity: "minor" };
    const flagged = many(n, (at) => ({ ...facts, memoryId: `m${at}`, shape: one?.shape, title: "t", url: null }));
    return () => flaggedInChange(flagged as never, context.files);
  },
  "render many findings": (n) => {
    const sample = sampleReview();
    const findings = many(n, (at) => ({
      finding: finding({ path: `src/a${at}.ts`, startLine: at + 1, line: at + 1, title: `t${at}` }),
      place: "inline" as const,
      reason: null,
    }));
    return () => reviewMarkdown({ ...sample, findings, reviewed: findings.map((one) => one.finding.path) });
  },
  "render much that was left out": (n) => {
    const sample = sampleReview();
    const leftOut = many(n, (at) => ({ path: `src/a${at}.ts`, reason: `generated ${at % 7}` }));
    const degraded = many(n, (at) => ({ part: `part ${at}`, reason: `why ${at}` }));
    return () => reviewMarkdown({ ...sample, leftOut, degraded });
  },
};
