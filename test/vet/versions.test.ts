import fc from "fast-check";
import semver from "semver";
import { describe, expect, test } from "vitest";
import { bareVersion, compareVersions, inRange, isPrerelease, updateStep } from "../../src/vet/compare-versions.ts";
import { runs } from "../property-runs.ts";

/** Each list from low to high, as the ecosystem's own documents order it. */
const LADDERS: Readonly<Record<string, readonly string[]>> = {
  npm: ["0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2", "1.10.0", "v2"],
  python: [
    ...["0.9", "1.0.dev1", "1.0a1.dev2", "1.0a1", "1.0b2", "1.0rc1", "1.0", "1.0.post1.dev3", "1.0.post1"],
    ...["1.0.1", "1.1", "1.10", "2024.1.5", "1!0.1"],
  ],
  ruby: ["0.9", "1.0.0.pre1", "1.0.0.rc1", "1.0.0", "1.0.1", "1.10.0", "2.0.0.beta", "2.0.0"],
  java: [
    ...["0.9", "1.0-alpha-1", "1.0-beta1", "1.0-m2", "1.0-rc1", "1.0-SNAPSHOT", "1.0", "1.0-sp1", "1.0-jre", "1.0-1"],
    ...["1.0.1", "1.2", "1.10", "5.3.18.RELEASE", "5.3.20"],
  ],
  dotnet: ["1.0.0-Alpha", "1.0.0-beta", "1.0.0", "1.0.0.1", "1.0.1", "1.10.0", "13.0.3"],
  php: ["1.0.0-dev", "1.0.0-alpha1", "1.0.0-beta2", "1.0.0-RC1", "1.0.0", "1.0.0-p1", "1.0.1", "2.0", "10.0.0.1"],
  go: [
    "v0.0.0-20191109021931-daa7c04131f5",
    "v0.0.1",
    "v1.2.3",
    "v1.2.4-0.20200101000000-abcdefabcdef",
    "v1.2.4",
    "v2.0.0+incompatible",
  ],
};

/** Different spellings of one version. */
const SAME: readonly (readonly [string | null, string, string])[] = [
  ["npm", "1.2", "1.2.0"],
  ["npm", "v1.2.3+build.5", "1.2.3"],
  ["python", "1.0", "1.0.0"],
  ["python", "1.0-alpha.1", "1.0a1"],
  ["python", "2.0+cu118", "2.0"],
  ["ruby", "1.0", "1.0.0"],
  ["java", "1.0.0.Final", "1"],
  ["java", "1.0-cr1", "1.0-rc1"],
  ["dotnet", "1.0", "1.0.0.0"],
  ["php", "v2", "2.0.0"],
  [null, "3", "3.0.0"],
];

describe("the order of versions", () => {
  test.each(Object.entries(LADDERS))("of %s is that of its ecosystem", (ecosystem, ladder) => {
    const wrong = ladder.flatMap((low, at) =>
      ladder.slice(at + 1).flatMap((high) => {
        const [up, down] = [compareVersions(ecosystem, low, high), compareVersions(ecosystem, high, low)];
        return up !== null && down !== null && up < 0 && down > 0 ? [] : [`${low} < ${high}: ${up}, ${down}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("knows different spellings of one version", () => {
    expect(SAME.filter(([ecosystem, a, b]) => compareVersions(ecosystem, a, b) !== 0)).toEqual([]);
  });

  test.each([
    "latest",
    "main",
    "",
    "1.x",
    "workspace:*",
    "8f4b7f84864484a7bf31766abe9204da3cbe65b3",
    "1".repeat(200),
    "__proto__",
  ])("does not guess about %j", (text) => {
    for (const ecosystem of [...Object.keys(LADDERS), null]) {
      expect(compareVersions(ecosystem, text, "1.0.0"), ecosystem ?? "none").toBeNull();
    }
  });

  const anyVersion = fc.constantFrom(...Object.values(LADDERS).flat(), "latest", "1.0.0.0.0", "constructor");
  test("is antisymmetric and transitive for any input", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(LADDERS), null),
        anyVersion,
        anyVersion,
        anyVersion,
        (ecosystem, a, b, c) => {
          const [ab, ba, bc, ac] = [
            compareVersions(ecosystem, a, b),
            compareVersions(ecosystem, b, a),
            compareVersions(ecosystem, b, c),
            compareVersions(ecosystem, a, c),
          ];
          expect(ab === null).toBe(ba === null);
          if (ab !== null && ba !== null) expect(Math.sign(ab) + Math.sign(ba)).toBe(0);
          if (ab !== null && bc !== null && ab <= 0 && bc <= 0) expect(ac).toBeLessThanOrEqual(0);
        },
      ),
      runs(3_000),
    );
  });

  test("ends in time for a megabyte", () => {
    for (const ecosystem of [...Object.keys(LADDERS), null]) {
      for (const text of ["1.".repeat(500_000), "1-a".repeat(300_000), " ".repeat(1_000_000)]) {
        expect(compareVersions(ecosystem, text, "1")).toBeNull();
        expect(inRange(ecosystem, `< ${text}`, "1")).toBe("unknown");
      }
    }
  });
});

const anySemver = fc
  .record({
    numbers: fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 4 }), fc.nat({ max: 4 })),
    pre: fc.option(fc.constantFrom("alpha", "alpha.1", "beta.2", "rc.1"), { nil: null }),
  })
  .map(({ numbers, pre }) => `${numbers.join(".")}${pre === null ? "" : `-${pre}`}`);
const anyPart = fc
  .tuple(fc.constantFrom("<", "<=", ">", ">=", "="), anySemver)
  .map(([sign, version]) => `${sign} ${version}`);

describe("a range of an advisory", () => {
  test("holds exactly what npm's own ranges hold", () => {
    fc.assert(
      fc.property(fc.array(anyPart, { minLength: 1, maxLength: 3 }), anySemver, (parts, version) => {
        const ours = inRange("npm", parts.join(", "), version);
        expect(ours).toBe(semver.satisfies(version, parts.join(" "), { includePrerelease: true }) ? "yes" : "no");
      }),
      runs(3_000),
    );
  });

  test("and its opposite never hold the same version, in any ecosystem", () => {
    const opposite = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" } as const;
    const signs = fc.constantFrom(...(Object.keys(opposite) as (keyof typeof opposite)[]));
    const anyEcosystem = fc.constantFrom(...Object.entries(LADDERS));
    const cases = anyEcosystem.chain(([ecosystem, ladder]) =>
      fc.tuple(fc.constant(ecosystem), signs, fc.constantFrom(...ladder), fc.constantFrom(...ladder)),
    );
    fc.assert(
      fc.property(cases, ([ecosystem, sign, bound, version]) => {
        const answers = [
          inRange(ecosystem, `${sign} ${bound}`, version),
          inRange(ecosystem, `${opposite[sign]} ${bound}`, version),
        ];
        expect(answers.toSorted()).toEqual(["no", "yes"]);
      }),
    );
  });

  test.each([
    ["python", ">= 1.0, < 2.0", "1.5", "yes"],
    ["python", ">= 1.0, < 2.0", "2.0", "no"],
    ["npm", "= 1.0.0", "1.0.0", "yes"],
    ["npm", "1.0.0", "1.0.0", "yes"],
    ["java", "< 2.15.0", "2.15.0-rc1", "yes"],
    ["npm", "< 1.2.3", "main", "unknown"],
    ["npm", "^1.2.3", "1.2.4", "unknown"],
    ["npm", "^1.2.3, < 1.2.4", "1.2.4", "no"],
    ["npm", "", "1.0.0", "unknown"],
    ["npm", ",".repeat(30), "1.0.0", "unknown"],
  ])("in %s %j, asked about %s, says %s", (ecosystem, range, version, holds) => {
    expect(inRange(ecosystem, range, version)).toBe(holds);
  });
});

test.each([
  ["npm", "4.17.20", "4.17.21", "patch"],
  ["npm", "1.2.0", "1.3", "minor"],
  ["npm", "1.9.9", "2.0.0-rc.1", "major"],
  ["npm", "2.0.0-rc.1", "2.0.0-rc.2", "prerelease"],
  ["npm", "2.0.0-rc.1", "2.0.0", "prerelease"],
  ["npm", "2.0.0", "1.9.9", "downgrade"],
  ["npm", "2.0.0", "2.0.0", "unknown"],
  ["python", "2.31.0", "1!0.1", "major"],
  ["github-actions", "3", "4", "major"],
  ["dotnet", "1.0.0.1", "1.0.0.2", "patch"],
  ["docker", "8f4b7f8", "9a4b7f8", "unknown"],
  [null, "abc", "1.0.0", "unknown"],
  ["npm", null, "1.0.0", "unknown"],
])("in %s from %s to %s is the step %s", (ecosystem, from, to, step) => {
  expect(updateStep(ecosystem, from, to)).toBe(step);
});

test("a version is freed from what manifests write before it, and what is none stays out", () => {
  const bare = ["^4.17.21", "~> 7.0", "==2.31.0", ">=1.2", "v1.2.3", " 1.0 ", "~=1.4"].map(bareVersion);
  expect(bare).toEqual(["4.17.21", "7.0", "2.31.0", "1.2", "1.2.3", "1.0", "1.4"]);
  expect(
    ["*", "latest", "workspace:*", ">=1 <2", "git+https://t0ken@github.com/a/b", "1.0,x@2"].map(bareVersion),
  ).toEqual(Array(6).fill(null));
});

test("prereleases are known by their words", () => {
  expect(
    ["1.0.0-rc.1", "2.0b1", "1.0.0.pre1", "1.0-SNAPSHOT", "v0.0.0-20191109021931-daa7c04131f5"].filter(
      (v) => !isPrerelease(v),
    ),
  ).toEqual([]);
  expect(["1.0.0", "32.0.0-jre", "1.0.0-p1", "3.11-slim", "5.3.18.RELEASE"].filter(isPrerelease)).toEqual([]);
});
