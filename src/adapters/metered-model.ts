// A model whose every question is written into the book, answered or not: budgets hold against what was really asked.
import type { ModelUsage, Purpose } from "../domain/model.ts";
import type { Model } from "../ports/model.ts";

/**
 * @param record told once a question, with all its attempts; what it throws is told to `lost` and costs nobody an answer
 */
export function meteredModel(
  model: Model,
  record: (purpose: Purpose, usage: ModelUsage) => Promise<void> | void,
  lost: (error: unknown) => void,
): Model {
  return {
    ...model,
    async ask(request, signal) {
      const answer = await model.ask(request, signal);
      try {
        if (answer.usage.requests > 0) await record(request.purpose, answer.usage);
      } catch (error) {
        lost(error);
      }
      return answer;
    },
  };
}
