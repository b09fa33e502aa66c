import { expect, test } from "vitest";
import { fileKinds } from "../../src/analyze/analyze.ts";
import { defaultConfig } from "../../src/config/repo-config.ts";

const none = defaultConfig().fileKinds;

test.each([
  ["src/app.ts", "source"],
  ["src/testing-library.ts", "source"],
  ["src/latest/index.ts", "source"],
  ["app/models/contest.rb", "source"],
  ["src/Greatest.java", "source"],
  ["src/deploys.ts", "source"],
  ["packages/documents/index.ts", "source"],
  ["test_foo.py", "test"],
  ["pkg/server_test.go", "test"],
  ["FooTest.java", "test"],
  ["src/components/Button.spec.tsx", "test"],
  ["tests/fixtures/data.json", "test"],
  ["test/README.md", "test"],
  [".github/workflows/ci.yml", "infra"],
  ["Dockerfile", "infra"],
  ["deploy/helm/values.yaml", "infra"],
  ["modules/vpc/main.tf", "infra"],
  ["CMakeLists.txt", "config"],
  ["requirements-dev.txt", "config"],
  [".github/dependabot.yml", "config"],
  ["vite.config.ts", "config"],
  [".eslintrc.cjs", "config"],
  ["tsconfig.json", "config"],
  ["README.md", "docs"],
  ["docs/architecture.md", "docs"],
  ["CHANGELOG", "docs"],
  ["LICENSE", "docs"],
  ["constructor", "source"],
  ["", "source"],
] as const)("%s is %s", (path, kind) => {
  expect(fileKinds(none)(path)).toBe(kind);
});

test("globs of the configuration come before the table", () => {
  const kindOf = fileKinds({ ...none, docs: ["**/*.guide", "site/**"], test: ["qa/**"] });
  expect(kindOf("site/a.guide")).toBe("docs");
  expect(kindOf("site/app.ts")).toBe("docs");
  expect(kindOf("qa/docs.guide")).toBe("test");
  expect(kindOf("src/app.ts")).toBe("source");
});

test.each(["src/security.ts", "install.sh", "lib/history.py", "app/news.rb", "scripts/notice.sh", "src/authors.go"])(
  "%s is code, although documents have such names",
  (path) => {
    expect(fileKinds(defaultConfig().fileKinds)(path)).toBe("source");
  },
);
