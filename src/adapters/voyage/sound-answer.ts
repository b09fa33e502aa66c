// What of an answer may reach the SDK: it prints every value of an unexpected type to the console, whatever its settings.
import { unreadableAnswer } from "../service-failed.ts";

/**
 * @param text a body that came with a success
 * @returns JSON with `data` and `usage` alone, without the rows whose fields have other types than the API promises
 * @throws ServiceFailed when it is not a JSON object with a list `data`
 */
export function soundAnswer(text: string): string {
  const answer = fields(parsed(text));
  if (!Array.isArray(answer.data)) throw unreadableAnswer();
  const tokens = fields(answer.usage).total_tokens;
  return JSON.stringify({
    data: answer.data.flatMap(soundRow),
    usage: typeof tokens === "number" ? { total_tokens: tokens } : {},
  });
}

function soundRow(row: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { index, embedding, relevance_score } = fields(row);
  const isPlaced = index === undefined || Number.isInteger(index);
  const isVector = Array.isArray(embedding) && embedding.every(Number.isFinite);
  if (isPlaced && isVector) return [{ index, embedding }];
  return isPlaced && Number.isFinite(relevance_score) ? [{ index, relevance_score }] : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
