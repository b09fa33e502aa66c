// The fake's GraphQL answers as GitHub's does: 200 with errors.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitHubWorld, startGitHub } from "./github.ts";

let world: GitHubWorld;
beforeAll(async () => {
  world = await startGitHub();
  await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
});
afterAll(() => world.close());

async function answer(query: string, variables: object = {}) {
  const response = await fetch(`${world.apiUrl}/graphql`, {
    method: "POST",
    headers: { authorization: `bearer ${world.personalToken("mona")}`, "content-type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, body: (await response.json()) as { data?: unknown; errors?: unknown } };
}

const pull = (fields: string) => `{ repository(owner: "acme", name: "shop") { pullRequest(number: 9) { ${fields} } } }`;

test.each([
  ["undefinedField", pull("colour")],
  ["cannotSpreadFragment", pull("reviewThreads(first: 1) { nodes { resolvedBy { ... on Bot { databaseId } } } }")],
])("a document with %s is answered with 200 and no data", async (code, query) => {
  const { status, body } = await answer(query);
  expect(status).toBe(200);
  expect(body.errors).toContainEqual(expect.objectContaining({ extensions: { code } }));
  expect(body.data).toBeUndefined();
});

test("what is not there has a type and a path, beside what is", async () => {
  const { status, body } = await answer(pull("state"));
  expect(status).toBe(200);
  expect(body.data).toEqual({ repository: { pullRequest: null } });
  expect(body.errors).toMatchObject([{ type: "NOT_FOUND", path: ["repository", "pullRequest"] }]);
});

test("what may not be done is FORBIDDEN", async () => {
  const { body } = await answer('mutation { resolveReviewThread(input: { threadId: "PRRT_1" }) { thread { id } } }');
  expect(body).toMatchObject({ data: { resolveReviewThread: null }, errors: [{ type: "FORBIDDEN" }] });
});

test("a repository is found by its former name, unless renames are not to be followed", async () => {
  const renamed = await world.repository("acme", "store", { files: { "README.md": "# Store\n" } });
  const { number } = await world.pullRequest(renamed, { title: "Change", files: { "a.ts": "" } });
  await world.renameRepository(renamed, "outlet");
  const asked = (more: string) =>
    `{ repository(owner: "acme", name: "store"${more}) { pullRequest(number: ${number}) { state } } }`;
  expect((await answer(asked(""))).body).toEqual({ data: { repository: { pullRequest: { state: "OPEN" } } } });
  expect((await answer(asked(", followRenames: false"))).body.errors).toMatchObject([{ type: "NOT_FOUND" }]);
});
