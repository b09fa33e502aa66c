// A question that somebody asked in a comment, as if a change without files asked: the gate for questions, then the search,
// rank and choice of a review.
import type { Knowledge } from "../config/knowledge.ts";
import { cutText } from "../domain/cut-text.ts";
import { emptyChange } from "../domain/empty-change.ts";
import type { Repo } from "../domain/job.ts";
import type { HandQuestion } from "./asked-by-hand.ts";
import { gateConfig } from "./gate-config.ts";
import { questionGate } from "./question-gate.ts";

/** A question, and where it was asked. */
export interface AskedQuestion {
  readonly repo: Repo;
  readonly pull: { readonly number: number };
  readonly text: string;
  /** The file it was asked on, or null. */
  readonly path: string | null;
}

/** Characters of a question that are searched for. */
const QUERY_CHARS = 800;

/**
 * What retrieval takes, made of a question: it is searched for with the place that it is about. As for a search by hand,
 * ranks are fused, and words alone need no floor: a question has three words that count, not three hundred.
 *
 * @param now epoch milliseconds
 */
export function askedInComment(question: AskedQuestion, knowledge: Knowledge, now: number): HandQuestion {
  const { retrieval } = knowledge;
  const text = cutText(
    [question.text.trim(), question.path ?? ""].filter((part) => part !== "").join("\n"),
    QUERY_CHARS,
  );
  return {
    ...emptyChange(question.text, question.repo, question.pull.number),
    settings: {
      knowledge: { ...knowledge, retrieval: { ...retrieval, fusion: "rrf" } },
      now,
      tuning: { rareWords: 0 },
      asked: {
        query: { text, dropped: [], variants: [{ kind: "intent", text, path: null }] },
        filter: {},
        decide: (counts) => questionGate(question.text, gateConfig(retrieval.gate), counts),
      },
    },
  };
}
