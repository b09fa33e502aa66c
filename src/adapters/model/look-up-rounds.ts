// Performs a model's look-ups within the limits of its question.
import type { LookUps } from "../../domain/model.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import type { ToolCall } from "./protocol.ts";

/**
 * One text for each call, in their order. Never rejects.
 *
 * @param left how many more look-ups the question may make
 * @param maxLength UTF-16 units of all results together
 */
export async function lookUpAll(
  { tools, answer }: LookUps,
  calls: readonly ToolCall[],
  left: number,
  maxLength: number,
): Promise<readonly string[]> {
  const names = new Set(tools.map(({ name }) => name));
  const texts = await Promise.all(
    calls.map(({ name, input }, at) => {
      if (at >= left) return "Not looked up: no look-ups are left. Answer now.";
      if (!names.has(name)) return "There is no tool of this name.";
      if (input === null) return "The input is not JSON.";
      return answer(name, input).catch(() => "This look-up failed.");
    }),
  );
  let free = Math.max(maxLength, 0);
  return texts.map((text) => {
    const shown = cutText(text, free);
    free -= shown.length;
    return shown.length < text.length ? `${shown}\n(cut: there is no room for more)` : shown;
  });
}
