// The tree of a commit from GitHub, over a client that answers as GitHub's description says.
import { expect, test } from "vitest";
import type { GitHub } from "../../../src/adapters/github/clients.ts";
import { githubTree } from "../../../src/adapters/github/read/repository-host.ts";

const REPO = { host: "github.com", id: 42, ownerId: 9, owner: "acme", name: "shop", visibility: "private" } as const;
const COMMIT = "6dcb09b5b57875f334f61aebed695e2e4193db5e";

interface Answers {
  readonly truncated?: boolean;
  readonly blob?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the adapter asks of GitHub is told in `asked`. */
function treeOf({ truncated = false, blob = "Hello.\n", headers = {} }: Answers, asked: unknown[] = []) {
  const entry = (path: string, mode: string, type: string, size?: number) => ({
    path,
    mode,
    type,
    sha: `${path}-sha`,
    size,
  });
  const tree = [
    entry("docs", "040000", "tree"),
    entry("docs/a.md", "100644", "blob", 7),
    entry("run.sh", "100755", "blob", 2),
    entry("link.md", "120000", "blob", 9),
    entry("vendor/lib", "160000", "commit"),
  ];
  const git = {
    getTree: (question: unknown) => {
      asked.push(question);
      return Promise.resolve({ data: { sha: "t", truncated, tree } });
    },
    getBlob: (question: unknown) => {
      asked.push(question);
      const content = Buffer.from(blob).toString("base64").replace(/.{60}/g, "$&\n");
      return Promise.resolve({ data: { content, encoding: "base64" }, headers });
    },
  };
  return githubTree({ rest: { git } } as unknown as GitHub, REPO, COMMIT, 0);
}

async function textsOf(tree: ReturnType<typeof treeOf>) {
  const texts: (string | null)[] = [];
  for await (const { text } of tree.texts((await tree.list()).files)) texts.push(text);
  return texts;
}

test("the files of a commit are listed with one question, without links, submodules and folders", async () => {
  const asked: unknown[] = [];
  const tree = treeOf({}, asked);
  expect(await tree.list()).toEqual({
    files: [
      { path: "docs/a.md", hash: "docs/a.md-sha", bytes: 7 },
      { path: "run.sh", hash: "run.sh-sha", bytes: 2 },
    ],
    incomplete: null,
  });
  expect(asked).toEqual([{ owner: "acme", repo: "shop", tree_sha: COMMIT, recursive: "1" }]);
});

test("a listing that GitHub cut off says so", async () => {
  expect((await treeOf({ truncated: true }).list()).incomplete).toBe(
    "GitHub lists only 2 files of this tree; the others are neither read nor forgotten",
  );
});

test("texts are UTF-8, however long; what is binary is null", async () => {
  const long = `${"Grüße aus Köln. ".repeat(1_000)}\n`;
  expect(await textsOf(treeOf({ blob: long }))).toEqual([long, long]);
  expect(await textsOf(treeOf({ blob: Buffer.from([1, 0, 2]) }))).toEqual([null, null]);
});

test("the last fifth of an hour's requests is left to reviews", async () => {
  const limits = (remaining: number) => ({
    "x-ratelimit-limit": "5000",
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": "1795219200",
  });
  expect(await textsOf(treeOf({ headers: limits(1_000) }))).toHaveLength(2);
  await expect(textsOf(treeOf({ headers: limits(999) }))).rejects.toThrow(
    expect.objectContaining({ name: "Transient", notBefore: 1_795_219_200_000 }),
  );
});
