// Successful answers of embedding and reranking services.
import { z } from "zod";
import { unreadableAnswer } from "./service-failed.ts";

const row = { object: z.string().nullish(), index: z.number().nullish() };

/** Has every field that voyageai's SDK reads, so that it never gets an unexpected type. */
function listOf<R extends z.ZodType>(row: R) {
  const usage = z.object({ total_tokens: z.number().nullish() });
  return z.object({
    object: z.string().nullish(),
    data: z.array(row),
    model: z.string().nullish(),
    usage: usage.nullish(),
  });
}

/** OpenAI's shape, which Voyage shares. */
export const EmbeddingAnswer = listOf(z.object({ ...row, embedding: z.array(z.number()).nullish() }));

export const RerankAnswer = listOf(
  z.object({ ...row, relevance_score: z.number().nullish(), document: z.string().nullish() }),
);

/**
 * @param text the body of a successful answer
 * @throws ServiceFailed when it is not JSON of that form; the error names the place and never a value
 */
export function readAnswer<T>(form: z.ZodType<T>, text: string): T {
  const answer = form.safeParse(parsed(text));
  if (!answer.success) throw unreadableAnswer(answer.error.issues[0]);
  return answer.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
