// What the product asks a model while it searches memory, as files that any model, or a person, can
// answer. `--out DIR` takes them, `--step rerank|queries|longQueries|hyde` picks one step (else
// each has a folder of its own in DIR), `--queries FILE` lists the queries, `--draw N` first writes
// that file: N ids of the task, chosen by a seeded hash.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { retrievalFingerprint } from "../configuration-fingerprint.ts";
import { readJudged } from "../judged-data.ts";
import { bootstrap, SEED } from "../metrics.ts";
import { drawnIds, QUERIES_FILE, readStep, recordedArm, recordedQueries, STEPS, type Step } from "../recorded-steps.ts";
import { stemPrefix, writeQuestion } from "../reply-folder.ts";
import { readTask, taskOf } from "../retrieval-task.ts";
import { answersOf } from "../run-all-queries.ts";
import type { Suite } from "../suite.ts";
import { withStore } from "../temporary-store.ts";

export const suite: Suite = async ({ data, flags }) => {
  const out = flags.get("out");
  if (out === undefined) throw new Error("say where the prompts go: --out DIR");
  const file = flags.get("queries") ?? QUERIES_FILE;
  const wanted = flags.get("step");
  const judged = await readJudged(data);
  const whole = taskOf(readTask(flags.get("task")), judged, null);
  const draw = flags.get("draw");
  if (draw !== undefined) {
    const ids = drawnIds(
      whole.queries.map(({ id }) => id),
      String(SEED),
      Number(draw),
    );
    await writeFile(file, `${ids.join("\n")}\n`);
  }
  const asked = await recordedQueries(whole, file);
  const pulls = new Map(asked.queries.map(({ id, repo, pr }) => [id, { id, repo, number: pr }]));
  const steps = wanted === undefined ? (Object.keys(STEPS) as Step[]) : [readStep(wanted)];
  return withStore(async (store) => {
    await store.importLines(asked.lines);
    const rows = [];
    const degraded: string[] = [];
    for (const step of steps) {
      const { arm, asked: questions } = recordedArm(step, new Map());
      const answered = await answersOf(asked, [arm], store);
      const folder = wanted === undefined ? join(out, step) : out;
      const tokens: number[] = [];
      for (const { query, outcomes } of questions) {
        const pull = pulls.get(query);
        if (pull === undefined) continue;
        const stem = stemPrefix(pull).slice(0, -1);
        for (const { question } of outcomes) {
          await writeQuestion(folder, pull, { stem, question });
          tokens.push(question.inputTokens);
        }
      }
      const size = bootstrap(tokens);
      rows.push({
        name: step,
        n: questions.length,
        metrics: { questions: tokens.length, tokensEach: size.mean, mostTokens: Math.max(0, ...tokens) },
      });
      degraded.push(...answered.degraded.filter((line) => !line.includes("there is no reply")));
    }
    return {
      data: { n: asked.queries.length, fingerprint: judged.fingerprint },
      config: { fingerprint: retrievalFingerprint(store.embedder) },
      rows,
      notes: degraded,
    };
  });
};
