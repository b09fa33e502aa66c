import fc from "fast-check";
import { expect, test } from "vitest";
import { receive } from "../../src/receive/receive.ts";

const RECEPTION = { host: "github.com", reviewerLogin: null };
const payload = (action: string) => ({
  action,
  installation: { id: 9 },
  repository: {
    ...{ id: 42, name: "shop", private: true, default_branch: "main" },
    owner: { id: 7, login: "acme" },
  },
  pull_request: {
    ...{
      number: 12,
      state: "closed",
      draft: false,
      title: "feat: carts",
      user: { id: 5, login: "wren", type: "User" },
    },
    head: { sha: "a".repeat(40), ref: "carts", repo: null },
    base: { sha: "b".repeat(40), ref: "main" },
    labels: [],
  },
  sender: { id: 5, login: "wren", type: "User" },
});
/** The job that remembers what people said on a closed pull request, or undefined. */
const read = (event: string, given: unknown) =>
  receive({ id: "d-1", event, payload: given }, RECEPTION).followUpJobs.find(({ kind }) => kind === "history");

test("a pull request that is closed makes a job of its own, beside the one for the whole past", () => {
  expect(read("pull_request", payload("closed"))).toMatchObject({
    kind: "history",
    key: "github.com/42:history#12",
    installationId: 9,
    trigger: "closed",
    number: 12,
  });
});

test("nothing else does, and no payload breaks it", () => {
  for (const action of ["opened", "converted_to_draft", "reopened"])
    expect(read("pull_request", payload(action))).toBeUndefined();
  expect(read("issue_comment", payload("closed"))).toBeUndefined();
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(read("pull_request", JSON.parse(text))).toBeUndefined();
    }),
  );
});
