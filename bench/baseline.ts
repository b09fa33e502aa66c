// What any reviewer of pull requests needs at least: a diff parser and a client of GitHub, nothing
// else.
const started = performance.now();
const { default: parseDiff } = await import("parse-diff");
await import("@octokit/rest");
const importMs = performance.now() - started;

const { benchmarkSubject } = await import("./pull-request.ts");
const { measured } = await import("./time-runs.ts");
const { diff } = benchmarkSubject();
await measured(importMs, () => Promise.resolve(parseDiff(diff).length));
