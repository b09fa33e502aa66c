import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DependencyUpdate, PackageUpdate } from "../../src/domain/dependency-update.ts";
import { dependencyUpdateLines, updateVerdict } from "../../src/publish/dependency-update.ts";
import { BODY_LIMIT, renderSummary } from "../../src/publish/render-summary.ts";
import { runs } from "../property-runs.ts";
import { violations } from "./github-markdown.ts";
import { hostile } from "./hostile-text.ts";
import { sampleReview } from "./sample-review.ts";

const OURS = {
  links: /^https:\/\/github\.com\/(?:acme\/shop\/blob\/[0-9a-f]{40}[\w./%?=#-]*|advisories\/GHSA(?:-[2-9a-z]{4}){3})$/,
  structures: ["table", "blockQuote"],
};

const ADVISORY = {
  id: "GHSA-35jh-r3h4-6jhm",
  severity: "major",
  summary: "Command Injection",
  malware: false,
  range: "< 4.17.21",
  patched: "4.17.21",
} as const;

function aPackage(more: Partial<PackageUpdate> = {}): PackageUpdate {
  return {
    name: "lodash",
    ecosystem: "npm",
    from: "4.17.20",
    to: "4.17.21",
    change: "updated",
    step: "patch",
    toPrerelease: false,
    direct: true,
    source: "diff",
    place: { path: "package.json", line: 4 },
    saidTo: null,
    advisories: { kind: "known", fixed: [], brought: [], remaining: [] },
    licence: null,
    ...more,
  };
}

function anUpdate(more: Partial<DependencyUpdate> = {}): DependencyUpdate {
  return {
    kind: "update",
    packages: [aPackage()],
    more: 0,
    notes: [],
    usage: [],
    notLooked: [],
    degraded: [],
    findings: [],
    ...more,
  };
}

const said = (update: DependencyUpdate) => dependencyUpdateLines(sampleReview({ update }), 8_000).join("\n");

describe("the verdict about an update", () => {
  const known = (more: object) =>
    aPackage({ advisories: { kind: "known", fixed: [], brought: [], remaining: [], ...more } });
  const unknown = aPackage({ name: "rc", advisories: { kind: "unknown", reason: "the question failed" } });
  const looked = (places: number) =>
    ({
      name: "lodash",
      kind: "looked",
      places: Array.from({ length: places }, (_, n) => ({ path: `src/${n}.ts`, line: null, broken: [] })),
      more: 0,
    }) as const;
  const notes = (read: number, lines: readonly string[]) => ({
    name: "lodash",
    repository: "lodash/lodash",
    read,
    breaking: lines.length === 0 ? [] : [{ tag: "v1", lines }],
    missing: null,
  });
  const nowhere = "where it is used was not looked at; release notes were not read";

  test.each([
    [anUpdate(), `no known advisory at the new version; ${nowhere}`],
    [
      anUpdate({ more: 3 }),
      `no known advisory at the new versions; advisories were looked up for 1 of 4 packages; ${nowhere}`,
    ],
    [anUpdate({ packages: [unknown] }), `advisories were not looked up; ${nowhere}`],
    [
      anUpdate({ packages: [known({ fixed: [ADVISORY] })] }),
      `no known advisory at the new version; 1 known advisory fixed; ${nowhere}`,
    ],
    [
      anUpdate({ packages: [known({ brought: [ADVISORY, ADVISORY] })] }),
      `2 known advisories new with the update; ${nowhere}`,
    ],
    [
      anUpdate({ packages: [known({ remaining: [ADVISORY] }), unknown] }),
      `advisories were looked up for 1 of 2 packages; 1 known advisory as before; ${nowhere}`,
    ],
    [
      anUpdate({ packages: [aPackage({ step: "major" })] }),
      `no known advisory at the new version; 1 major step; ${nowhere}`,
    ],
    [
      anUpdate({ packages: [aPackage({ step: "downgrade" })] }),
      `no known advisory at the new version; 1 downgrade; ${nowhere}`,
    ],
    [
      anUpdate({ usage: [looked(3)], notes: [notes(4, [])] }),
      "no known advisory at the new version; 3 places in the changed files name it; breaking notes: none found in the 4 release notes read",
    ],
    [
      anUpdate({ usage: [looked(0)], notes: [notes(1, ["a", "b"])] }),
      "no known advisory at the new version; no place in the changed files names it; breaking notes: 2 lines in the release note read",
    ],
    [anUpdate({ packages: [] }), "which packages it changes could not be read from title, description or manifests"],
  ])("%# is made of what is known", (update, words) => {
    expect(updateVerdict(update)).toBe(words);
    expect(words).not.toMatch(/\bsafe\b|\bmerge\b/);
  });
});

describe("the section about an update", () => {
  test("stays inert, in its space and in its table, for any names, versions, notes and paths", () => {
    const text = fc.option(hostile, { nil: null });
    const any = fc.record({
      name: hostile,
      from: text,
      to: text,
      note: hostile,
      path: hostile,
      reason: hostile,
      licence: hostile,
    });
    fc.assert(
      fc.property(any, ({ name, from, to, note, path, reason, licence }) => {
        const advisories = {
          kind: "known",
          fixed: [ADVISORY],
          brought: [],
          remaining: [{ ...ADVISORY, summary: note }],
        } as const;
        const update = anUpdate({
          packages: [
            aPackage({ name, from, to, saidTo: to, licence: { from: licence, to: note }, advisories }),
            aPackage({ name: note, advisories: { kind: "unknown", reason } }),
          ],
          notes: [
            { name, repository: null, read: 1, breaking: [{ tag: path, lines: [note, reason] }], missing: reason },
          ],
          usage: [
            { name, kind: "looked", places: [{ path, line: 3, broken: [note] }], more: 0 },
            { name: note, kind: "not-looked", reason },
          ],
          notLooked: [{ what: "the dependency graph", reason }],
        });
        const section = said(update);
        expect(violations(section, OURS)).toEqual([]);
        expect(
          section
            .split("\n")
            .filter((line) => line.startsWith("| "))
            .map((line) => line.split("|").length),
        ).toEqual([8, 8, 8]);
      }),
      runs(300),
    );
  });

  test("counts what does not fit, and leaves the summary within GitHub's limit", () => {
    const name = "x".repeat(5_000);
    const packages = Array.from({ length: 50 }, (_, n) =>
      aPackage({
        name: `${name}-${n}`,
        advisories: { kind: "known", fixed: Array(30).fill(ADVISORY), brought: [], remaining: [] },
      }),
    );
    const lines = Array.from({ length: 8 }, () => "y".repeat(300));
    const update = anUpdate({
      packages,
      more: 7,
      notes: packages.slice(0, 5).map(({ name: one }) => ({
        name: one,
        repository: null,
        read: 9,
        breaking: Array(9).fill({ tag: "v1", lines }),
        missing: "z".repeat(500),
      })),
      usage: packages.slice(0, 5).map(({ name: one }) => ({
        name: one,
        kind: "looked",
        places: Array.from({ length: 10 }, (_, n) => ({ path: `${"p/".repeat(400)}${n}.ts`, line: n + 1, broken: [] })),
        more: 12,
      })),
    });
    const review = sampleReview({ update });
    const section = dependencyUpdateLines(review, 8_000).join("\n");
    expect(section.length).toBeLessThanOrEqual(8_000);
    const reported = section.split("\n").filter((line) => line.startsWith("| `x")).length;
    expect(section).toContain(`And ${57 - reported} more packages.`);
    expect(section).toMatch(/> - and \d+ more lines/);
    expect(renderSummary(review, review.findings).length).toBeLessThanOrEqual(BODY_LIMIT);
  });

  test("is not there for any other change", () => {
    expect(dependencyUpdateLines(sampleReview(), 8_000)).toEqual([]);
  });
});
