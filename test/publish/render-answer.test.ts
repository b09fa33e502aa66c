import fc from "fast-check";
import { expect, test } from "vitest";
import { plainAnswer } from "../../src/domain/conversation.ts";
import { renderAnswer } from "../../src/publish/render-comment.ts";
import { readCommand } from "../../src/receive/read-command.ts";
import { runs } from "../property-runs.ts";

const ASKED = {
  place: "thread",
  id: 7,
  rootId: 5,
  url: "https://github.com/acme/shop/pull/1#discussion_r7",
  at: "2026-11-20T10:00:05Z",
  author: { id: 3, login: "mona" },
  path: "src/a.ts",
  hunk: null,
} as const;

const REPO = { host: "github.com", id: 42, ownerId: 7, owner: "acme", name: "shop", visibility: "public" } as const;
const JOB = { comment: ASKED, repo: REPO };

const render = (text: string) => renderAnswer(plainAnswer("done", text, ""), JOB) ?? "";

test("an answer addresses the asker, names the memories it uses, and ends with its marker", () => {
  const source = { label: "2026-06-01, accepted", url: "https://github.com/acme/shop/pull/3#discussion_r31" };
  const answer = { ...plainAnswer("done", "The lock is needed.", ""), sources: [source], footer: "Cost: 10 tokens in" };
  expect(renderAnswer(answer, JOB)).toBe(
    "@mona The lock is needed.\n\n<sub>Said before: [2026-06-01, accepted](https://github.com/acme/shop/pull/3#discussion_r31). Cost: 10 tokens in</sub>\n\n<!-- kodiai:answer thread_7 -->",
  );
});

test("a list or a fence begins on its own line; nothing to say is no answer", () => {
  expect(render("- one\n- two")).toMatch(/^@mona\n\n- one/);
  expect(render("```ts\nf(x)\n```")).toMatch(/^@mona\n\n```/);
  expect(render("`f` runs first.")).toMatch(/^@mona `f` runs first\./);
  expect(renderAnswer(plainAnswer("started", null, ""), JOB)).toBeNull();
});

test("a login that cannot be one is not mentioned", () => {
  const asker = { ...ASKED, author: { id: 3, login: "evil] @everyone" } };
  expect(renderAnswer(plainAnswer("done", "Yes.", ""), { comment: asker, repo: REPO })).toMatch(/^Yes\./);
});

test("for any model reply, the answer is bounded, mentions the asker only, and gives no order to us [T11]", () => {
  const pieces = fc.constantFrom(
    "@kodiai review",
    "/kodiai stop",
    "@bob ",
    "#12 ",
    "![x](http://e.example)",
    "\n",
    "<!-- ",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string({ maxLength: 40 })), { maxLength: 60 }), (parts) => {
      const body = render(parts.join(""));
      expect(body.length).toBeLessThanOrEqual(60_000);
      expect(readCommand(body, "kodiai")).toBeNull();
    }),
    runs(300),
  );
});
