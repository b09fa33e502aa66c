// What publish.yml runs when a version is tagged. GitHub, npm and Docker stand in for themselves:
// programs that note how they were called.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";

interface Step {
  readonly name?: string;
  readonly run?: string;
}
const { jobs } = parse(readFileSync(".github/workflows/publish.yml", "utf8")) as {
  readonly jobs: Readonly<Record<"build" | "publish" | "image" | "release", { readonly steps: readonly Step[] }>>;
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-publish-"));
  mkdirSync(join(folder, "out"));
  mkdirSync(join(folder, "bin"));
  for (const name of ["gh", "docker"])
    writeFileSync(
      join(folder, "bin", name),
      `#!/bin/sh\necho ${name} "$@" >> "$CALLS"\n[ "$1" != inspect ] || echo ghcr.io/acme/kodiai@sha256:abc\n`,
      { mode: 0o755 },
    );
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a step as a runner does: with `bash -e -o pipefail`. */
function run(step: Step | undefined, given: Readonly<Record<string, string>>) {
  const env = {
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    CALLS: join(folder, "calls"),
    GITHUB_OUTPUT: join(folder, "output"),
    GITHUB_STEP_SUMMARY: join(folder, "summary"),
    ...given,
  };
  const words = ["--norc", "-e", "-o", "pipefail", "-c", step?.run ?? "exit 9"];
  return spawnSync("bash", words, { cwd: folder, env, encoding: "utf8" });
}
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const notes = jobs.build.steps.find(({ name }) => name?.startsWith("The release's notes"));

test("a release's notes are the section of its version, and without one there is no release", () => {
  writeFileSync(
    join(folder, "CHANGELOG.md"),
    "# Changelog\n\n## [Unreleased]\n\n- Later.\n\n## [1.2.0] - 2026-11-28\n\n### Added\n\n- This.\n\n## [1.1.0]\n\n- Before.\n",
  );
  expect(run(notes, { REF: "v1.2.0" }).status).toBe(0);
  expect(read("out/notes.md").trim()).toBe("### Added\n\n- This.");
  expect(run(notes, { REF: "v1.2" }).status).not.toBe(0);
  copyFileSync("CHANGELOG.md", join(folder, "CHANGELOG.md"));
  expect(run(notes, { REF: "v99.0.0" }).status).not.toBe(0);
});

test("the image is pushed under its version, and the release names its digest and has the package and its parts list", () => {
  const env = { REF: "v1.2.0", GITHUB_REPOSITORY: "Acme/Kodiai", GITHUB_ACTOR: "mona", TOKEN: "t" };
  expect(run(jobs.image.steps.at(-1), env)).toMatchObject({ status: 0, stderr: "" });
  expect(read("calls")).toContain("docker push ghcr.io/acme/kodiai:1.2.0\n");
  expect(read("output")).toBe("digest=ghcr.io/acme/kodiai@sha256:abc\n");
  expect(read("summary")).toBe("Image: `ghcr.io/acme/kodiai@sha256:abc`\n");
  writeFileSync(join(folder, "out", "kodiai-1.2.0.tgz"), "");
  writeFileSync(join(folder, "out", "notes.md"), "- This.\n");
  expect(run(jobs.release.steps.at(-1), { ...env, DIGEST: "ghcr.io/acme/kodiai@sha256:abc" }).status).toBe(0);
  expect(read("out/notes.md")).toBe("- This.\n\nImage: `ghcr.io/acme/kodiai@sha256:abc`\n");
  expect(read("calls")).toContain(
    "gh release create v1.2.0 out/kodiai-1.2.0.tgz out/sbom.cyclonedx.json --verify-tag --title v1.2.0 --notes-file out/notes.md\n",
  );
});
