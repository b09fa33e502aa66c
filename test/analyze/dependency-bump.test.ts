import { describe, expect, test } from "vitest";
import { bumpStep, bumpTitle, dependencyBump } from "../../src/analyze/dependency-bump.ts";
import { parseTitle } from "../../src/analyze/title.ts";

const bump = (input: {
  title: string;
  headRef?: string;
  login?: string;
  labels?: string[];
  body?: string;
  commits?: string[];
}) =>
  dependencyBump({
    title: parseTitle(input.title),
    body: input.body ?? null,
    commits: (input.commits ?? []).map((message) => ({ sha: "a", message })),
    labels: input.labels ?? [],
    headRef: input.headRef ?? "main",
    author: { login: input.login ?? "alice" },
  });

describe("what counts as a bump", () => {
  test("Dependabot, with all four signs", () => {
    expect(
      bump({
        title: "build(deps-dev): bump lodash from 4.17.20 to 4.17.21 in /docs",
        headRef: "dependabot/npm_and_yarn/docs/lodash-4.17.21",
        login: "dependabot[bot]",
        labels: ["dependencies", "javascript"],
      }),
    ).toEqual({
      signs: ["title", "branch", "sender", "label"],
      packageName: "lodash",
      from: "4.17.20",
      to: "4.17.21",
      step: "patch",
    });
  });

  test("Renovate, whose title has no old version, with the table of its description", () => {
    const body =
      "| [@types/node](https://x) | dependencies | major | [`18.15.0` -> `20.1.0`](https://y) |\n\n### Release Notes";
    expect(
      bump({
        title: "Update dependency @types/node to v20",
        headRef: "renovate/node-20.x",
        login: "renovate[bot]",
        labels: ["renovate"],
        body,
      }),
    ).toMatchObject({
      packageName: "@types/node",
      from: "18.15.0",
      to: "20",
      step: "major",
    });
  });

  test("a table of another version is not used", () => {
    const body = "[`1.0.0` -> `2.0.0`](https://y)";
    expect(
      bump({ title: "Update dependency foo to v3", headRef: "renovate/foo", labels: ["deps"], body }),
    ).toMatchObject({
      from: null,
      to: "3",
      step: "unknown",
    });
  });

  test("Dependabot's long titles leave the versions to the commit", () => {
    const commits = [
      "Bump webpack in /www\n\nBumps [webpack](https://github.com/webpack/webpack) from 5.95.0 to 6.0.1.\n- [Release notes](x)",
    ];
    expect(
      bump({ title: "Bump webpack in /www", headRef: "dependabot/npm_and_yarn/www/webpack-6.0.1", commits }),
    ).toMatchObject({
      packageName: "webpack",
      from: "5.95.0",
      to: "6.0.1",
      step: "major",
    });
  });

  test("two signs without a title are a bump of something unknown", () => {
    expect(
      bump({ title: "Weekly chores", headRef: "dependabot-docker_compose-app-x", login: "dependabot[bot]" }),
    ).toEqual({
      signs: ["branch", "sender"],
      packageName: null,
      from: null,
      to: null,
      step: "unknown",
    });
  });

  test("a person may bump too, when the label agrees", () => {
    expect(bump({ title: "Bump lodash from 4.17.20 to 4.17.21", labels: ["dependencies"] })).toMatchObject({
      signs: ["title", "label"],
    });
  });

  test.each([
    { title: "Fix memory leak", headRef: "fix/leak" },
    { title: "x", labels: ["dependencies"] },
    { title: "Bump lodash from 1 to 2", headRef: "feature/x" },
    { title: "[Windows] Update tests", labels: ["dependencies"] },
    { title: "[Windows] Update tests" },
    { title: "Update README to mention the dependencies", labels: ["dependencies"] },
    { title: "Upgrade to Puma 7 and remove puma_worker_killer", labels: ["dependencies"] },
    { title: "Bump version to 0.11.6", labels: ["dependencies"] },
    { title: "Python: Bump Python version to 1.36.2 for a release", labels: ["dependencies"] },
    { title: "Update is_trial_user to is_consumer_tier", labels: ["dependencies"] },
    { title: "Update compatibility date to 2024-12-16", labels: ["dependencies"] },
    { title: "chore: update dependencies, fix some lower bounds", labels: ["dependencies"] },
    { title: "Bump the timeout", labels: ["dependencies"] },
    { title: "Bump MSRV to 1.70.0", labels: ["dependencies"] },
    { title: "Fix the dependabot/ branch filter", headRef: "fix/dependabot-filter", labels: ["dependencies"] },
    { title: "Renovate the kitchen", headRef: "renovated", login: "renovate-fan" },
  ])("an ordinary pull request is none: $title", (input) => expect(bump(input)).toBeNull());
});

describe("titles", () => {
  test.each([
    ["ci: bump actions/checkout from 2 to 3", "actions/checkout", "2", "3"],
    ["Bump `actions/checkout` from 2 to 3", "actions/checkout", "2", "3"],
    [
      ":seedling: Bump github.com/go-git/go-git/v5 from 5.7.0 to 5.8.0",
      "github.com/go-git/go-git/v5",
      "5.7.0",
      "5.8.0",
    ],
    [
      ".Net: Bump Roslynator.CodeAnalysis.Analyzers from 4.11.0 to 4.12.0 in /dotnet",
      "Roslynator.CodeAnalysis.Analyzers",
      "4.11.0",
      "4.12.0",
    ],
    ["[C3] Bump @angular/create from 20.3.0 to 20.3.1 in /packages/x", "@angular/create", "20.3.0", "20.3.1"],
    ["chore(deps) bump luasec from 1.0.2 to 1.1.0", "luasec", "1.0.2", "1.1.0"],
    ["build(deps): bump rust_team_data from `344e7cf` to `946917c`", "rust_team_data", "344e7cf", "946917c"],
    [
      "Bump stefanzweifel/git-auto-commit-action from 5 to 6 in the github-actions group",
      "stefanzweifel/git-auto-commit-action",
      "5",
      "6",
    ],
    ["[Snyk] Security upgrade ora from 5.3.0 to 5.4.0", "ora", "5.3.0", "5.4.0"],
    ["fix(deps): update module github.com/google/go-cmp to v0.6.0", "github.com/google/go-cmp", null, "0.6.0"],
    ["Update actions/deploy-pages action to v5", "actions/deploy-pages", null, "5"],
    [
      "chore(deps): update ghcr.io/containerbase/devcontainer docker tag to v13.8.26 (main)",
      "ghcr.io/containerbase/devcontainer",
      null,
      "13.8.26",
    ],
    ["build(deps): update dependency ansi-regex to 3.0.1 [security]", "ansi-regex", null, "3.0.1"],
    ["fix(deps): update debug to ^4.4.0", "debug", null, "^4.4.0"],
    ["Update golang.org/x/build commit hash to 1f82dd3", "golang.org/x/build", null, "1f82dd3"],
    ["Update eslint to the latest version 🚀", "eslint", null, null],
    ["Build(deps): Bump Microsoft.PowerShell.Native", "Microsoft.PowerShell.Native", null, null],
  ])("%s", (title, packageName, from, to) => {
    expect(bumpTitle(parseTitle(title))).toMatchObject({ packageName, from, to });
  });

  test.each([
    "Bump the npm_and_yarn group with 3 updates",
    "build(deps): bump the rust-dependencies group across 1 directory with 6 updates",
    "Bump the npm_and_yarn group in /client with 1 update",
    "chore(deps): update all non-major dependencies to ^0.25.5",
    "chore(deps): update jest monorepo to v28",
    "fix(deps): update octokit monorepo (major)",
    "build(deps): lock file maintenance",
    "build(deps): bump lodash and webpack in /www",
    "[pre-commit.ci] pre-commit autoupdate",
  ])("a group names no package: %s", (title) => {
    expect(bumpTitle(parseTitle(title))).toMatchObject({ packageName: null });
  });
});

describe("steps", () => {
  test.each([
    ["1.2.3", "2.0.0", "major"],
    ["2024.1.1", "2025.1.1", "major"],
    ["1.2", "1.3", "minor"],
    ["3", "4", "major"],
    ["v1.2.3", "1.2.4", "patch"],
    ["1.2.3.4", "1.2.3.5", "patch"],
    ["11.0.0-beta.3", "11.0.0-beta.4", "patch"],
    ["^4.3.0", "^4.4.0", "minor"],
    ["2.0.0", "1.9.0", "major"],
    ["3.11-alpine", "3.12-alpine", "minor"],
    [null, "1.0.0", "unknown"],
    ["abc", "1.0.0", "unknown"],
    ["344e7cf", "946917c", "unknown"],
    ["1234567", "7654321", "unknown"],
    ["1.0.0", "1.0.0", "unknown"],
    ["9".repeat(40), "1", "unknown"],
  ])("%s to %s is %s", (from, to, step) => expect(bumpStep(from, to)).toBe(step));
});
