// A model that records the cost of every question, answered or not: budgets count what was really asked.
import type { ModelUsage, Purpose } from "../domain/model.ts";
import type { Model } from "../ports/model.ts";

/** @param record called once per question, with all its attempts; an answer counts even if this fails */
export function meteredModel(
  model: Model,
  record: (purpose: Purpose, usage: ModelUsage) => Promise<void> | void,
): Model {
  return {
    ...model,
    async ask(request, signal) {
      const answer = await model.ask(request, signal);
      try {
        if (answer.usage.requests > 0) await record(request.purpose, answer.usage);
      } catch {}
      return answer;
    },
  };
}
