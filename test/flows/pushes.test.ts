// Push after push on one pull request: each defect is told once, in whatever words the model finds
// for it the next time, and whatever happens to the branch, the file's name and its formatting.
// Through reception, queue, flows and store; test/app/pushes.test.ts shows that the same works over
// HTTP.
import { afterEach, describe, expect, test } from "vitest";
import { summaryOf } from "../app/change-builders.ts";
import { type Asked, type FlowHarness, openFlow } from "../app/flow-harness.ts";
import type { Pull } from "../fakes/github/conversation.ts";

let harness: FlowHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const CLEAN = [
  "import { createHash } from 'node:crypto'",
  "import { Lock } from './lock'",
  "",
  "export class Session {",
  "  private readonly lock = new Lock()",
  "  private token = ''",
  "",
  "  async refresh(token: string, store: Store): Promise<boolean> {",
  "    await this.lock.acquire()",
  "    this.token = token",
  "    this.lock.release()",
  "    return true",
  "  }",
  "",
  "  name(): string {",
  "    return createHash('sha256').update(this.token).digest('hex')",
  "  }",
  "}",
];

/** Two defects: one that a rule finds, and one that only a reader does. */
const SAVED = [...CLEAN];
SAVED.splice(
  10,
  0,
  "    await store.save('session', token, { ttl: 3600, secure: false, sameSite: 'none', path: '/' }).catch(() => {})",
  "    const hash = (password: string) => createHash('md5').update(password).digest('hex')",
);

/** As prettier would have it with other settings. */
const REFORMATTED = [
  'import { createHash } from "node:crypto";',
  'import { Lock } from "./lock";',
  "",
  "export class Session {",
  "    private readonly lock = new Lock();",
  '    private token = "";',
  "",
  "    async refresh(token: string, store: Store): Promise<boolean> {",
  "        await this.lock.acquire();",
  "        this.token = token;",
  "        await store",
  '            .save("session", token, {',
  "                ttl: 3600,",
  "                secure: false,",
  '                sameSite: "none",',
  '                path: "/",',
  "            })",
  "            .catch(() => {});",
  "        const hash = (password: string) =>",
  '            createHash("md5").update(password).digest("hex");',
  "        this.lock.release();",
  "        return true;",
  "    }",
  "",
  "    name(): string {",
  '        return createHash("sha256").update(this.token).digest("hex");',
  "    }",
  "}",
];

const LATER = [
  ...REFORMATTED.slice(0, -1),
  "",
  "    async close(): Promise<void> {",
  "        await this.lock.acquire();",
  "        setTimeout(() => this.lock.release(), 0);",
  "        this.token = process.env.PASSWORD ?? hashPassword(this.token);",
  "    }",
  "}",
  "",
  "function hashPassword(password: string): string {",
  '    return createHash("sha1").update(password).digest("hex");',
  "}",
];

const text = (lines: readonly string[]) => `${lines.join("\n")}\n`;

interface Defect {
  readonly line: RegExp;
  readonly category: string;
  readonly words: readonly (readonly [title: string, body: string])[];
}

const DEFECTS: readonly Defect[] = [
  {
    line: /\.save\(/,
    category: "reliability",
    words: [
      [
        "A failed save is swallowed and the session is lost",
        "When `store.save` rejects, `.catch(() => {})` hides it: `refresh` returns true and the session is gone.",
      ],
      [
        "refresh reports success although nothing was stored",
        "`catch` drops the rejection of `store.save`, so callers believe that the session was kept.",
      ],
      [
        "Errors of the store never reach the caller",
        "The empty `catch` on `store.save` hides that the session could not be written.",
      ],
    ],
  },
  {
    line: /setTimeout\(\(\) => this\.lock\.release/,
    category: "correctness",
    words: [
      ["The lock is released before the token is replaced", "The timer runs while `close` still holds the token."],
      ["close gives its lock away too early", "Another `refresh` may run before `close` has replaced the token."],
    ],
  },
];

/** Reports every defect that it sees, each time in other words, as models do. */
function reviewer(): (asked: Asked) => unknown {
  const reported = new Map<Defect, number>();
  return ({ prompt }) => {
    const rows = prompt.split("\n");
    const findings = DEFECTS.flatMap((defect) => {
      const at = rows.findIndex((row) => /^\d+#[0-9a-f]{4}:[+ ]/.test(row) && defect.line.test(row));
      if (at < 0) return [];
      const count = reported.get(defect) ?? 0;
      reported.set(defect, count + 1);
      const [title, body] = defect.words[count % defect.words.length] ?? ["", ""];
      const quoted = rows.slice(at, at + (count % 2 === 0 ? 3 : 1));
      const path = rows.slice(0, at).findLast((row) => row.startsWith("### FILE "));
      return [
        {
          path: /^### FILE (\S+)/.exec(path ?? "")?.[1] ?? "",
          anchor: rows[at]?.split(":")[0] ?? "",
          endAnchor: null,
          quote: quoted.map((row) => row.replace(/^[^:]*:[+ ]/, "")).join("\n"),
          severity: count % 2 === 0 ? "major" : "critical",
          // Models are of two minds about categories.
          category: count === 2 ? "correctness" : defect.category,
          title,
          body,
          true: 0.9,
          wanted: 1,
          suggestion: null,
          precedents: [],
        },
      ];
    });
    return { findings, ruleFindings: [], walkthrough: "Adds sessions." };
  };
}

async function play(withModel: boolean): Promise<{ at: FlowHarness; pull: Pull; base: () => Promise<void> }> {
  const read = reviewer();
  const model = (asked: Asked) => {
    if (asked.tier === "main") return read(asked);
    const ids = [...asked.prompt.matchAll(/^\[(fnd_\w+)\]/gm)].map(([, id]) => id);
    const verdict = { verdict: "holds", severity: "major", confidence: 0.9, reason: "It is so." };
    return { findings: ids.map((id) => ({ id, ...verdict })) };
  };
  const at = await openFlow(withModel ? { model } : {});
  harness = at;
  const repository = await at.world.repository("acme", "player", { files: { "README.md": "# Player\n" } });
  const pull = await at.world.pullRequest(repository, {
    title: "feat: sessions",
    files: { "src/session.ts": text(CLEAN), "src/lock.ts": "export class Lock {}\n" },
  });
  await at.settled(pull);
  return {
    at,
    pull,
    base: async () => {
      pull.baseSha = await at.world.commit(repository, { "CHANGELOG.md": "- Something else\n" });
    },
  };
}

/** Titles of all comments on lines and files, in their order. */
function titles(at: FlowHarness, pull: Pull): string[] {
  const { inline, file } = at.world.comments(pull);
  return [...inline, ...file].map(({ body }) => /\*\*([^*]+)\*\*/.exec(body)?.[1] ?? "");
}

const questions = (at: FlowHarness) => at.asked().filter(({ tier }) => tier === "main");

/** The five pushes, and what stands on the pull request after each. */
async function fivePushes(withModel: boolean) {
  const { at, pull, base } = await play(withModel);
  const after: { titles: string[]; summary: string; asked: number }[] = [];
  const done = async () => {
    const before = after.reduce((sum, { asked }) => sum + asked, 0) + (withModel ? 1 : 0);
    expect(await at.settled(pull)).toMatchObject({ state: "done" });
    after.push({
      titles: titles(at, pull),
      summary: summaryOf(at.world, pull).body,
      asked: questions(at).length - before,
    });
  };
  const lock = { "src/lock.ts": "export class Lock {}\n" };
  expect(titles(at, pull)).toEqual([]);
  const opened = pull.headSha;
  await at.world.push(pull, { "src/session.ts": text(SAVED) });
  await done();
  await base();
  await at.world.forcePush(pull, { ...lock, "src/session.ts": text(SAVED) });
  await done();
  const rebased = pull.headSha;
  await at.world.rename(pull, "src/session.ts", "src/auth/login-session.ts");
  await done();
  await at.world.forcePush(pull, { ...lock, "src/auth/login-session.ts": text(REFORMATTED) });
  await done();
  const reformatted = pull.headSha;
  await at.world.push(pull, { "src/auth/login-session.ts": text(LATER) });
  await done();
  return { after, heads: { opened, rebased, reformatted } };
}

const SAVE = "A failed save is swallowed and the session is lost";
const HASH = "Password is hashed with a fast hash";
const LOCK = "The lock is released before the token is replaced";

describe("five pushes on one pull request (new code, rebase, rename, reformatting by force, new code)", () => {
  test("with a model: each defect has one comment, and the summary says what was read [005-04]", async () => {
    const { after, heads } = await fivePushes(true);
    const one = [SAVE, HASH];
    expect(after.map((push) => push.titles.toSorted())).toEqual([
      one,
      one,
      one,
      one,
      [SAVE, HASH, HASH, LOCK].toSorted(),
    ]);
    // Whoever only renamed a file is not billed for it.
    expect(after.map(({ asked }) => asked)).toEqual([1, 1, 0, 1, 1]);
    const since = (sha: string) => expect.stringContaining(`Incremental review since [\`${sha.slice(0, 7)}\`](`);
    const again = expect.stringContaining("Full re-review: the branch was rewritten since the last review.");
    expect(after.map(({ summary }) => summary)).toEqual([
      since(heads.opened),
      again,
      since(heads.rebased),
      again,
      since(heads.reformatted),
    ]);
    expect(after.map(({ summary }) => summary.split("\n")[2])).toEqual([
      "All inline.",
      "All posted earlier.",
      "All posted earlier.",
      "All posted earlier.",
      "2 inline, 2 posted earlier.",
    ]);
  });

  test("without a model: each defect that a rule finds has one comment [005-09]", async () => {
    const { after } = await fivePushes(false);
    expect(after.map((push) => push.titles)).toEqual([[HASH], [HASH], [HASH], [HASH], [HASH, HASH]]);
    expect(after.at(-1)?.summary).toContain("1 inline, 1 posted earlier");
  });
});
