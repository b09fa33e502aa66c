// The room itself: a bump walks in, what the world knows walks out.
import { expect, test } from "vitest";
import type { Dependencies } from "../../src/ports/dependency.ts";
import { reviewed } from "../app/pipeline.ts";
import { aPull, HEAD } from "../fakes/pull-requests.ts";
import { drafted, reports, scriptedModel, textOf } from "../fakes/scripted-model.ts";

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

test("places are the changed files that name the package, with the names that a break announces", async () => {
  const text = "def get(url):\n    s = requests.Session()\n    s.mount(url, requests.adapters.HTTPAdapter())\n";
  const added = {
    path: "src/http.py",
    previousPath: null,
    status: "added",
    additions: 3,
    deletions: 0,
    patch: `@@ -0,0 +1,3 @@\n${text.trimEnd().replace(/^/gm, "+")}`,
  } as const;
  const other = { ...added, path: "src/other.py", additions: 1, patch: "@@ -0,0 +1 @@\n+my_requests.get()" } as const;
  const world = {
    ...WORLD,
    changes: { kind: "listing", files: [CHANGED, added, other], total: 3 } as const,
    texts: { ...WORLD.texts, [`${HEAD}:src/http.py`]: text, [`${HEAD}:src/other.py`]: "my_requests.get()\n" },
  };
  const { update } = await reviewed({ world, dependencies: KNOWING });
  expect(update?.usage).toEqual([
    {
      name: "requests",
      kind: "looked",
      places: [{ path: "src/http.py", line: 2, broken: ["adapters"] }],
      more: 0,
    },
  ]);
});

test("an update that changes no code has no places, and that is no failure", async () => {
  const { update, degraded } = await reviewed({ world: WORLD, dependencies: KNOWING });
  expect(update?.usage).toEqual([{ name: "requests", kind: "not-looked", reason: "the update changes no code" }]);
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
