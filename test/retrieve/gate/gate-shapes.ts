// Shapes of pull requests, each labelled: can memory help there or not? In doubt it can.
import { added, DEPENDABOT, type Shape } from "../retrieve-builders.ts";

export interface LabelledShape extends Shape {
  readonly name: string;
  /** True when searching memory cannot help. */
  readonly skip: boolean;
}

const lines = (count: number, sign = "+") =>
  [" x", ...Array.from({ length: count }, (_, i) => `${sign}line ${i} of it`)].join("\n");
const code = added("const total = price * count;", "return total;");
const lock = ' {\n-    "version": "4.17.20",\n+    "version": "4.17.21",';
const bumped = ' "dependencies": {\n-    "lodash": "^4.17.20",\n+    "lodash": "^4.17.21",';
const renamed = (from: string, to: string) =>
  [`diff --git a/${from} b/${to}`, "similarity index 100%", `rename from ${from}`, `rename to ${to}`].join("\n");
const binary = (path: string) =>
  [
    `diff --git a/${path} b/${path}`,
    "index 1111111..2222222 100644",
    `Binary files a/${path} and b/${path} differ`,
  ].join("\n");
const chmod = (path: string) => [`diff --git a/${path} b/${path}`, "old mode 100644", "new mode 100755"].join("\n");
const fresh = (path: string, ...text: readonly string[]) =>
  [
    `diff --git a/${path} b/${path}`,
    "new file mode 100644",
    "index 0000000..2222222",
    "--- /dev/null",
    `+++ b/${path}`,
    `@@ -0,0 +1,${text.length} @@`,
    ...text.map((line) => `+${line}`),
  ].join("\n");
const dependabot = { author: DEPENDABOT, ref: "dependabot/npm_and_yarn/lodash-4.17.21", labels: ["dependencies"] };
const many = (folder: string, extension: string, body: string, count = 7) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${folder}/part${i}.${extension}`, body]));

const skip = (name: string, shape: Shape): LabelledShape => ({ name, skip: true, ...shape });
const search = (name: string, shape: Shape): LabelledShape => ({ name, skip: false, ...shape });

export const SHAPES: readonly LabelledShape[] = [
  // Nothing to review.
  skip("a pure rename", { title: "Move the logo", files: { a: renamed("img/logo.md", "assets/logo.md") } }),
  skip("renames of several sources", {
    title: "Tidy folders",
    files: { a: renamed("a.ts", "src/a.ts"), b: renamed("b.ts", "src/b.ts") },
  }),
  skip("a mode change", { title: "Make it executable", files: { a: chmod("tool/run.py") } }),
  skip("images only", { title: "Sharper icons", files: { a: binary("img/a.png"), b: binary("img/b.png") } }),
  skip("all paths filtered out", {
    title: "New snapshot",
    pathFilters: ["!golden/**"],
    files: { "golden/a.ts": code },
  }),
  search("a rename with a changed line", { title: "Move it", files: { "src/a.ts": code } }),
  search("an image beside a source", {
    title: "Show the icon",
    files: { a: binary("img/a.png"), "src/icon.ts": code },
  }),
  // Lock files.
  skip("package-lock.json", { title: "Refresh the lock file", files: { "package-lock.json": lock } }),
  skip("two nested lock files", { title: "Refresh", files: { "web/yarn.lock": lock, "api/go.sum": lock } }),
  skip("Cargo.lock", { title: "cargo update", files: { "Cargo.lock": lock } }),
  skip("uv.lock and poetry.lock", { title: "Lock", files: { "uv.lock": lock, "tools/poetry.lock": lock } }),
  skip("flake.lock", { title: "flake.lock: Update", files: { "flake.lock": lock } }),
  skip("Gemfile.lock", { title: "bundle update", files: { "Gemfile.lock": lock } }),
  skip("a lock file that pathFilters brought back", {
    title: "Lock",
    pathFilters: ["**/*.json"],
    files: { "package-lock.json": lock },
  }),
  search("a lock file beside a source", { title: "Use it", files: { "package-lock.json": lock, "src/a.ts": code } }),
  search("a source that is called lock", { title: "Locks", files: { "src/lock.ts": code } }),
  // Dependency bumps.
  skip("a patch bump by Dependabot", {
    title: "Bump lodash from 4.17.20 to 4.17.21",
    ...dependabot,
    files: { "package.json": bumped, "package-lock.json": lock },
  }),
  skip("a minor bump in Dependabot's own words", {
    title: "build(deps): bump lodash from 4.17.20 to 4.18.0",
    ...dependabot,
    files: { "package.json": bumped },
  }),
  skip("a pinned Python requirement", {
    title: "Bump requests from 2.31.0 to 2.32.0",
    ...dependabot,
    ref: "dependabot/pip/requests-2.32.0",
    files: { "requirements.txt": " flask==3.0.0\n-requests==2.31.0\n+requests==2.32.0" },
  }),
  skip("go.mod and go.sum", {
    title: "Bump golang.org/x/net from 0.20.0 to 0.20.1",
    ...dependabot,
    ref: "dependabot/go_modules/golang.org/x/net-0.20.1",
    files: { "go.mod": " require (\n-\tgolang.org/x/net v0.20.0\n+\tgolang.org/x/net v0.20.1", "go.sum": lock },
  }),
  search("a group bump, whose step is unknown", {
    title: "Bump the dev group with 2 updates",
    ...dependabot,
    ref: "dependabot/npm_and_yarn/dev-1a2b",
    files: {
      "package.json":
        ' "dependencies": {\n-    "lodash": "^4.17.20",\n-    "zod": "^4.1.0",\n+    "lodash": "^4.17.21",\n+    "zod": "^4.2.0",',
    },
  }),
  search("a major bump", {
    title: "Bump lodash from 4.17.20 to 5.0.0",
    ...dependabot,
    ref: "dependabot/npm_and_yarn/lodash-5.0.0",
    files: { "package.json": bumped },
  }),
  search("a group bump with a major step", {
    title: "Bump the dev group with 1 update",
    ...dependabot,
    ref: "dependabot/npm_and_yarn/dev-1a2b",
    files: { "package.json": ' "dependencies": {\n-    "zod": "^3.1.0",\n+    "zod": "^4.2.0",' },
  }),
  search("a bump that is breaking", {
    title: "build(deps)!: bump lodash from 4.17.20 to 4.17.21",
    ...dependabot,
    files: { "package.json": bumped },
  }),
  search("a bump with a source file", {
    title: "Bump lodash from 4.17.20 to 4.17.21",
    ...dependabot,
    files: { "package.json": bumped, "src/a.ts": code },
  }),
  search("a person who writes Update and touches the manifest", {
    title: "Update the scripts",
    files: { "package.json": ' "scripts": {\n+    "lint": "biome lint",' },
  }),
  search("an action in a workflow", {
    title: "Bump actions/checkout from 4.1.0 to 4.2.0",
    ...dependabot,
    ref: "dependabot/github_actions/actions/checkout-4.2.0",
    files: {
      ".github/workflows/ci.yml":
        " steps:\n-      - uses: actions/checkout@v4.1.0\n+      - uses: actions/checkout@v4.2.0",
    },
  }),
  search("a base image", {
    title: "Bump node from 22.1 to 22.2",
    ...dependabot,
    ref: "dependabot/docker/node-22.2",
    files: { Dockerfile: " # base\n-FROM node:22.1\n+FROM node:22.2" },
  }),
  // Generated and vendored.
  skip("a build in dist/", { title: "Rebuild", files: { "dist/main.js": code, "dist/main.css": lines(2) } }),
  skip("a vendored library", { title: "Vendor zlib", files: { "vendor/zlib/inflate.c": code } }),
  skip("minified and map", { title: "Rebuild", files: { "static/app.min.js": code, "static/app.js.map": lines(1) } }),
  skip("snapshots", { title: "Update snapshots", files: { "test/__snapshots__/a.test.ts.snap": lines(4) } }),
  skip("protobuf output", { title: "Regenerate", files: { "api/v1/api.pb.go": code } }),
  skip("a header that says so", {
    title: "Regenerate",
    files: { a: fresh("src/tables.go", "// Code generated by mk. DO NOT EDIT.", "package tables") },
  }),
  search("a generated file beside its source", {
    title: "New field",
    files: { "api/v1/api.pb.go": code, "api/v1/api.proto": " message A {\n+  string b = 2;" },
  }),
  search("a vendored folder that people review", {
    title: "Fix our fork",
    pathFilters: ["**", "vendor/our-fork/**"],
    files: { "vendor/our-fork/a.c": code },
  }),
  search("a script in build/", { title: "Build faster", files: { "build/run.ts": code } }),
  // Releases.
  skip("version and changelog", {
    title: "Release 1.4.0",
    files: {
      "package.json": ' "name": "shop",\n-  "version": "1.3.9",\n+  "version": "1.4.0",',
      "CHANGELOG.md": " # Changes\n+## 1.4.0\n+- Prices are rounded.",
    },
  }),
  skip("a crate's version", {
    title: "chore: bump version to 0.8.1",
    files: { "crates/core/Cargo.toml": ' name = "core"\n-version = "0.8.0"\n+version = "0.8.1"', "Cargo.lock": lock },
  }),
  skip("a version file", {
    title: "v2.0.1",
    files: {
      "src/version.py": ' """Version."""\n-__version__ = "2.0.0"\n+__version__ = "2.0.1"'.replace(
        '"""Version."""',
        "import os",
      ),
    },
  }),
  search("a version and a line of code", {
    title: "Release 1.4.0",
    files: {
      "package.json": ' "name": "shop",\n-  "version": "1.3.9",\n+  "version": "1.4.0",\n+  "main": "lib/index.js",',
    },
  }),
  search("a dependency's version by hand", {
    title: "Use log4j 2.17.1",
    files: { "pom.xml": " <artifactId>log4j</artifactId>\n-  <version>2.14.0</version>\n+  <version>2.17.1</version>" },
  }),
  // Documentation.
  skip("a typo in the README", {
    title: "Fix typo",
    files: { "README.md": " The quick fox\n-jumps ovr the dog\n+jumps over the dog" },
  }),
  skip("a licence year", { title: "2026", files: { LICENSE: " MIT License\n-Copyright 2025\n+Copyright 2026" } }),
  skip("a few lines of rst", { title: "Say why", files: { "docs/why.rst": lines(6) } }),
  search("a page of documentation", { title: "Explain the model", files: { "docs/model.md": lines(40) } }),
  search("a command in the README", {
    title: "Install notes",
    files: { "README.md": " Install it:\n-npm install shop\n+npm install @acme/shop" },
  }),
  search("an example in a fence", {
    title: "Better example",
    files: { "README.md": " ```ts\n-await open()\n+await using x = open()\n ```" },
  }),
  search("documentation with code beside it", { title: "Docs", files: { "README.md": lines(2), "src/a.ts": code } }),
  search("requirements.txt is not prose", { title: "Pin", files: { "requirements.txt": " a==1\n-b==1\n+b==2" } }),
  // Comments and white space.
  skip("a comment rewritten", {
    title: "Say it better",
    files: { "src/a.ts": " const a = 1;\n-// counts the things\n+// Counts what is in the cart.\n const b = 2;" },
  }),
  skip("a block of comment added", {
    title: "Explain",
    files: { "src/a.java": " class A {\n+  /**\n+   * PeriodicTask half up.\n+   */\n   int a;" },
  }),
  skip("trailing white space", {
    title: "Whitespace",
    files: { "src/a.go": " func a() {\n-\tx := 1  \n+\tx := 1\n }" },
  }),
  skip("indentation where braces rule", {
    title: "Indent",
    files: { "src/a.rs": " fn a() {\n-  let x = 1;\n+    let x = 1;\n }" },
  }),
  search("indentation where it means something", {
    title: "Indent",
    files: { "src/a.py": " if ready:\n-    start()\n-stop()\n+    start()\n+    stop()" },
  }),
  search("a comment that a tool obeys", {
    title: "Quiet",
    files: { "src/a.ts": " const a = 1;\n+// eslint-disable-next-line no-eval\n const b = 2;" },
  }),
  search("a comment and a line of code", {
    title: "Explain",
    files: { "src/a.ts": " const a = 1;\n-// one\n-const b = 2;\n+// two\n+const b = 3;" },
  }),
  search("code that was commented out", {
    title: "Switch off",
    files: { "src/a.ts": " const a = 1;\n-check(user);\n+// check(user);" },
  }),
  search("white space in a string of several lines", {
    title: "Whitespace",
    files: { "src/a.ts": " const a = `\n-  x\n+x\n `;" },
  }),
  // What looks small and is not.
  search("translations", {
    title: "Translate to German",
    files: { "themes/messages_de.properties": " a=b\n-save=Speichern\n+save=Sichern" },
  }),
  search("configuration", {
    title: "Longer timeout",
    files: { "config/app.yaml": " server:\n-  timeout: 3\n+  timeout: 30" },
  }),
  search("tests only", { title: "Test rounding", files: { "test/cart.test.ts": code } }),
  search("a revert", {
    title: 'Revert "Fix typo"',
    body: "This reverts commit 0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b.",
    files: { "README.md": " a\n-over\n+ovr" },
  }),
  search("a migration", {
    title: "Add a column",
    files: { "migrations/7.sql": " -- 7\n+ALTER TABLE cart ADD price int;" },
  }),
  search("a workflow", { title: "Run on arm", files: { ".github/workflows/ci.yml": " on: push\n+    runs-on: arm" } }),
  search("authentication in one line", {
    title: "Typo",
    files: { "src/auth/session.ts": " // a\n-// sesion\n+// session" },
  }),
  search("a feature over many files", { title: "feat: carts", files: many("src", "ts", code) }),
  search("a fix over many files", { title: "fix: rounding", files: many("src", "ts", code) }),
  search("many files of configuration", { title: "Import", files: many("content", "yaml", lines(2)) }),
  // Titles that an earlier gate took for small talk.
  search("hi… is not a greeting", { title: "history of schema migrations", files: many("src", "ts", code) }),
  search("hi… is not a greeting, again", { title: "highlighting of diff hunks", files: many("src", "ts", code) }),
  search("ty… is not thanks", { title: "TypeScript strictness", files: many("src", "ts", code) }),
  search("ty… is not thanks, again", { title: "type guards for webhook payloads", files: many("src", "ts", code) }),
  search("Google is not Go", { title: "Google OAuth", files: many("src", "py", code) }),
  search("category is not Go", { title: "category pagination", files: many("src", "py", code) }),
  search("trust is not Rust", { title: "trust boundary", files: many("src", "py", code) }),
  search("a sum in the title is no arithmetic", { title: "2 + 2 carts", files: many("src", "ts", code) }),
];
