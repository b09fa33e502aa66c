import { expect, test } from "vitest";
import { receive } from "../../src/receive/receive.ts";

const RECEPTION = { host: "github.com", reviewerLogin: null, slug: "kodiai" };
const repository = { id: 42, name: "shop", private: true, owner: { login: "acme", id: 9 } };
const wren = { login: "wren", id: 5, type: "User" };
const around = { installation: { id: 7 }, repository, sender: wren, pull_request: { number: 3 } };

/** The job that looks at what people did, or undefined. */
const read = (event: string, payload: unknown) => {
  const { outcome, followUpJobs: beside } = receive({ id: "d-1", event, payload }, RECEPTION);
  return [...(outcome.kind === "upkeep" ? outcome.jobs : []), ...beside].find(({ kind }) => kind === "feedback");
};
const reply = (over: object = {}, comment: object = {}) =>
  read("pull_request_review_comment", {
    ...around,
    action: "created",
    comment: { in_reply_to_id: 11, body: "By design, see ADR 7.", ...comment },
    ...over,
  });

test("a person's reply, a thread that turns, a dismissal and the end of a pull request ask to be looked at", () => {
  expect(reply()).toEqual({
    kind: "feedback",
    key: "github.com/42:feedback#3",
    delivery: "d-1",
    installationId: 7,
    repo: { host: "github.com", id: 42, ownerId: 9, owner: "acme", name: "shop", visibility: "private" },
    number: 3,
    trigger: "reply",
    unresolved: null,
  });
  const thread = { node_id: "PRRT_1" };
  expect(read("pull_request_review_thread", { ...around, action: "resolved", thread })).toMatchObject({
    trigger: "resolved",
  });
  expect(read("pull_request_review_thread", { ...around, action: "unresolved", thread })).toMatchObject({
    trigger: "unresolved",
    unresolved: { threadId: "PRRT_1", by: { id: 5, login: "wren" } },
  });
  expect(read("pull_request_review", { ...around, action: "dismissed" })).toMatchObject({ trigger: "dismissed" });
  expect(read("pull_request", { ...around, action: "closed" })).toMatchObject({ trigger: "closed" });
});

test("nothing is learnt from bots, new threads, edits, commands and other events", () => {
  expect(reply({ sender: { ...wren, type: "Bot" } })).toBeUndefined();
  expect(reply({}, { in_reply_to_id: null })).toBeUndefined();
  expect(reply({ action: "edited" })).toBeUndefined();
  expect(reply({}, { body: "/kodiai resolve" })).toBeUndefined();
  expect(reply({}, { body: "@kodiai this is by design" })).toBeDefined();
  expect(read("pull_request", { ...around, action: "opened" })).toBeUndefined();
  expect(read("constructor", { ...around, action: "__proto__" })).toBeUndefined();
});

test.each([null, 7, "x", [], {}, { action: "closed" }, { ...around, action: "closed", repository: null }])(
  "a malformed payload is no feedback: %j",
  (payload) => {
    expect(read("pull_request", payload)).toBeUndefined();
  },
);
