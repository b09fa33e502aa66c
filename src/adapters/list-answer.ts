// The shape that embedding and reranking services share: `{data: [...], usage: {total_tokens}}`.
import { unreadableAnswer } from "./service-failed.ts";

/** What a service answered, not yet trusted. */
export interface ListAnswer {
  readonly rows: readonly unknown[];
  /** What it says it counted. */
  readonly tokens: unknown;
}

/**
 * @param text a body that came with a success
 * @throws ServiceFailed when it is not a JSON object with a list `data`
 */
export function listAnswer(text: string): ListAnswer {
  const answer = parsed(text);
  if (!Array.isArray(answer?.data)) throw unreadableAnswer();
  return { rows: answer.data, tokens: answer.usage?.total_tokens };
}

function parsed(
  text: string,
): { readonly data?: unknown; readonly usage?: { readonly total_tokens?: unknown } } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
