// Push after push on one pull request: each defect is told once, in whatever words the model finds for it the next time, and
// whatever happens to the branch, the file's name and its formatting.
import { afterEach, describe, expect, test } from "vitest";
import { says } from "../fakes/anthropic/replies.ts";
import { type FakeAnthropic, type ModelCall, startAnthropic } from "../fakes/anthropic/server.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { summaryOf } from "./given.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage | undefined;
let anthropic: FakeAnthropic | undefined;
afterEach(async () => {
  await stage?.close();
  await anthropic?.close();
  stage = undefined;
  anthropic = undefined;
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

/** Each line where the defect is planted, with the line after it. */
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
function reviewer(): (call: ModelCall) => unknown {
  const told = new Map<Defect, number>();
  return ({ prompt }) => {
    const rows = prompt.split("\n");
    const findings = DEFECTS.flatMap((defect) => {
      const at = rows.findIndex((row) => /^\d+#[0-9a-f]{4}:[+ ]/.test(row) && defect.line.test(row));
      if (at < 0) return [];
      const count = told.get(defect) ?? 0;
      told.set(defect, count + 1);
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
          confidence: 0.9,
          suggestion: null,
          precedents: [],
        },
      ];
    });
    return { findings, ruleFindings: [], walkthrough: "Adds sessions." };
  };
}

async function play(withModel: boolean): Promise<{ at: Stage; pull: Pull; base: () => Promise<void> }> {
  const read = reviewer();
  anthropic = await startAnthropic({
    replies: (call) => {
      if (call.body.model === "claude-sonnet-5-5") return says(read(call));
      const ids = [...call.prompt.matchAll(/^\[(fnd_\w+)\]/gm)].map(([, id]) => id);
      const verdict = { verdict: "holds", severity: "major", confidence: 0.9, reason: "It is so." };
      return says({ findings: ids.map((id) => ({ id, ...verdict })) });
    },
  });
  const names = { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" };
  const model = {
    apiKey: "sk-ant-0123456789abcdef",
    baseUrl: anthropic.url,
    names,
    structuredOutput: "on" as const,
    temperature: null,
    contextTokens: null,
  };
  const at = await openStage({ app: { model: withModel ? model : null } });
  stage = at;
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
function titles(at: Stage, pull: Pull): string[] {
  const { inline, file } = at.world.comments(pull);
  return [...inline, ...file].map(({ body }) => /\*\*([^*]+)\*\*/.exec(body)?.[1] ?? "");
}

const questions = () => anthropic?.requests.filter(({ body }) => body.model === "claude-sonnet-5-5") ?? [];

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
      asked: questions().length - before,
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
  expect(at.world.violations).toEqual([]);
  if (process.env.SHOW) console.log(JSON.stringify(after, null, 1));
  return { after, heads: { opened, rebased, reformatted } };
}

describe("five pushes on one pull request", () => {
  test("with a model: each defect has one comment, and what was read is said", async () => {
    const { after, heads } = await fivePushes(true);
    const first = ["Password is hashed with a fast digest", "A failed save is swallowed and the session is lost"];
    expect(after.map((one) => one.titles.toSorted())).toEqual([]);
    expect(first).toEqual(heads);
  });

  test("without a model: each rule's defect has one comment", async () => {
    const { after } = await fivePushes(false);
    expect(after.map((one) => one.titles)).toEqual([]);
  });
});
