// The room itself: a bump walks in, what the world and the index know walks out.
import { expect, test } from "vitest";
import type { Dependencies } from "../../src/ports/dependency.ts";
import { reviewed } from "../app/pipeline.ts";
import { aPull, HEAD, REPO } from "../fakes/pull-requests.ts";
import { drafted, reports, scriptedModel, textOf } from "../fakes/scripted-model.ts";
import { memory, memoryStore } from "../retrieve/retrieve-builders.ts";

const CONFIG = "knowledge: {corpora: {code: true}}";
const CHANGED = {
  path: "requirements.txt",
  previousPath: null,
  status: "modified",
  additions: 1,
  deletions: 1,
  patch: "@@ -1 +1 @@\n-requests==2.31.0\n+requests==3.0.0",
} as const;
const WORLD = {
  changes: { kind: "listing", files: [CHANGED], total: 1 } as const,
  texts: { [`${HEAD}:requirements.txt`]: "requests==3.0.0\n" },
  pull: aPull({
    title: "build(deps): bump requests from 2.31.0 to 3.0.0",
    labels: ["dependencies"],
    body: "Bumps [requests](https://github.com/psf/requests) from 2.31.0 to 3.0.0.",
  }),
};

/** A world that knows one breaking release, and no advisory. */
const KNOWING: Dependencies = {
  changes: async () => ({ kind: "read", value: [] }),
  advisories: async () => ({ kind: "read", value: [] }),
  releases: async () => ({
    kind: "read",
    value: {
      releases: [{ tag: "v3.0.0", body: "## Breaking\n- `adapters` moved", prerelease: false }],
      complete: true,
    },
  }),
};

function code(path: string, text: string, line: number) {
  const url = `https://github.com/${REPO.owner}/${REPO.name}/blob/abc/${path}#L${line}-L${line + 5}`;
  const more = { repo: `github.com/${REPO.id}`, path, text };
  const { provenance } = memory(path);
  return { record: memory(path, { ...more, corpus: "code", provenance: { ...provenance, url, pull: null } }) };
}

test("places come from the indexed code of this repository, and nothing else that is remembered", async () => {
  const { update } = await reviewed({
    config: CONFIG,
    world: WORLD,
    dependencies: KNOWING,
    memories: [
      code(
        "src/http.py",
        "def get(url):\n    s = requests.Session()\n    s.mount(url, requests.adapters.HTTPAdapter())",
        12,
      ),
      code("src/other.py", "def other():\n    return my_requests.get()", 3),
      { record: memory("talk", { repo: `github.com/${REPO.id}`, path: "src/talk.py", text: "use requests here" }) },
      {
        record: memory("elsewhere", { repo: "github.com/7", corpus: "code", path: "src/x.py", text: "requests.get()" }),
      },
    ],
  });
  expect(update?.usage).toEqual([
    {
      name: "requests",
      kind: "looked",
      where: "the indexed code",
      places: [{ path: "src/http.py", line: 13, broken: ["adapters"] }],
      more: 0,
    },
  ]);
});

const INDEXED = [code("src/http.py", "import requests\n", 1)];

test.each(["counts", "matching", "records"] as const)(
  "a memory that fails costs the places alone: %s",
  async (question) => {
    const { update: whole } = await reviewed({
      config: CONFIG,
      world: WORLD,
      dependencies: KNOWING,
      memories: INDEXED,
    });
    expect(whole?.usage).toMatchObject([
      { kind: "looked", where: "the indexed code", places: [{ path: "src/http.py" }] },
    ]);
    const failing = () => Promise.reject(new Error("database disk image is malformed"));
    const recall = { ...memoryStore(INDEXED), [question]: failing };
    const { update } = await reviewed({ config: CONFIG, world: WORLD, dependencies: KNOWING, recall });
    const reason = "the index of the code could not be searched";
    expect(update).toEqual({ ...whole, usage: [{ name: "requests", kind: "not-looked", reason }] });
  },
);

test("code that is not indexed is not searched, and that is no failure", async () => {
  const { update, degraded } = await reviewed({ config: CONFIG, world: WORLD, dependencies: KNOWING });
  expect(update?.usage).toEqual([
    { name: "requests", kind: "not-looked", reason: "the code is not indexed (`knowledge.corpora.code`)" },
  ]);
  expect(degraded).toEqual([]);
});

test("where nothing may be asked, the change itself is read, and the rest is said not to be known", async () => {
  const { update, degraded } = await reviewed({ world: WORLD, dependencies: null });
  expect(update?.packages[0]).toMatchObject({
    name: "requests",
    advisories: { kind: "unknown", reason: "GitHub is not available here" },
  });
  expect(update?.notLooked).toEqual([{ what: "the dependency graph", reason: "GitHub is not available here" }]);
  expect(degraded).toEqual([]);
});

test("the model sees what was looked up, as outside text inside the fence", async () => {
  let reported = "";
  const model = scriptedModel((question) => {
    reported ||= textOf(question.user);
    return reports(drafted({ quote: "requests==3.0.0" }))(question);
  });
  await reviewed({ world: WORLD, dependencies: KNOWING, access: model });
  const [, part = ""] = /## What was looked up about this dependency update\n([\s\S]*?)\n\n## /.exec(reported) ?? [];
  expect(part.split("\n").slice(1, -1)).toEqual([
    "requests 2.31.0 -> 3.0.0, step major; advisories fixed: none; brought: none; remaining: none",
    "Release notes of requests v3.0.0 announce a break: `adapters` moved",
  ]);
  expect(part).toMatch(
    /^kodiai-[0-9a-f]{16,} dependency-update\n[\s\S]*\nkodiai-[0-9a-f]{16,} end of dependency-update$/,
  );
});
