import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Suppression } from "../../src/config/repo-config.ts";
import { atLeast, type Finding } from "../../src/domain/finding.ts";
import { filterFindings, type ReportingPolicy } from "../../src/review/filter-findings.ts";
import { anchorFindings } from "../../src/review/placing/place.ts";
import { runs } from "../property-runs.ts";
import { anyFinding, finding, LOGIN } from "./review-builders.ts";

const DIAL: ReportingPolicy = {
  severityThreshold: undefined,
  profile: "balanced",
  profileFrom: "configuration",
  styleOk: false,
  suppress: [],
  posted: new Set(),
  declined: new Map(),
  asked: new Map(),
};

const filtered = (findings: readonly Finding[], dial: Partial<ReportingPolicy> = {}) =>
  filterFindings(anchorFindings(findings, [LOGIN]), { ...DIAL, ...dial });

describe("prune", () => {
  test.each([
    ["quiet", "medium", "major"],
    ["balanced", "minor", "medium"],
    ["thorough", null, "minor"],
  ] as const)("the %s profile holds back %s and says %s", (profile, silent, said) => {
    expect(filtered([finding({ severity: said })], { profile }).reported).toHaveLength(1);
    if (silent !== null) expect(filtered([finding({ severity: silent })], { profile }).heldBack).toHaveLength(1);
  });

  test("of a model's minor findings the balanced profile posts defects, and not how code is written", () => {
    const minor = { severity: "minor", source: "model", rule: null } as const;
    const defect = finding({ ...minor, category: "correctness" });
    const naming = finding({ ...minor, category: "maintainability", line: 13 });
    const { reported, heldBack } = filtered([defect, naming]);
    expect(reported.map((one) => one.finding)).toEqual([defect]);
    expect(heldBack.map((one) => one.finding)).toEqual([naming]);
    expect(filtered([defect], { profile: "quiet" }).reported).toEqual([]);
    expect(filtered([defect, naming], { profile: "thorough" }).reported).toHaveLength(2);
  });

  test("the reason names the floor and where the profile comes from", () => {
    const { heldBack } = filtered([finding({ severity: "medium" })], { profile: "quiet", profileFrom: "title" });
    expect(heldBack[0]?.reason).toBe("below major, the threshold of the quiet profile (from the title)");
  });

  test("a configured threshold beats the profile", () => {
    const minor = finding({ severity: "minor" });
    expect(filtered([minor], { profile: "quiet", severityThreshold: "minor" }).reported).toHaveLength(1);
    expect(filtered([minor], { profile: "thorough", severityThreshold: "major" }).heldBack[0]?.reason).toBe(
      "below major, the configured threshold",
    );
  });

  test("[style-ok] holds back style and nothing else", () => {
    const { reported, heldBack } = filtered([finding({ category: "style" }), finding({ line: 13 })], { styleOk: true });
    expect(reported).toHaveLength(1);
    expect(heldBack[0]?.reason).toBe("style, and the title says [style-ok]");
  });

  test("what the repository suppresses is held back with its pattern, unless it is critical", () => {
    const suppress = [Suppression.parse({ pattern: "glob:*string*", paths: ["src/**"] })];
    const titled = { title: "SQL is built from strings", category: "correctness" } as const;
    const mild = finding({ ...titled, severity: "major" });
    expect(filtered([mild], { suppress }).heldBack).toEqual([
      { finding: mild, reason: 'suppressed by "glob:*string*", one of review.suppress' },
    ]);
    const severe = finding({ ...titled, severity: "critical" });
    expect(filtered([severe], { suppress }).heldBack).toEqual([]);
  });

  test("of two rules on one line and category the more severe stays, and the other names it", () => {
    const weak = finding({ severity: "medium", rule: "string-query" });
    const strong = finding({ severity: "critical" });
    const { reported, heldBack } = filtered([weak, strong]);
    expect(reported.map((one) => one.finding)).toEqual([strong]);
    expect(heldBack).toEqual([
      { finding: weak, reason: "rule sql-string-build reports the same line, at least as severely" },
    ]);
  });

  test("a model never takes the place of a rule, and is not needed where a rule says as much", () => {
    const rule = finding({ severity: "major" });
    const graver = finding({ severity: "critical", source: "model", rule: null });
    const milder = finding({ severity: "medium", source: "model", rule: null });
    expect(filtered([graver, rule]).reported).toHaveLength(2);
    expect(filtered([milder, rule]).reported.map((one) => one.finding)).toEqual([rule]);
  });

  test("one rule may report a line twice, and two rules in different categories", () => {
    expect(filtered([finding(), finding()]).reported).toHaveLength(2);
    expect(filtered([finding(), finding({ rule: "slow-query", category: "performance" })]).reported).toHaveLength(2);
  });

  test("one id is said once", () => {
    const one = finding();
    expect(filtered([one, { ...one, line: 12 }]).heldBack[0]?.reason).toBe("the same finding was reported twice");
  });

  test("a finding with an existing comment is not posted again, and is preferred to its equal that would need one", () => {
    const fresh = finding({ confidence: 1, rule: "a" });
    const old = finding({ rule: "b" });
    const { reported, heldBack } = filtered([fresh, old], { posted: new Set([old.id]) });
    expect(reported).toEqual([{ finding: old, place: "already-posted", reason: "already commented on" }]);
    expect(heldBack).toHaveLength(1);
  });

  test("said and held back together are all that came in, and nothing below the floor is said", () => {
    const ids = fc.uniqueArray(fc.constantFrom("fnd_000000000001", "fnd_000000000007"));
    fc.assert(
      fc.property(fc.array(anyFinding, { maxLength: 25 }), fc.boolean(), ids, (findings, styleOk, posted) => {
        const { reported, heldBack } = filtered(findings, { styleOk, posted: new Set(posted) });
        expect(reported.length + heldBack.length).toBe(findings.length);
        const out = [...reported.map((one) => one.finding), ...heldBack.map((one) => one.finding)];
        expect(new Set(out)).toEqual(new Set(findings));
        expect(new Set(reported.map((one) => one.finding.id)).size).toBe(reported.length);
        for (const { finding: one, place } of reported) {
          expect(atLeast(one.severity, "medium")).toBe(true);
          expect(styleOk && one.category === "style").toBe(false);
          expect(place === "already-posted").toBe(posted.includes(one.id as never));
        }
      }),
      runs(5000),
    );
  });
});
