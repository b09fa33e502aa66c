// Limits what one retrieval spends on a language model. Each question is reserved in one budget
// before it is sent, and a missing answer has a reason.
import {
  type AskableModel,
  isLastingFailure,
  type ModelAllowance,
  type ModelAnswer,
  type ModelRequest,
  type Purpose,
  tokensOf,
} from "../../domain/model.ts";
import type { ModelCost } from "../../domain/retrieval.ts";

/** A short question, like every question of this stage. */
export type Question<T> = Omit<ModelRequest<T>, "tier" | "effort">;

/** An answer, or why there is none; with its cost either way. */
type Answer<T> = ({ readonly value: T; readonly failed: null } | { readonly value: null; readonly failed: string }) & {
  readonly tokens: number;
  /** US$; 0 when the model has no price. */
  readonly usd: number;
  readonly ms: number;
};

export interface ModelBudget {
  readonly name: string | null;
  readonly reason: string | null;
  /**
   * Never rejects.
   *
   * @param part reported as degraded without an answer; null leaves that to the caller
   * @param wording the question, with the delimiter for text by others (see fence); not called when
   * no model may be asked
   */
  readonly ask: <T>(part: string | null, wording: (delimiter: string) => Question<T>) => Promise<Answer<T>>;
  readonly costs: () => readonly ModelCost[];
}

/** Reported when the configuration wants a model and there is none. */
export const NO_MODEL = "no model may be asked: none is configured, or it is switched off here";

/** @param note receives the part and the reason of each question without an answer */
export function budgetedModel(allowance: ModelAllowance, note: (part: string, reason: string) => void): ModelBudget {
  const bills = new Map<Purpose, ModelCost>();
  let spent = 0;
  let promised = 0;
  let over: string | null = null;
  const asked = async <T>(wording: (delimiter: string) => Question<T>): Promise<Answer<T>> => {
    if (allowance.model === null) return declined(allowance.reason ?? NO_MODEL);
    if (over !== null) return declined(over);
    const { model } = allowance;
    const question = wording(allowance.delimiter());
    // At the longest reply, so that the budget covers running questions at any cost.
    const input = tokensOf([...question.system, ...question.user]);
    const usd = model.price("small", input, question.maxOutputTokens) ?? 0;
    if (input + question.maxOutputTokens > model.contextTokens("small"))
      return declined("the question does not fit the model's context");
    if (spent + promised + usd > allowance.usd) return declined("the budget leaves no money for it");
    promised += usd;
    const answer = await answerOf(model, question);
    promised -= usd;
    if (answer === null) return declined("the model failed");
    spent += answer.usage.usd ?? 0;
    bills.set(question.purpose, billed(bills.get(question.purpose), question.purpose, answer));
    if (answer.kind === "failed" && isLastingFailure(answer)) over = reasonOf(answer);
    return read(answer);
  };
  return {
    name: allowance.model?.names.small ?? null,
    reason: allowance.model === null ? (allowance.reason ?? NO_MODEL) : null,
    ask: async (part, wording) => {
      const answer = await asked(wording);
      if (answer.failed !== null && part !== null) note(part, answer.failed);
      return answer;
    },
    costs: () => [...bills.values()],
  };
}

/** A model must never throw; if it does, only its own question fails. */
async function answerOf<T>(model: AskableModel, question: Question<T>) {
  try {
    return await model.ask({ ...question, tier: "small", effort: "low" });
  } catch {
    return null;
  }
}

function read<T>(answer: ModelAnswer<T>): Answer<T> {
  const { inputTokens, outputTokens, usd, ms } = answer.usage;
  const cost = { tokens: inputTokens + outputTokens, usd: usd ?? 0, ms };
  if (answer.kind === "answered") return { value: answer.value, failed: null, ...cost };
  return { value: null, failed: reasonOf(answer), ...cost };
}

function reasonOf({ failure, detail }: { readonly failure: string; readonly detail: string }): string {
  if (failure === "stopped") return "there was no time left to ask the model";
  return `the model did not answer (${failure})${detail === "" ? "" : `: ${detail}`}`;
}

function declined(failed: string): Answer<never> {
  return { value: null, failed, tokens: 0, usd: 0, ms: 0 };
}

/** Without a price as soon as one question has none: a sum without it would be wrong. */
function billed(before: ModelCost | undefined, purpose: Purpose, { usage }: ModelAnswer<unknown>): ModelCost {
  const known = before ?? { purpose, questions: 0, inputTokens: 0, outputTokens: 0, usd: 0 };
  return {
    purpose,
    questions: known.questions + 1,
    inputTokens: known.inputTokens + usage.inputTokens,
    outputTokens: known.outputTokens + usage.outputTokens,
    usd: known.usd === null || usage.usd === null ? null : known.usd + usage.usd,
  };
}
