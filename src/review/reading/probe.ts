// A question with the size and the form of a review's, to try out what a model's server takes.

import type { ModelRequest } from "../../domain/model.ts";
import { REVIEW_REPLY } from "../reply.ts";
import { type ModelMeasure, readingBudget } from "./plan-reading.ts";

const LINE = "const total = items.reduce((sum, item) => sum + item.price * item.count, 0);";

/** A review's longest question to this model, and its longest reply. Any JSON object answers it. */
export function probeQuestion(model: ModelMeasure): ModelRequest<unknown> {
  const { charsPerCall, contextChars, replyTokens } = readingBudget(model, Number.POSITIVE_INFINITY);
  const lines = Math.ceil((charsPerCall + contextChars) / (LINE.length + 8));
  const text = Array.from({ length: lines }, (_, at) => `${at + 1}: ${LINE}`).join("\n");
  return {
    purpose: "answer",
    tier: "main",
    system: [{ text: "This question tests a connection. Do what it says and nothing else.", cache: false }],
    user: [
      { text: `${text}\n\nThese lines are of no interest. Reply with no findings and no walkthrough.`, cache: false },
    ],
    effort: "low",
    maxOutputTokens: replyTokens,
    shape: {
      ...REVIEW_REPLY,
      check: (value) =>
        typeof value === "object" && value !== null
          ? { ok: true, value }
          : { ok: false, problem: "the reply: must be a JSON object" },
    },
  };
}
