import { describe, expect, test } from "vitest";
import type { Inspection, Inspector } from "../../src/ports.ts";
import { type ReviewInputs, review } from "../../src/review/review.ts";
import {
  BY_RULES,
  config,
  context,
  fileDiff,
  finding,
  LOGIN,
  NO_PRECEDENTS,
  ownComment,
  signals,
} from "./review-builders.ts";

/** Rules that find this, and no model. */
const finds = (inspection: Partial<Inspection>): ReviewInputs => ({
  ...BY_RULES,
  inspector: inspects(inspection),
});
const inspects = (inspection: Partial<Inspection>): Inspector => ({
  inspect: async () => ({ findings: [], heldBack: [], degraded: [], ...inspection }),
});

const FIX = { startLine: 13, line: 13, text: "    digest = hashlib.sha256(password).hexdigest()" };

describe("review", () => {
  test("rules see each file with its facts and head text, and the configured settings", async () => {
    let seen: Parameters<Inspector["inspect"]> | null = null;
    const inspector: Inspector = {
      inspect: async (...given) => {
        seen = given;
        return { findings: [], heldBack: [], degraded: [] };
      },
    };
    const odd = fileDiff("constructor", "@@ -0,0 +1 @@\n+x");
    const rules = { "weak-hash": "off" } as const;
    await review(
      context({
        files: [LOGIN, odd],
        headTexts: new Map([[LOGIN.path, "text"]]),
        config: { ...config(), rules },
      }),
      signals(),
      NO_PRECEDENTS,
      { ...BY_RULES, inspector },
    );
    const [files, settings] = seen as unknown as Parameters<Inspector["inspect"]>;
    expect(files).toEqual([
      { diff: LOGIN, facts: { path: LOGIN.path, language: "python", kind: "source" }, headText: "text" },
      { diff: odd, facts: { path: "constructor", language: "unknown", kind: "source" }, headText: null },
    ]);
    expect(settings).toEqual(new Map([["weak-hash", "off"]]));
  });

  test("findings, held back, left out and degraded from gather and rules all arrive, each once", async () => {
    const slow = { part: "rules", reason: "weak-hash timed out on 1 file" };
    const text = { part: "head-text", reason: "1 file could not be read" };
    const written = await review(
      context({ leftOut: [{ path: "yarn.lock", reason: "lock file" }], degraded: [text, slow] }),
      signals(),
      NO_PRECEDENTS,
      finds({
        findings: [finding(), finding({ severity: "minor", startLine: 43, line: 43 })],
        heldBack: [{ finding: finding(), reason: "kodiai-ignore in the code" }],
        degraded: [slow],
      }),
    );
    expect(written.findings.map((one) => one.place)).toEqual(["inline"]);
    expect(written.heldBack.map((held) => held.reason)).toEqual([
      "kodiai-ignore in the code",
      "below medium, the threshold of the balanced profile (from the configuration)",
    ]);
    expect(written.degraded).toEqual([text, slow]);
    expect(written.leftOut).toHaveLength(1);
    expect(written.reviewed).toEqual([LOGIN.path]);
    expect(written.cost).toEqual({ inputTokens: 0, outputTokens: 0, usd: 0, ms: 0 });
  });

  test("a profile in the title beats the configured one", async () => {
    const rules = finds({ findings: [finding({ severity: "minor" })] });
    const loud = await review(context(), signals({ profile: "thorough" }), NO_PRECEDENTS, rules);
    expect(loud.findings).toHaveLength(1);
    const quiet = await review(
      context({ config: config({ profile: "thorough" }) }),
      signals({ profile: "quiet" }),
      NO_PRECEDENTS,
      rules,
    );
    expect(quiet.findings).toHaveLength(0);
  });

  test("a finding already commented on is not said again", async () => {
    const known = finding();
    const own = [ownComment(known.id)];
    const written = await review(context({ ownComments: own }), signals(), NO_PRECEDENTS, finds({ findings: [known] }));
    expect(written.findings.map((one) => one.place)).toEqual(["already-posted"]);
  });

  test("a suggestion stays on an inline comment only, and only when the configuration wants it", async () => {
    const rules = finds({ findings: [finding({ startLine: 13, line: 13, suggestion: FIX })] });
    const offered = async (settings: Parameters<typeof config>[0]) =>
      (await review(context({ config: config(settings) }), signals(), NO_PRECEDENTS, rules)).findings[0]?.finding
        .suggestion;
    expect(await offered({})).toEqual(FIX);
    expect(await offered({ suggestions: false })).toBeNull();
    expect(await offered({ maxComments: 0 })).toBeNull();
  });

  test("a change of .kodiai.yml is noticed, also when the file is renamed or left out", async () => {
    const changes = async (more: Parameters<typeof context>[0]) =>
      (await review(context(more), signals(), NO_PRECEDENTS, finds({}))).configChanges;
    expect(await changes({})).toBe(false);
    expect(await changes({ files: [fileDiff(".kodiai.yml", "@@ -1 +1 @@\n-a\n+b")] })).toBe(true);
    expect(await changes({ files: [fileDiff("old.yml", "", { previousPath: ".kodiai.yml" })] })).toBe(true);
    expect(await changes({ leftOut: [{ path: ".kodiai.yml", reason: "filtered" }] })).toBe(true);
  });

  test("a written review survives JSON", async () => {
    const written = await review(
      context(),
      signals(),
      NO_PRECEDENTS,
      finds({ findings: [finding({ suggestion: FIX })] }),
    );
    expect(JSON.parse(JSON.stringify(written))).toEqual(written);
  });
});
