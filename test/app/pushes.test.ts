// Push after push on one pull request: each defect is told once, in whatever words the model finds
// for it the next time, and whatever happens to the branch, the file's name and its formatting: all
// of it is in test/flows/pushes.test.ts.
import { afterEach, describe, expect, test } from "vitest";
import { says } from "../fakes/anthropic/replies.ts";
import { type FakeAnthropic, type ModelCall, startAnthropic } from "../fakes/anthropic/server.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { summaryOf } from "./change-builders.ts";

let harness: Harness | undefined;
let anthropic: FakeAnthropic | undefined;
afterEach(async () => {
  await harness?.close();
  await anthropic?.close();
  harness = undefined;
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

/** Two defects: one that a rule finds, and one that only a reader does. */
const SAVED = [...CLEAN];
SAVED.splice(
  10,
  0,
  "    await store.save('session', token, { ttl: 3600, secure: false, sameSite: 'none', path: '/' }).catch(() => {})",
  "    const hash = (password: string) => createHash('md5').update(password).digest('hex')",
);

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
];

/** Reports every defect that it sees, each time in other words, as models do. */
function reviewer(): (call: ModelCall) => unknown {
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

async function play(): Promise<{ at: Harness; pull: Pull }> {
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
  const at = await openHarness({ app: { model } });
  harness = at;
  const repository = await at.world.repository("acme", "player", { files: { "README.md": "# Player\n" } });
  const pull = await at.world.pullRequest(repository, {
    title: "feat: sessions",
    files: { "src/session.ts": text(CLEAN), "src/lock.ts": "export class Lock {}\n" },
  });
  await at.settled(pull);
  return { at, pull };
}

/** Titles of all comments on lines and files, in their order. */
function titles(at: Harness, pull: Pull): string[] {
  const { inline, file } = at.world.comments(pull);
  return [...inline, ...file].map(({ body }) => /\*\*([^*]+)\*\*/.exec(body)?.[1] ?? "");
}

const SAVE = "A failed save is swallowed and the session is lost";
const HASH = "Password is hashed with a fast hash";

describe("push after push", () => {
  test("a defect that is fixed may be addressed; its conversation is left to people", async () => {
    const { at, pull } = await play();
    await at.world.push(pull, { "src/session.ts": text(SAVED) });
    await at.settled(pull);
    await at.world.push(pull, { "src/session.ts": text(CLEAN) });
    await at.settled(pull);
    const { body } = summaryOf(at.world, pull);
    expect(body).toMatch(/^\*\*Nothing open, 2 perhaps addressed\*\*\n\n\*\*No findings\*\* in 2 files\.\n/);
    expect(body.match(/\[comment\]\(https:\/\/github\.com\/acme\/player\/pull\/1#discussion_r\d+\)/g)).toHaveLength(2);
    expect(titles(at, pull).toSorted()).toEqual([SAVE, HASH]);
    expect(at.world.requests.filter(({ path }) => /resolve|graphql/i.test(path))).toEqual([]);
    await at.world.push(pull, { "src/session.ts": text(SAVED) });
    await at.settled(pull);
    expect(titles(at, pull).toSorted()).toEqual([SAVE, HASH]);
  });
});
