import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atLeast } from "../../src/domain/finding.ts";
import { anchorFindings, compareFindings, place } from "../../src/review/placing/place.ts";
import { runs } from "../property-runs.ts";
import { anyFinding, finding, LOGIN } from "./review-builders.ts";

describe("place", () => {
  test("the most severe and surest come first, then path and line", () => {
    const findings = [
      finding({ severity: "medium", startLine: 10, line: 10 }),
      finding({ severity: "major", confidence: 0.5 }),
      finding({ severity: "major", confidence: 0.9, startLine: 13, line: 13 }),
      finding({ severity: "major", confidence: 0.9, startLine: 12, line: 12 }),
      finding({ severity: "critical", confidence: 0.1 }),
    ];
    const order = place(anchorFindings(findings, [LOGIN]), 10).map((one) => findings.indexOf(one.finding));
    expect(order).toEqual([4, 3, 2, 1, 0]);
  });

  test("beyond the limit a finding is said in the summary, with the reason", () => {
    const placed = place(anchorFindings([finding({ severity: "medium" }), finding()], [LOGIN]), 1);
    expect(placed.map((one) => [one.finding.severity, one.place, one.reason])).toEqual([
      ["major", "inline", null],
      ["medium", "summary", "over the limit of 1 comment"],
    ]);
  });

  test("a limit of 0 puts everything into the summary", () => {
    expect(place(anchorFindings([finding()], [LOGIN]), 0)[0]?.place).toBe("summary");
  });

  test("existing comments do not use up the limit", () => {
    const placed = place(
      [
        { finding: finding({ severity: "critical" }), place: "already-posted", reason: "it stands" },
        { finding: finding(), place: "inline", reason: null },
      ],
      1,
    );
    expect(placed.map((one) => one.place)).toEqual(["already-posted", "inline"]);
  });

  test("nothing is lost, the order holds, the limit holds, and no milder finding takes the place of a graver one", () => {
    fc.assert(
      fc.property(fc.array(anyFinding, { maxLength: 30 }), fc.nat({ max: 20 }), (findings, limit) => {
        const grounded = anchorFindings(findings, [LOGIN]);
        const placed = place(grounded, limit);
        expect(placed.length).toBe(findings.length);
        expect(new Set(placed.map((one) => one.finding))).toEqual(new Set(findings));
        const order = placed.slice(1).map((one, index) => compareFindings(placed[index]!.finding, one.finding));
        expect(order.every((step) => step <= 0)).toBe(true);
        const comments = placed.filter((one) => one.place === "inline" || one.place === "file");
        expect(comments.length).toBeLessThanOrEqual(limit);
        const over = placed.filter((one) => one.reason?.startsWith("over the limit"));
        for (const out of over) {
          for (const { finding: kept } of comments) expect(atLeast(kept.severity, out.finding.severity)).toBe(true);
        }
      }),
      runs(5000),
    );
  });

  test("half of the comments are kept for rules, however grave a model calls what it says", () => {
    const model = Array.from({ length: 30 }, () => finding({ source: "model", rule: null, severity: "critical" }));
    const rules = Array.from({ length: 8 }, (_, at) => finding({ severity: "medium", rule: `rule-${at}` }));
    const placed = place(anchorFindings([...model, ...rules], [LOGIN]), 10);
    const comments = placed.filter((one) => one.place === "inline").map((one) => one.finding.source);
    expect(comments.filter((source) => source === "rule")).toHaveLength(5);
    expect(comments).toHaveLength(10);
    expect(
      place(anchorFindings([...model, rules[0]!], [LOGIN]), 10).filter((one) => one.place === "inline"),
    ).toHaveLength(10);
  });
});
