// Reviews a change of so many files and lines by a scripted model in a process of its own, and says
// what it took. node test/app/large-by-model.child.ts FILES LINES_A_FILE
import { reviewMarkdown } from "../../src/publish/publish.ts";
import { drafted, reports, scriptedModel, textOf } from "../fakes/scripted-model.ts";
import { reviewed } from "./pipeline.ts";

const [files = 3_000, lines = 1] = process.argv.slice(2).map(Number);
const texts = Object.fromEntries(
  Array.from({ length: files }, (_, at) => [
    `src/part-${String(at).padStart(4, "0")}.ts`,
    `${Array.from({ length: lines }, (_line, n) => `export const value${n} = compute(${at}, ${n});`).join("\n")}\n`,
  ]),
);
const line = `export const value0 = compute(0, 0);`;
const model = scriptedModel(reports(drafted({ path: "src/part-0000.ts", quote: line, confidence: 1 })), {
  tokens: { input: 46_000, output: 6_000 },
});
const started = performance.now();
const review = await reviewed({ files: texts, access: model });
const markdown = reviewMarkdown(review);
const ms = Math.round(performance.now() - started);
const states = Object.groupBy(review.coverage?.files ?? [], ({ state }) => state);
const shown = model.asked
  .filter(({ purpose }) => purpose === "review")
  .flatMap(({ user }) => textOf(user).match(/^\d+#[0-9a-f]{4}:/gm) ?? []).length;
console.log(
  JSON.stringify({
    ms,
    rssMb: Math.round(process.resourceUsage().maxRSS / 1024),
    questions: model.asked.length,
    usd: review.cost.usd,
    full: states.full?.length ?? 0,
    partial: states.partial?.length ?? 0,
    notRead: states["not-read"]?.length ?? 0,
    leftOut: review.leftOut.length,
    shown,
    found: review.findings.filter(({ finding }) => finding.source === "model").length,
    summary: markdown.length,
    says: /\*\*incomplete\*\*/.test(markdown),
  }),
);
