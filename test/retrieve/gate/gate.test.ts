import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { userPattern } from "../../../src/config/patterns.ts";
import type { GateDecision } from "../../../src/domain/retrieval.ts";
import { namedThings } from "../../../src/retrieve/gate/code-identifiers.ts";
import { GATE, type GateConfig, type GateContext, gateByRules } from "../../../src/retrieve/gate/gate.ts";
import { added, countsOf, given, memory, type Shape } from "../retrieve-builders.ts";
import { SHAPES } from "./gate-shapes.ts";

const SOME = { counts: countsOf([memory("a", { language: "cpp" }), memory("b")]), version: 1 };

function seen(shape: Shape, about: GateContext["memory"] = SOME): GateContext {
  const { context, signals } = given(shape);
  return { ...context, signals, memory: about };
}

function decide(shape: Shape, config: Partial<GateConfig> = {}, about?: GateContext["memory"]): GateDecision | null {
  return gateByRules(seen(shape, about), { ...GATE, ...config });
}

const patterns = (...sources: readonly string[]) => sources.map(userPattern).filter((pattern) => "matches" in pattern);
const CODE: Shape = { title: "feat: carts", files: { "src/cart.ts": added("const a = 1;") } };
const LOCK: Shape = { title: "Refresh", files: { "package-lock.json": ' {\n+  "a": 1,' } };

describe("shapes of pull requests", () => {
  test("there are at least sixty, and both kinds", () => {
    expect(SHAPES.length).toBeGreaterThanOrEqual(60);
    expect(new Set(SHAPES.map(({ name }) => name)).size).toBe(SHAPES.length);
    expect(SHAPES.filter(({ skip }) => skip).length).toBeGreaterThanOrEqual(25);
  });

  test.each(SHAPES)("$name: skip $skip", (shape) => {
    const decision = decide(shape);
    expect({ ...decision, retrieve: decision?.retrieve ?? true }).toMatchObject({ retrieve: !shape.skip });
    expect(decision?.reason ?? "asks a model or searches").not.toBe("");
  });

  test("no shape that memory could help is skipped, and at least nine of ten others are", () => {
    const skipped = (shape: Shape) => decide(shape)?.retrieve === false;
    expect(SHAPES.filter((shape) => !shape.skip && skipped(shape)).map(({ name }) => name)).toEqual([]);
    const skippable = SHAPES.filter(({ skip }) => skip);
    expect(skippable.filter(skipped).length / skippable.length).toBeGreaterThanOrEqual(0.9);
  });
});

describe("the rules in their order", () => {
  test.each([
    ["package-lock.json", "lock-files"],
    ["dist/main.js", "generated"],
    ["src/a.md", "small-docs"],
    ["src/a.ts", "few-files"],
  ])("%s is decided by %s", (path, rule) => {
    expect(decide({ title: "T", files: { [path]: " a\n+b" } })?.decidedBy).toBe(rule);
  });

  test("a disabled gate searches with certainty and says so", () => {
    expect(decide(LOCK, { enabled: false })).toMatchObject({
      retrieve: true,
      confidence: 1,
      reason: expect.stringContaining("disabled"),
    });
  });

  test("an empty memory is not searched, for any change; one that could not be counted is", () => {
    const empty = { ...SOME, counts: countsOf([]) };
    expect(decide(CODE, {}, empty)).toMatchObject({ retrieve: false, confidence: 1, decidedBy: "empty-memory" });
    expect(decide(CODE, {}, { ...SOME, counts: null })?.retrieve).toBe(true);
  });

  test("a retrieve pattern on title or path wins over a skip pattern", () => {
    const config = { retrievePatterns: patterns("^src/billing/"), skipPatterns: patterns(".*") };
    const billing = { title: "T", files: { "src/billing/a.ts": added("a") } };
    expect(decide(billing, config)).toMatchObject({
      retrieve: true,
      confidence: 0.99,
      reason: "retrievePatterns: ^src/billing/",
    });
    expect(decide(CODE, config)).toMatchObject({ retrieve: false, confidence: 0.99, decidedBy: "skip-pattern" });
    expect(decide({ ...LOCK, title: "HOTFIX" }, { retrievePatterns: patterns("\\bhotfix\\b") })?.decidedBy).toBe(
      "retrieve-pattern",
    );
  });

  test("a skip pattern must match every changed file", () => {
    const both = { title: "T", files: { "i18n/de.json": added("a"), "src/a.ts": added("a") } };
    expect(decide(both, { skipPatterns: patterns("^i18n/") })?.decidedBy).not.toBe("skip-pattern");
    expect(decide(both, { skipPatterns: patterns("^i18n/", "^src/") })?.decidedBy).toBe("skip-pattern");
  });

  test.each([
    ["a person asked", { ...LOCK, explicit: true }],
    ["the title asks for a strict review", { ...LOCK, title: "[strict-review] Refresh" }],
    ["the title asks for a security review", { ...LOCK, title: "[security-review] Refresh" }],
  ])("%s: searched by both ways", (_, shape) => {
    expect(decide(shape)).toMatchObject({
      retrieve: true,
      confidence: 0.99,
      strategy: "hybrid",
      decidedBy: "explicit",
    });
  });

  test("a risk vetoes every skip, also one that patterns ask for; a dependency manifest alone does not", () => {
    const risky = { title: "T", files: { "migrations/7.sql": " --\n+ALTER TABLE a ADD b int;" } };
    expect(decide(risky, { skipPatterns: patterns(".*") })).toMatchObject({
      retrieve: true,
      confidence: 0.95,
      strategy: "semantic",
      decidedBy: "risk",
    });
    expect(decide(LOCK)?.retrieve).toBe(false);
  });

  test("each class of change has its name, its confidence and its strategy [001-09]", () => {
    const reported = (name: string) => {
      const decision = decide(SHAPES.find((shape) => shape.name === name) ?? CODE);
      return [decision?.decidedBy, decision?.confidence, decision?.strategy];
    };
    expect(reported("a pure rename")).toEqual(["nothing-to-review", 0.99, null]);
    expect(reported("a lock file that pathFilters brought back")).toEqual(["lock-files", 0.99, null]);
    expect(reported("a patch bump by Dependabot")).toEqual(["dependency-bump", 0.95, null]);
    expect(reported("a major bump")).toEqual(["large-dependency-bump", 0.8, "keyword"]);
    expect(reported("version and changelog")).toEqual(["release", 0.9, null]);
    expect(reported("a typo in the README")).toEqual(["small-docs", 0.9, null]);
    expect(reported("a comment rewritten")).toEqual(["comments-only", 0.9, null]);
    expect(reported("a page of documentation")).toEqual(["docs", 0.6, "keyword"]);
    expect(reported("a revert")).toEqual(["revert", 0.9, "keyword"]);
    expect(reported("tests only")).toEqual(["few-files", 0.9, "keyword"]);
    expect(reported("a fix over many files")).toEqual(["bug-fix", 0.9, "related-files"]);
    expect(reported("a feature over many files")).toEqual(["code", 0.9, "hybrid"]);
    expect(reported("many files of configuration")).toEqual([undefined, undefined, undefined]);
  });

  test("changed prose of at most twenty lines is not searched for [001-09]", () => {
    const prose = (count: number) =>
      decide({
        title: "Say why",
        files: { "docs/why.md": Array.from({ length: count }, (_, at) => `+Word ${at}`).join("\n") },
      });
    expect(prose(20)).toMatchObject({ retrieve: false, decidedBy: "small-docs" });
    expect(prose(21)).toMatchObject({ retrieve: true, decidedBy: "docs" });
  });

  const many = (count: number, path: (at: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [path(at), added("a: 1")]));

  test.each([
    ["five files", "T", many(5, (at) => `settings/${at}.yaml`), "few-files"],
    ["six files of configuration", "T", many(6, (at) => `settings/${at}.yaml`), undefined],
    ["six, one of them of code", "T", { ...many(5, (at) => `settings/${at}.yaml`), "a.go": added("a = 1") }, "code"],
    ["six of a feature", "feat: zones", many(6, (at) => `settings/${at}.yaml`), "code"],
    ["six about a crash", "No more crash at start", many(6, (at) => `settings/${at}.yaml`), "bug-fix"],
    ["a revert by its type", "revert: zones", many(6, (at) => `settings/${at}.yaml`), "revert"],
    ["a revert as git writes it", 'Revert "Add zones"', many(6, (at) => `settings/${at}.yaml`), "revert"],
    [
      "a few words of prose beside a build's output",
      "T",
      { "docs/a.md": added("Word"), "dist/a.js": added("a") },
      "few-files",
    ],
    ["a comment beside a build's output", "T", { "src/a.ts": added("// why"), "dist/a.js": added("a") }, "few-files"],
  ])("%s: %#", (_, title, files, rule) => {
    expect(decide({ title, files })?.decidedBy).toBe(rule);
  });

  test("a generated file beside a lock file that people review is still generated", () => {
    const shape = { title: "T", pathFilters: ["**", "package-lock.json"], files: { "package-lock.json": " {\n+a" } };
    const context = { ...seen(shape), leftOut: [{ path: "dist/a.js", reason: "build output" }] };
    expect(gateByRules(context)).toMatchObject({ retrieve: false, confidence: 0.95, decidedBy: "generated" });
    const unread = { ...context, leftOut: [{ path: "dist/a.js", reason: "its diff could not be read" }] };
    expect(gateByRules(unread)?.retrieve).toBe(true);
  });

  test("names in title or body are looked up by words first", () => {
    const shape = { title: "T", body: "`parsePrice` rounds", files: { "src/a.ts": added("a") } };
    expect(decide(shape)).toMatchObject({
      retrieve: true,
      confidence: 0.95,
      strategy: "keyword",
      reason: "names parsePrice",
    });
  });

  test("a skip that is less certain than the threshold becomes a search and says so", () => {
    const typo = SHAPES.find(({ name }) => name === "a typo in the README") ?? CODE;
    expect(decide(typo, { confidenceThreshold: 0.95 })).toMatchObject({
      retrieve: true,
      reason: expect.stringContaining("below the confidence threshold 0.95"),
    });
    expect(decide(typo, { confidenceThreshold: 0.9 })?.retrieve).toBe(false);
  });

  test("the estimate of relevance is the share of memories in the languages of the change", () => {
    const shape = { title: "T", files: { "src/a.cpp": added("int a;") } };
    expect(decide(shape)?.estimatedRelevance).toBe(0.5);
    expect(decide(LOCK)?.estimatedRelevance).toBe(0);
  });

  test("decides about anything without throwing, always the same, with a reason and a confidence in range", () => {
    const text = fc.string({ maxLength: 200 });
    const path = fc.oneof(
      fc.constantFrom("constructor", "__proto__", "a.ts", "yarn.lock", "README.md"),
      fc.string({ minLength: 1 }),
    );
    fc.assert(
      fc.property(text, text, fc.array(fc.record({ path, reason: text })), (title, body, leftOut) => {
        const code = seen(CODE);
        const context: GateContext = { ...code, pull: { ...code.pull, title, body }, leftOut };
        const decision = gateByRules(context);
        expect(gateByRules(context)).toEqual(decision);
        if (decision === null) return;
        expect(decision.reason).not.toBe("");
        expect(decision.confidence).toBeGreaterThanOrEqual(0);
        expect(decision.confidence).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("a rule that fails is a search, never an exception", () => {
    const broken = { ...seen(LOCK), memory: null } as unknown as GateContext;
    expect(() => gateByRules(broken)).not.toThrow();
  });
});

describe("names of things in prose", () => {
  test.each([
    ["`anything in backticks`", ["anything in backticks"]],
    ["parsePrice drops UserService and snake_case_name", ["parsePrice", "UserService", "snake_case_name"]],
    ["see src/cart/price.ts and MAX_RETRIES, call close()", ["src/cart/price.ts", "close", "MAX_RETRIES"]],
    ["TypeScript strictness on GitHub with OAuth", []],
    ["history of schema migrations", []],
  ])("%s", (text, names) => {
    expect(namedThings(text)).toEqual(names);
  });

  test("a megabyte of nearly-names is read in linear time", () => {
    for (const unit of ["aB", "a_", "a/", "a.", "`", "Aa", "a("])
      expect(namedThings(unit.repeat(500_000)).length).toBeLessThanOrEqual(100);
  });
});
