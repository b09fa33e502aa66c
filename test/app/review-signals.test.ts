// What the pipeline concludes from a pull request: intent, languages, risks, size and author, as
// the written review has them.
import { describe, expect, test } from "vitest";
import type { PullRequest } from "../../src/domain/pull-request.ts";
import type { ReviewSignals } from "../../src/domain/signals.ts";
import { aPull } from "../fakes/pull-requests.ts";
import { reviewed } from "./pipeline.ts";

const LINE = "x = 1\n";

async function signals(
  pull: Partial<PullRequest>,
  files: Readonly<Record<string, string>> = { "src/a.go": LINE },
): Promise<ReviewSignals> {
  // Asked for by name, so that [wip] and [no-review] do not hold it back.
  const review = await reviewed({ world: { pull: aPull({ body: null, ...pull }) }, files, job: { explicit: true } });
  return review.signals;
}

describe("intent", () => {
  test.each(["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"])(
    "%s is a type, with its scope, and `!` breaks [000-14]",
    async (type) => {
      const { intent } = await signals({ title: `${type}(api)!: drop v1` });
      expect(intent).toMatchObject({ type, scope: "api", subject: "drop v1" });
      expect(intent.breaking).toEqual([expect.objectContaining({ where: "title" })]);
    },
  );

  test.each([
    ["[wip] fix: a leak", { wip: true, type: "fix" }],
    ["[draft] fix: a leak", { wip: true, type: "fix" }],
    ["[no-review] chore: bump", { noReview: true, type: "chore" }],
    ["[strict-review] feat: pay", { profile: "thorough", type: "feat" }],
    ["[balanced-review] feat: pay", { profile: "balanced" }],
    ["[minimal-review] feat: pay", { profile: "quiet" }],
    ["[security-review] feat: pay", { focusAreas: ["security"], type: "feat" }],
    ["[style-ok] style: indent", { styleOk: true, type: "style" }],
    ["[wip][strict-review] perf: cache", { wip: true, profile: "thorough", type: "perf" }],
    ["Nothing conventional", { type: null, breaking: [] }],
  ])("%s", async (title, reported) => {
    expect((await signals({ title })).intent).toMatchObject(reported);
  });

  test("a body that is missing is no trouble, and one that announces a break counts [000-14]", async () => {
    expect((await signals({ title: "feat: pay", body: null })).intent.breaking).toEqual([]);
    const { intent } = await signals({ title: "feat: pay", body: "BREAKING CHANGE: v1 is gone" });
    expect(intent.breaking).toEqual([expect.objectContaining({ where: "body" })]);
  });
});

/** Path → canonical id. */
const LANGUAGES: Readonly<Record<string, string>> = {
  "a/x.ts": "typescript",
  "a/x.TSX": "typescript",
  "a/x.js": "javascript",
  "a/x.py": "python",
  "a/x.java": "java",
  "a/x.kt": "kotlin",
  "a/x.go": "go",
  "a/x.rs": "rust",
  "a/x.rb": "ruby",
  "a/x.php": "php",
  "a/x.c": "c",
  "a/X.CPP": "cpp",
  "a/x.cs": "csharp",
  "a/x.fs": "fsharp",
  "a/x.swift": "swift",
  "a/x.scala": "scala",
  "a/x.dart": "dart",
  "a/x.ex": "elixir",
  "a/x.erl": "erlang",
  "a/x.hs": "haskell",
  "a/x.ml": "ocaml",
  "a/x.clj": "clojure",
  "a/x.lua": "lua",
  "a/x.jl": "julia",
  "a/x.sh": "shell",
  "a/x.ps1": "powershell",
  "a/x.sql": "sql",
  "a/x.vue": "vue",
  "a/x.zig": "zig",
  "a/x.nix": "nix",
  "a/x.tf": "hcl",
  "a/x.mm": "objectivecpp",
  "a/Dockerfile": "dockerfile",
  "a/Makefile": "makefile",
  "a/notes": "unknown",
  "a/x.zzz": "unknown",
};

describe("languages", () => {
  test("more than thirty by extension in any case and by name, as lower-case ids; what is unknown has no share [000-15][004-09]", async () => {
    expect(new Set(Object.values(LANGUAGES)).size).toBeGreaterThan(30);
    const files = Object.fromEntries(Object.keys(LANGUAGES).map((path) => [path, LINE]));
    const { files: facts, languages } = await signals({ title: "T" }, files);
    expect(Object.fromEntries(facts.map(({ path, language }) => [path, language]))).toEqual(LANGUAGES);
    const shared = languages.map(({ language }) => language);
    expect(shared).not.toContain("unknown");
    expect(shared.every((id) => /^[a-z0-9]+$/.test(id))).toBe(true);
    expect(languages.find(({ language }) => language === "cpp")?.name).toBe("C++");
    expect(languages.find(({ language }) => language === "csharp")?.name).toBe("C#");
    expect(languages.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
  });

  test.each([
    ["src/demux.cpp", "cpp"],
    ["src/demux.cc", "cpp"],
    ["src/demux.cxx", "cpp"],
    ["src/demux.hpp", "cpp"],
    ["src/demux.hxx", "cpp"],
    ["src/demux.c", "c"],
  ])("a header beside %s is %s [004-08]", async (path, language) => {
    const { files } = await signals({ title: "T" }, { "src/demux.h": "int read(void);\n", [path]: "int a;\n" });
    expect(files.find((file) => file.path === "src/demux.h")?.language).toBe(language);
  });

  test("a header without its sources is C [004-08]", async () => {
    const { files } = await signals({ title: "T" }, { "src/demux.h": "int read(void);\n" });
    expect(files[0]?.language).toBe("c");
  });
});

describe("risks", () => {
  test("paths and added lines raise them, with the size of the change by kind of file [000-16]", async () => {
    const { risks, metrics } = await signals(
      { title: "T" },
      {
        "src/auth/login.ts": LINE,
        "config/credentials.yml": "a: 1\n",
        "package.json": "{}\n",
        ".github/workflows/ci.yml": "on: push\n",
        "db/migrations/7.sql": "select 1;\n",
        "src/read.py": "try:\n    read()\nexcept OSError:\n    raise\n",
        "src/sign.go": "h := sha256.Sum256(b)\n",
        "test/read_test.py": LINE,
        "docs/read.md": "# Reading\n",
      },
    );
    expect(risks.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        ...["authentication", "credentials", "dependencies", "infrastructure", "schema"],
        ...["error-handling", "cryptography"],
      ]),
    );
    expect(risks.find(({ id }) => id === "cryptography")?.evidence).toEqual([{ path: "src/sign.go", line: 1 }]);
    expect(metrics).toMatchObject({ files: 9, added: 12, removed: 0, hunks: 9 });
    expect(metrics.filesByKind).toMatchObject({ test: 1, docs: 1 });
    expect(Object.keys(metrics.filesByKind).toSorted()).toEqual(["config", "docs", "infra", "source", "test"]);
    expect(Object.values(metrics.filesByKind).reduce((sum, count) => sum + count, 0)).toBe(9);
  });

  test("the lines of 200 files are read; with more, a risk says so and names the first unread, the same each time [000-16]", async () => {
    const paths = Array.from({ length: 205 }, (_, at) => `src/m${String(at).padStart(3, "0")}.go`);
    const crypto = "h := sha256.Sum256(b)\n";
    const files = Object.fromEntries(paths.map((path, at) => [path, at < 200 ? LINE : crypto]));
    const { risks } = await signals({ title: "T" }, files);
    expect(risks).toEqual([
      {
        id: "truncated",
        text: "has more files than were read for risks",
        evidence: [{ path: "src/m200.go", line: null }],
      },
    ]);
    expect((await signals({ title: "T" }, files)).risks).toEqual(risks);
  });
});

/** Path → why it is not reviewed. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "package-lock.json": "lock file",
  "app/yarn.lock": "lock file",
  "pnpm-lock.yaml": "lock file",
  "Cargo.lock": "lock file",
  "go.sum": "lock file",
  "poetry.lock": "lock file",
  "web/app.min.js": "minified",
  "web/app.min.css": "minified",
  "web/app.js.map": "source map",
  "dist/main.js": "build output",
  "build/static/main.js": "build output",
  "node_modules/a/index.js": "installed packages",
  "vendor/github.com/a/b.go": "vendored",
  "third_party/zlib/inflate.c": "vendored",
  "src/api.generated.ts": "generated",
  "proto/user.pb.go": "generated",
  "types/api.d.ts": "type declarations",
  "src/__snapshots__/a.snap": "test snapshot",
};

test("generated files are left out by name and reason; migrations, CI and tests stay [002-16]", async () => {
  const kept = ["db/migrations/0007_users.sql", ".github/workflows/ci.yml", "test/fixtures/a.json", "src/a.ts"];
  const review = await reviewed({
    files: Object.fromEntries([...Object.keys(LEFT_OUT), ...kept].map((path) => [path, LINE])),
  });
  expect(Object.keys(LEFT_OUT).length).toBeGreaterThanOrEqual(14);
  expect(Object.fromEntries(review.leftOut.map(({ path, reason }) => [path, reason]))).toEqual(LEFT_OUT);
  expect(review.reviewed.toSorted()).toEqual(kept.toSorted());
  expect(review.signals.metrics.files).toBe(kept.length);
  const generated = await reviewed({ files: { "src/d.ts": "// @generated by protoc\nexport {};\n" } });
  expect(generated.leftOut.map(({ path }) => path)).toEqual(["src/d.ts"]);
});
