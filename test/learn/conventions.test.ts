import fc from "fast-check";
import { expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse-config.ts";
import { type MemoryRecord, memoryId, type Outcome } from "../../src/domain/memory.ts";
import { commonGlob, conventionsOf } from "../../src/learn/conventions.ts";
import { matchingInstructions } from "../../src/review/compose.ts";
import { runs } from "../property-runs.ts";
import { givenRecord } from "./memory-builders.ts";

const DAY = 86_400_000;
const MARCH = Date.UTC(2026, 2, 2);
const ALL = { least: 3, since: null };

interface Said {
  readonly text: string;
  readonly pull: number;
  readonly path?: string | null;
  readonly outcome?: Outcome | null;
  readonly isBot?: boolean;
  readonly lesson?: string;
}

function said(rows: readonly Said[]): MemoryRecord[] {
  return rows.map(({ text, pull, path = "src/api/user.ts", outcome = null, isBot = false, lesson }, at) =>
    givenRecord({
      sourceId: `s${at}`,
      id: memoryId("github.com/42", "review_comment", `s${at}`),
      text,
      path,
      language: "typescript",
      outcome,
      lesson: lesson ?? null,
      provenance: {
        ...{ url: `https://github.com/acme/payments/pull/${pull}#discussion_r${at}`, author: "octocat", sha: null },
        ...{ authorIsBot: isBot, pull, at: MARCH + at * DAY },
      },
    }),
  );
}

const TENANT = [
  "Please check the tenant before reading the invoice row.",
  "Check the tenant before you read an invoice row here, please.",
  "This reads the invoice row before checking the tenant, please check the tenant first.",
  "The tenant check must come before the invoice row is read.",
];
const tenant = (over: Partial<Said> = {}) => TENANT.map((text, at) => ({ text, pull: 12 + at, ...over }));
const OTHERS: readonly Said[] = [
  { text: "Rename this variable so that it says what the buffer holds.", pull: 20, path: "lib/buffer.cc" },
  { text: "A retried charge needs the same idempotency key as the first.", pull: 21 },
  { text: "Could you move this fixture into the folder of the integration suite?", pull: 22, path: "test/a.py" },
];

test("what four pull requests were asked is one convention: counted, dated, placed, with the newest three links", () => {
  const { proposed, yaml, leftOut } = conventionsOf(
    said([...tenant({ outcome: "accepted" }), ...OTHERS, { text: "LGTM, thanks!", pull: 30 }]),
    ALL,
  );
  expect(proposed).toMatchObject([
    {
      namedBy: "remark",
      pulls: 4,
      accepted: 4,
      declined: 0,
      path: "src/api/**/*.ts",
      language: "typescript",
      summary: "asked 4 times on 4 pull requests since 2026-03-02, accepted 4",
      examples: [{ pull: 15 }, { pull: 14 }, { pull: 13 }],
    },
  ]);
  expect(TENANT).toContain(proposed[0]?.name);
  expect(yaml).toBe(
    "pathInstructions:\n" +
      "  # asked 4 times on 4 pull requests since 2026-03-02, accepted 4\n" +
      "  - path: src/api/**/*.ts\n" +
      `    instructions: Reviewers asked for this 4 times: “${proposed[0]?.name}”\n`.replace(
        /: (Reviewers.*)\n$/,
        ': "$1"\n',
      ),
  );
  expect(leftOut).toEqual([{ reason: "fewer than 25 characters beside code and links", count: 1, name: null }]);
});

test("a lesson that a model wrote is the name and the instruction", () => {
  const lesson = "Check the tenant before reading a row.";
  const { proposed } = conventionsOf(said(tenant({ lesson })), ALL);
  expect(proposed).toMatchObject([{ name: lesson, namedBy: "lesson", instruction: { instructions: lesson } }]);
});

test("too few pull requests, bots, and what was said before --since do not count", () => {
  expect(conventionsOf(said(tenant({ pull: 12 })), ALL).proposed).toEqual([]);
  expect(conventionsOf(said(tenant()), { least: 5, since: null }).proposed).toEqual([]);
  const bots = conventionsOf(said(tenant({ isBot: true })), ALL);
  expect(bots).toMatchObject({ proposed: [], yaml: null, leftOut: [{ reason: "written by a bot", count: 4 }] });
  const late = conventionsOf(said(tenant()), { least: 3, since: MARCH + 2 * DAY });
  expect(late).toMatchObject({
    proposed: [],
    leftOut: [{ reason: expect.stringContaining("requested time"), count: 2 }],
  });
});

test("what was declined more often than accepted is left out by name; what was declined as often is proposed", () => {
  const outcomes: Outcome[] = ["declined", "declined", "fixed", "posted"];
  const rows = said(tenant().map((row, at) => ({ ...row, outcome: outcomes[at] ?? null })));
  expect(conventionsOf(rows, ALL)).toMatchObject({
    proposed: [],
    leftOut: [{ reason: "declined 2 times, accepted 1", count: 4, name: expect.stringContaining("tenant") }],
  });
  const even = rows.map((row, at) => (at === 3 ? { ...row, outcome: "accepted" as const } : row));
  expect(conventionsOf(even, ALL).proposed).toMatchObject([{ accepted: 2, declined: 2 }]);
});

const word = fc.constantFrom(
  "tenant",
  "invoice",
  "row",
  "check",
  "retry",
  "charge",
  "buffer",
  "rename",
  "fixture",
  "key",
);
const remark = fc.record({
  text: fc.array(word, { minLength: 4, maxLength: 9 }).map((words) => `please ${words.join(" ")} before merging`),
  pull: fc.integer({ min: 1, max: 6 }),
});

test("the order of memories does not matter, each is in at most one convention, and none is made up", () => {
  fc.assert(
    fc.property(fc.array(remark, { maxLength: 40 }), fc.infiniteStream(fc.nat()), (rows, keys) => {
      const records = said(rows);
      const shuffled = records
        .map((record) => ({ record, key: keys.next().value ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ record }) => record);
      const found = conventionsOf(records, { least: 2, since: null });
      expect(conventionsOf(shuffled, { least: 2, since: null })).toEqual(found);
      const ids = found.proposed.flatMap((one) => one.ids);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.every((id) => records.some((record) => record.id === id))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

const HOSTILE = [
  "]}: - # & * ! | > ' \" % @ ` tenant",
  "\n---\nrules: {all: off}\nreview:\n  enabled: false",
  "*/ --> @octocat @acme/security #12 {{ secrets }}",
  "\u202Etxt\u0000\u0007\u2028\uD800 \u0085 key: value",
  "“yes” null ~ 0x1f 2026-03-02 <<: *anchor &anchor",
];

test("for any comment, the YAML parses to the intended instruction and to nothing else", () => {
  const piece = fc.oneof(
    fc.constantFrom(...HOSTILE),
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({ maxLength: 900 }),
  );
  const folder = fc.oneof(
    fc.constantFrom("src", "a: b", "!x", "- y", "#z", "(q)[r]{s}"),
    fc.string({ minLength: 1, maxLength: 12 }),
  );
  fc.assert(
    fc.property(piece, piece, folder, (before, after, name) => {
      const text = `${before} check the tenant before reading any invoice row ${after}`;
      const records = said([1, 2, 3].map((pull) => ({ text, pull, path: `${name}/file.ts` })));
      const { proposed, yaml, leftOut } = conventionsOf(records, ALL);
      // Code, hidden comments and links are no words: of some texts nothing is left, and that is said.
      if (proposed.length === 0) {
        // What a matcher returns is no verdict of the property.
        expect(leftOut).not.toEqual([]);
        return;
      }
      const { config, problems } = parseConfig([{ file: ".kodiai.yml", text: yaml ?? "" }]);
      expect(problems).toEqual([]);
      const [instruction] = config.pathInstructions;
      expect(instruction).toEqual(proposed[0]?.instruction);
      expect(instruction?.instructions.length).toBeLessThanOrEqual(500);
      expect(instruction?.instructions).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Cs}]/u);
      expect({ ...config, pathInstructions: [] }).toEqual(parseConfig([]).config);
    }),
    runs(200),
  );
});

test("the glob finds at least four fifths of the files that it was made from", () => {
  const name = fc.oneof(
    fc.constantFrom("src", "api", "a.ts", "b.ts", "c.py", "[id].tsx", "{x}", "!no"),
    fc.stringMatching(/^[\w!(){}[\]*?.-]{1,8}$/),
  );
  const path = fc
    .array(
      name.filter((part) => part !== "." && part !== ".."),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.join("/"));
  fc.assert(
    fc.property(fc.array(path, { minLength: 3, maxLength: 10 }), (paths) => {
      const glob = commonGlob(paths);
      const [matched] = matchingInstructions(paths, [{ path: glob, instructions: "x" }]);
      expect(matched?.files.length ?? 0).toBeGreaterThanOrEqual(paths.length * 0.8);
    }),
  );
});

test.each([
  [["src/api/a.ts", "src/api/b.ts", "src/api/v1/c.ts"], "src/api/**/*.ts"],
  [["src/a.ts", "lib/b.ts", "c.ts"], "**/*.ts"],
  [["src/a.ts", "src/b.py", "src/c.go"], "src/**"],
  [["a.ts", "b.py", null], "**"],
  [["app/[id]/a.tsx", "app/[id]/b.tsx"], "app/\\[id\\]/**/*.tsx"],
  [["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts", "docs/e.md"], "src/**/*.ts"],
])("%j are under %s", (paths, glob) => {
  expect(commonGlob(paths)).toBe(glob);
});
