// The last moment before a request: what was asked must not be old when the request leaves.
import { expect, test } from "vitest";
import type { GuardedFetch } from "../../../src/adapters/github/guarded-fetch.ts";
import { gatedFetch, letWrite } from "../../../src/adapters/github/write/write-gate.ts";
import { Transient } from "../../../src/domain/errors.ts";

/** Each look takes as long as the next of these. */
function world(looks: number[]) {
  let at = 0;
  const sent: number[] = [];
  const fetch = (() => {
    sent.push(at);
    return Promise.resolve(new Response());
  }) as unknown as GuardedFetch;
  const look = () => {
    at += looks.shift() ?? 0;
    return Promise.resolve();
  };
  return { gated: gatedFetch(fetch, look, () => at), sent };
}

test("a process that paused between its check and its request checks again", async () => {
  const { gated, sent } = world([40_000, 3]);
  await gated("https://api.github.com/user");
  expect(sent).toEqual([40_003]);
});

test("where every answer comes too late nothing is sent, and it is tried again later", async () => {
  const { gated, sent } = world([1_500, 1_500, 1_500]);
  await expect(gated("https://api.github.com/user")).rejects.toBeInstanceOf(Transient);
  expect(sent).toEqual([]);
});

test("a write asks about its job and GitHub's limit in the same moment", async () => {
  const { gated, sent } = world([900]);
  const asked: string[] = [];
  const lastLook = async () => {
    asked.push("held");
  };
  await letWrite(lastLook, () => gated("https://api.github.com/x", { method: "POST", body: "{}" }));
  expect([asked, sent]).toEqual([["held"], [900]]);
});
