// A whole review without a network: gather, analyze and review with the real rules over a pull
// request in memory. Its files: the first word.
const started = performance.now();
const { inspector, knownRules } = await import("../src/wire/rules.ts");
const { writeReview } = await import("../src/flows/review/review-pull-request.ts");
const { reviewMarkdown } = await import("../src/publish/publish.ts");
const importMs = performance.now() - started;

const { localWords } = await import("../src/adapters/local/local-embedder.ts");
const { noMemory } = await import("../src/adapters/no-memory/no-memory.ts");
const { PLAIN_CHANGE } = await import("../src/flows/review/review-ports.ts");
const { benchmarkSubject } = await import("./pull-request.ts");
const { measured } = await import("./time-runs.ts");
const [files] = process.argv.slice(2);
const { job, pulls } = benchmarkSubject(files === undefined ? undefined : Number(files));
const ports = {
  ...PLAIN_CHANGE,
  pulls,
  inspector: inspector(),
  known: knownRules(),
  embedder: localWords(),
  recall: noMemory(),
  access: null,
  now: () => 0,
};
await measured(importMs, async () => {
  const written = await writeReview(job, ports, (_room, enter) => Promise.resolve(enter()));
  if (written.kind === "skipped") throw new Error(written.reason);
  return reviewMarkdown(written).length > 0 ? written.findings.length : 0;
});
