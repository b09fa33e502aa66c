// Every step of a review that reads what a stranger wrote, as a function of one text.

import { fileLinks } from "../../src/adapters/code-index/file-links.ts";
import { fileDefinitions, fileReferences } from "../../src/adapters/code-index/file-symbols.ts";
import { codeSymbols } from "../../src/adapters/code-index/symbols.ts";
import { wordIndex } from "../../src/adapters/code-index/word-index.ts";
import { codeInPage } from "../../src/adapters/rules/code-in-pages.ts";
import { prepareRules, rulesInspector } from "../../src/adapters/rules/inspector.ts";
import { inspectRepository } from "../../src/adapters/rules/repository/inspect-repository.ts";
import { redactStrings, secretRedactor } from "../../src/adapters/secrets/redact.ts";
import { analyze } from "../../src/analyze/analyze.ts";
import { attributesOf } from "../../src/config/git-attributes.ts";
import { defaultKnowledge } from "../../src/config/knowledge.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { contextOf } from "../../src/context/context.ts";
import { shapeOf, textStream } from "../../src/domain/code/code-fingerprint.ts";
import { readNotebook } from "../../src/domain/code/notebook.ts";
import { readReply } from "../../src/domain/memory/read-reply.ts";
import type { PullRequest, PullRequestContext } from "../../src/domain/pull-request.ts";
import type { EarlierFinding } from "../../src/domain/review/review-history.ts";
import { readChanges } from "../../src/gather/read-changes.ts";
import { recastFiles } from "../../src/gather/recast-files.ts";
import { selectFiles, wordOfBase } from "../../src/gather/select-files.ts";
import {
  claimOf,
  describing,
  fileRecords,
  findingHunks,
  fixOfComment,
  fixOfFinding,
  rowRecord,
} from "../../src/learn/learn.ts";
import type { Symbols } from "../../src/ports/symbols.ts";
import { reviewMarkdown } from "../../src/publish/publish.ts";
import { codeSpan, sanitizeBlock, sanitizeInline } from "../../src/publish/sanitize.ts";
import { receive } from "../../src/receive/receive.ts";
import { OF_THE_CHANGE, retrieve, retrieveForQuestion, UNAIDED } from "../../src/retrieve/retrieve.ts";
import { mergeReadings } from "../../src/review/reading/merge-readings.ts";
import { beginnings, flaggedInChange, review } from "../../src/review/review.ts";
import { knownRules } from "../../src/wire/rules.ts";
import { snapshotOf } from "../adapters/contracts/symbols.ts";
import { aContext, aRepo, aReviewJob } from "../builders/pull-request.ts";
import { drafted, reports, scriptedModel } from "../fakes/scripted-model.ts";
import { sampleReview } from "../publish/sample-review.ts";
import { embedder, memory, memoryStore, NOW } from "../retrieve/retrieve-builders.ts";
import { BY_RULES, finding, NO_PRECEDENTS } from "../review/review-builders.ts";

/** Prepares a text; what it returns is measured. */
export type Stage = (text: string) => () => unknown;

/** A change that adds a file, or that changes each second line of it. */
export function addedFile(path: string, text: string): string {
  const lines = text.split("\n");
  const head = [`diff --git a/${path} b/${path}`, "new file mode 100644", "--- /dev/null", `+++ b/${path}`];
  return [...head, `@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`), ""].join("\n");
}

export function editedFile(path: string, text: string): string {
  const lines = text.split("\n");
  const head = [`diff --git a/${path} b/${path}`, "index 1111111..2222222 100644", `--- a/${path}`, `+++ b/${path}`];
  const body = lines.flatMap((line, at) => (at % 2 === 0 ? [`-${line};`, `+${line}`] : [` ${line}`]));
  return [...head, `@@ -1,${lines.length} +1,${lines.length} @@`, ...body, ""].join("\n");
}

export function contextOfFiles(
  diff: string,
  texts: Readonly<Record<string, string>>,
  pull: Partial<PullRequest> = {},
): PullRequestContext {
  const { files } = readChanges({ kind: "unified", text: diff });
  return aContext({ job: aReviewJob(), files, headTexts: new Map(Object.entries(texts)) }, pull);
}

export const change = (path: string, text: string, draw = editedFile) =>
  contextOfFiles(draw(path, text), { [path]: text });

export const symbols: Symbols & { close(): void } = codeSymbols();
const rules = rulesInspector();
const nothing = { inspect: async () => ({ findings: [], heldBack: [], degraded: [] }) };
const redactor = secretRedactor(new Set(["a-secret-of-our-own"]));
const redact = async (text: string) => (await redactor.redact(text)).text;
const repo = aRepo();

function delivery(event: string, action: string, more: Record<string, unknown>, pull: Record<string, unknown> = {}) {
  const pull_request = {
    number: 5,
    title: "fix(auth): expire sessions",
    state: "open",
    draft: false,
    locked: false,
    user: { login: "octocat", id: 1, type: "User" },
    head: { sha: "a".repeat(40) },
    ...pull,
  };
  const payload = {
    action,
    installation: { id: 7 },
    sender: { login: "octocat", id: 1, type: "User" },
    repository: { id: 42, name: "shop", visibility: "private", owner: { login: "acme", id: 9 } },
    pull_request,
    ...more,
  };
  return { id: "72d3162e-cc78-11e3-81ab-4c9367dc0958", event, payload };
}

const RECEPTION = { host: "github.com", reviewerLogin: "kodiai-reviewer" };

function earlier(path: string, text: string): EarlierFinding {
  const stream = textStream(text);
  const last = Math.max(1, Math.min(40, text.split("\n").length));
  return {
    finding: finding({
      path,
      rule: null,
      source: "model",
      startLine: 1,
      line: last,
      title: text.slice(0, 200),
      body: text,
    }),
    place: "inline",
    shape: shapeOf(stream, 1, last),
    url: null,
    recovered: false,
  };
}

const modelOf = (text: string, path: string) => {
  const lines = text.split("\n");
  const some = Array.from({ length: 20 }, (_, at) =>
    drafted({
      path,
      quote: lines.slice(at * 3, at * 3 + 30).join("\n"),
      title: `t${at} ${text.slice(0, 300)}`,
      body: text.slice(0, 20_000),
    }),
  );
  return scriptedModel(reports(...some));
};

const precedentsWith = (context: PullRequestContext, ports: Parameters<typeof retrieve>[2]) =>
  retrieve(context, analyze(context), ports, { ...OF_THE_CHANGE, knowledge: defaultKnowledge(), now: NOW });

/** Of texts about a change: prose, settings, comments. */
export const PROSE_STAGES: Readonly<Record<string, Stage>> = {
  "receive a comment": (text) => () =>
    receive(
      delivery("issue_comment", "created", {
        issue: {
          number: 5,
          title: "t",
          state: "open",
          draft: false,
          locked: false,
          user: { login: "o", id: 1, type: "User" },
          pull_request: {},
        },
        comment: {
          id: 9,
          body: text,
          user: { login: "o", id: 1, type: "User" },
          html_url: "u",
          created_at: "2026-11-21T00:00:00Z",
        },
      }),
      RECEPTION,
    ),
  "receive a title and a description": (text) => () =>
    receive(
      delivery("pull_request", "labeled", { label: { name: "kodiai:review" } }, { title: text, body: text }),
      RECEPTION,
    ),
  "read the configuration": (text) => () => parseConfig([{ file: ".kodiai.yml", text }], knownRules()),
  "read the attributes of the base": (text) => () => attributesOf(text)("src/a.ts"),
  "analyze the title": (text) => () => analyze(aContext({}, { title: text })),
  "analyze the description": (text) => () => analyze(aContext({}, { body: text })),
  "analyze a commit": (text) => () => analyze(aContext({}, { commits: [{ sha: "a", message: text }] })),
  "analyze names and labels": (text) => () =>
    analyze(aContext({}, { labels: text.split("\n"), head: { ref: text, sha: "a".repeat(40), repo: "a/b" } })),
  "analyze a bump": (text) => () =>
    analyze(
      aContext(
        {},
        {
          title: "Bump a from 1.0.0 to 2.0.0",
          body: text,
          head: { ref: "dependabot/npm_and_yarn/a-2.0.0", sha: "a", repo: "a/b" },
          author: { login: "dependabot[bot]", id: 49699333, type: "Bot", association: "NONE" },
        },
      ),
    ),
  "retrieve for a description": (text) => {
    const context = contextOfFiles(addedFile("a.ts", "a();\n"), {}, { title: text.slice(0, 256), body: text });
    return () =>
      precedentsWith(context, { ...UNAIDED, embedder: embedder(), recall: memoryStore([{ record: memory("m") }]) });
  },
  "retrieve for a question": (text) => () =>
    retrieveForQuestion(
      {
        text,
        about: text,
        path: null,
        languages: [],
        before: [text],
        description: text,
        changed: [],
        repo,
        pull: 5,
      } as never,
      { ...UNAIDED, embedder: embedder(), recall: memoryStore([{ record: memory("m") }]) },
      { knowledge: defaultKnowledge(), now: NOW },
    ),
  "rank a memory": (text) => {
    const context = contextOfFiles(addedFile("a.ts", "const total = price * count;\n"), {}, {});
    const record = memory("m", { text, hunk: text, replies: [text], path: text.slice(0, 4_000) });
    const ports = {
      ...UNAIDED,
      embedder: embedder(),
      recall: memoryStore([{ record, vector: Float32Array.of(1, 0) }]),
    };
    return () => precedentsWith(context, ports);
  },
  "find what a description names": (text) => {
    const context = contextOfFiles(editedFile("a.ts", "a();\nb();\n"), { "a.ts": "a();\nb();\n" }, { body: text });
    const signals = analyze(context);
    const head = snapshotOf({ "a.ts": "a();\nb();\n", "b/c.ts": "x", "d.b": "y" });
    return () =>
      contextOf(context, signals, {
        snapshots: { at: async () => ({ snapshot: head, degraded: [] }) },
        symbols,
        mask: async (text: string) => text,
      });
  },
  redact: (text) => () => redactor.redact(text),
  "redact a value": (text) => () => redactStrings({ lines: text.split("\n"), text }, redactor),
  "sanitize a block": (text) => () => sanitizeBlock(text),
  "sanitize a line": (text) => () => [sanitizeInline(text), codeSpan(text)],
  "render a review": (text) => {
    const sample = sampleReview();
    const findings = sample.findings.map((one) => ({
      ...one,
      finding: { ...one.finding, title: text, body: text, path: text },
    }));
    const degraded = [{ part: text, reason: text }];
    const leftOut = text.split("\n").map((path) => ({ path, reason: "generated" }));
    return () =>
      reviewMarkdown({ ...sample, findings, degraded, leftOut, reviewed: text.split("\n"), walkthrough: text });
  },
  "read a reply": (text) => () => readReply(text),
  "remember a document": (text) => () =>
    fileRecords({ repo, path: "docs/a.md", url: "u", sha: "a", at: 0, corpus: "doc" } as never, text),
  "remember a row": (text) => {
    const row = JSON.stringify({ text, path: "a.ts", hunk: text, replies: [text] });
    return () => rowRecord(row, { languageOf: () => "typescript" } as never);
  },
  "describe a memory": (text) => () => describing(memory("m", { text, hunk: text, replies: [text, text] })),
  "claim of a finding": (text) => () =>
    claimOf(finding({ title: text, body: text }), {
      repo,
      pull: 1,
      headSha: "a",
      url: null,
      at: 0,
      author: null,
      language: "typescript",
      hunk: text,
    }),
};

/** Of texts of files, at a path. */
export const CODE_STAGES: Readonly<Record<string, (path: string) => Stage>> = {
  "parse a diff": (path) => (text) => {
    const diff = editedFile(path, text);
    return () => readChanges({ kind: "unified", text: diff });
  },
  "parse a text as a diff": () => (text) => () => readChanges({ kind: "unified", text }),
  "parse a listing": (path) => (text) => {
    const [, patch = ""] = /(@@[\s\S]*)/.exec(editedFile(path, text)) ?? [];
    const listed = { path, previousPath: null, status: "modified" as const, additions: 1, deletions: 1, patch };
    return () => readChanges({ kind: "listing", files: [listed], total: 1 });
  },
  "select files": (path) => (text) => {
    const { files } = change(path, text);
    return () => selectFiles(files, wordOfBase({ pathFilters: ["!vendor/**", "src/**"], attributes: "" }), () => text);
  },
  "read a renamed file": (path) => (text) => {
    const { files } = change(path, text);
    const renamed = files.map((file) => ({ ...file, status: "renamed" as const, previousPath: "docs/a.txt" }));
    return () =>
      recastFiles(
        renamed,
        () => false,
        async () => text,
      );
  },
  "read the code of a page": () => (text) => () => [codeInPage("a.erb", text), codeInPage("a.astro", text)],
  "read a notebook": () => (text) => {
    const source = text.split("\n").map((line) => `${line}\n`);
    const written = JSON.stringify({ cells: [{ cell_type: "code", source }] }, null, 1);
    const [file] = change("a.ipynb", written, addedFile).files;
    return () => readNotebook(written, file as never);
  },
  "analyze a file": (path) => (text) => {
    const context = change(path, text);
    return () => analyze(context);
  },
  "retrieve for a file": (path) => (text) => {
    const context = change(path, text);
    return () =>
      precedentsWith(context, {
        ...UNAIDED,
        embedder: embedder(),
        recall: memoryStore([{ record: memory("m", { hunk: text.slice(0, 4_000) }), vector: Float32Array.of(1, 0) }]),
      });
  },
  "read what is around": (path) => (text) => {
    const context = change(path, text);
    const signals = analyze(context);
    const head = snapshotOf({ [path]: text, [`other/${path}`]: text });
    return () =>
      contextOf(context, signals, {
        snapshots: { at: async () => ({ snapshot: head, degraded: [] }) },
        symbols,
        mask: async (text: string) => text,
      });
  },
  "read definitions": (path) => (text) => () => fileDefinitions(path, text, new Set(["a", "total"])),
  "read references": (path) => (text) => () =>
    fileReferences(path, text, new Set(["a", "total", "f1", "call1", "app"]), 10),
  "read links": (path) => (text) => () => fileLinks(path, text, new Set(["f", "app", "a"])),
  "index words": () => (text) => () => wordIndex(text),
  "inspect by rules": (path) => (text) => {
    const context = change(path, text, addedFile);
    const facts = new Map(analyze(context).files.map((one) => [one.path, one]));
    const files = context.files.map((diff) => ({ diff, facts: facts.get(diff.path) as never, headText: text }));
    return () => rules.inspect(files, new Map(), []);
  },
  "inspect lines by rules": (path) => (text) => {
    const context = change(path, text);
    const facts = new Map(analyze(context).files.map((one) => [one.path, one]));
    const files = context.files.map((diff) => ({ diff, facts: facts.get(diff.path) as never, headText: text }));
    return () => prepareRules(new Map(), [])(files, true);
  },
  "inspect hunks by rules": (path) => (text) => {
    const context = change(path, text, editedFile);
    const facts = new Map(analyze(context).files.map((one) => [one.path, one]));
    const files = context.files.map((diff) => ({ diff, facts: facts.get(diff.path) as never, headText: null }));
    return () => rules.inspect(files, new Map(), []);
  },
  "inspect by rules of the repository": (path) => (text) => {
    const context = change(path, text);
    const facts = new Map(analyze(context).files.map((one) => [one.path, one]));
    const files = context.files.map((diff) => ({ diff, facts: facts.get(diff.path) as never, headText: text }));
    const head = snapshotOf({ [path]: text, [`other/${path}`]: text });
    return () => inspectRepository(files, new Map(), { symbols, at: async () => ({ snapshot: head, degraded: [] }) });
  },
  "review with a past": (path) => (text) => {
    const said = Array.from({ length: 20 }, () => earlier(path, text));
    const context = { ...change(path, text), past: { checkpoint: { kind: "full" as const, reason: null }, said } };
    const signals = analyze(context);
    const ports = {
      ...BY_RULES,
      inspector: { inspect: async () => ({ findings: said.map((one) => one.finding), heldBack: [], degraded: [] }) },
    };
    return () => review(context, signals, NO_PRECEDENTS, ports);
  },
  "review by a model": (path) => (text) => {
    const context = change(path, text);
    const signals = analyze(context);
    return () => {
      const { model, delimiter } = modelOf(text, path);
      return review(context, signals, NO_PRECEDENTS, {
        ...BY_RULES,
        inspector: nothing,
        allowance: { model, delimiter, usd: 100 },
      });
    };
  },
  "review by a masked model": (path) => (text) => {
    const context = change(path, text);
    const signals = analyze(context);
    return () => {
      const { model, delimiter } = modelOf(text, path);
      return review(context, signals, NO_PRECEDENTS, {
        ...BY_RULES,
        inspector: nothing,
        allowance: { model: { ...model, mask: redact }, delimiter, usd: 100 },
      });
    };
  },
  "merge readings": (path) => (text) => {
    const lines = text.split("\n");
    const reading = (from: number) =>
      Array.from({ length: 20 }, (_, at) =>
        finding({
          path,
          startLine: at + 1,
          line: at + 1,
          title: `${from} ${at}`,
          body: lines.slice(from + at).join(" "),
        }),
      );
    return () => mergeReadings([reading(0), reading(1), reading(2)], () => 3);
  },
  "look up flagged code": (path) => (text) => {
    const { files } = change(path, text);
    const { shape } = earlier(path, text);
    const flagged = Array.from({ length: 200 }, (_, at) => ({
      memoryId: `m${at}`,
      shape,
      path,
      pull: at,
      at: 0,
      fixedAt: null,
      rule: null,
      category: "style",
      severity: "minor",
      title: "t",
      url: null,
    }));
    return () => [beginnings(files), flaggedInChange(flagged as never, files)];
  },
  "cut hunks": (path) => (text) => {
    const { files } = change(path, text);
    const all = Array.from({ length: 20 }, (_, at) => finding({ path, startLine: at + 1, line: at + 1 }));
    return () => findingHunks(all, files, redact);
  },
  "find the fix of a comment": () => (text) => {
    const lines = text.split("\n");
    const hunk = `@@ -1 +1 @@\n${lines.map((line) => `+${line}`).join("\n")}`;
    const patch = `@@ -1 +1 @@\n${lines.map((line) => ` ${line};`).join("\n")}`;
    return () => fixOfComment(hunk, patch, redact);
  },
  "find the fix of a finding": (path) => (text) => {
    const { shape } = earlier(path, text);
    // biome-ignore lint/suspicious/noThenProperty: the text at that time
    const texts = { then: text, now: `x\n${text}` };
    return () => fixOfFinding({ shape, near: 1, ...texts }, redact);
  },
};
