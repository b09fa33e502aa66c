// The pull request that the benchmark reviews: twenty files as they come, seven languages, some
// new, most changed.
import { readFileSync } from "node:fs";
import { createTwoFilesPatch } from "diff";
import { PULL_REQUEST } from "../demo/pull-request.ts";
import { BASE as DEMO_BASE } from "../demo/repository.ts";
import type { ListedFile } from "../src/domain/changes.ts";
import type { PullRequests } from "../src/ports.ts";
import { aJob, aPull, fakePullRequests, HEAD } from "../test/fakes/pull-requests.ts";

/** Files of this project that the pull request changes in two places, beside those of the demo. */
const OWN = [
  "src/app.ts",
  "src/wire/job-ports.ts",
  "src/worker.ts",
  "src/gather/select-files.ts",
  "src/publish/pieces.ts",
  "src/analyze/title.ts",
  "src/store/queue/put.ts",
  "src/config/read-yaml.ts",
  "src/receive/receive.ts",
  "src/publish/sanitize.ts",
  "docs/configuration.md",
  ".dependency-cruiser.mjs",
];
export const FILES = 20;

export interface BenchmarkSubject {
  readonly job: ReturnType<typeof aJob>;
  /** Answers at once, from memory. */
  readonly pulls: PullRequests;
  /** The same change as one unified diff. */
  readonly diff: string;
  readonly files: number;
  readonly addedLines: number;
}

/** @param wanted files of it; if the project has fewer, copies of the same ones in other folders */
export function benchmarkSubject(wanted: number = FILES): BenchmarkSubject {
  const demo = Object.entries(PULL_REQUEST.files).flatMap(([path, text]) =>
    typeof text === "string" ? [{ path, before: textOf(DEMO_BASE[path]), after: text }] : [],
  );
  const texts = OWN.map((path) => ({ path, before: readFileSync(new URL(`../${path}`, import.meta.url), "utf8") }));
  const folders = Array.from({ length: Math.ceil(wanted / OWN.length) }, (_, at) => (at === 0 ? "fork" : `fork${at}`));
  const own = folders.flatMap((folder) =>
    texts.map(({ path, before }) => ({ path: `${folder}/${path}`, before, after: edited(before) })),
  );
  const changes = [...demo, ...own].slice(0, wanted);
  const listed = changes.map(listedFile);
  const heads = Object.fromEntries(changes.map(({ path, after }) => [`${HEAD}:${path}`, after]));
  const world = {
    pull: aPull({ title: PULL_REQUEST.title }),
    changes: { kind: "listing", files: listed, total: listed.length },
    texts: heads,
  } as const;
  return {
    job: aJob(),
    pulls: fakePullRequests(world),
    diff: listed
      .map(({ path, patch }) => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${patch}\n`)
      .join(""),
    files: listed.length,
    addedLines: listed.reduce((sum, { additions }) => sum + additions, 0),
  };
}

function listedFile({ path, before, after }: { path: string; before: string; after: string }): ListedFile {
  const whole = createTwoFilesPatch("a", "b", before, after, undefined, undefined, { context: 3 });
  const patch = whole.slice(whole.indexOf("@@")).replace(/\n$/, "");
  const count = (sign: string) => patch.split("\n").filter((line) => line.startsWith(sign)).length;
  const status = before === "" ? "added" : "modified";
  return { path, previousPath: null, status, additions: count("+"), deletions: count("-"), patch };
}

/** A call in the middle and a function at the end, as a change of a day's work makes them. */
function edited(text: string): string {
  const lines = text.split("\n");
  const middle = Math.floor(lines.length / 2);
  const added = lines.slice(middle, middle + 15).map((line) => line.replaceAll("const ", "let "));
  return [...lines.slice(0, middle), ...added, ...lines.slice(middle), ...lines.slice(5, 20)].join("\n");
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : "";
}
