// The chunks of one stream of chat completions, assembled into the reply and its cost.
import { estimatedTokens } from "../../../domain/model.ts";
import { type Accumulator, countOf, fieldsOf, inputOf, wordsOf } from "../protocol.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A call being assembled. */
interface GrowingCall {
  readonly index: unknown;
  readonly id: string;
  name: string;
  input: string;
  /** Further fields that the server wants back, such as the signature of Gemini's thinking. */
  more: Fields;
}

export function accumulateStream(): Accumulator {
  const calls: GrowingCall[] = [];
  let text = "";
  let thought = "";
  let otherThought = "";
  let refused = "";
  let stopReason: string | null = null;
  let usage: Fields | null = null;

  function call(fields: Fields): void {
    const { index, id, type: _, function: fn, ...more } = fields;
    const named = fieldsOf(fn);
    // Some servers give every call of a reply the index 0, with a new id.
    const open = calls.findLast((one) => one.index === index && (id === undefined || id === null || one.id === id));
    const growing = open ?? { index, id: wordsOf(id) || `call_${calls.length + 1}`, name: "", input: "", more };
    if (open === undefined) calls.push(growing);
    growing.name += wordsOf(named?.name);
    growing.input += wordsOf(named?.arguments);
    growing.more = { ...growing.more, ...more };
  }

  return {
    add(event) {
      const fields = fieldsOf(event);
      usage = fieldsOf(fields?.usage) ?? usage;
      const choice = fieldsOf(Array.isArray(fields?.choices) ? fields.choices[0] : null);
      // A complete reply has a message instead of a delta.
      const delta = fieldsOf(choice?.delta) ?? fieldsOf(choice?.message);
      text += wordsOf(delta?.content);
      thought += wordsOf(delta?.reasoning_content);
      otherThought += wordsOf(delta?.reasoning);
      refused += wordsOf(delta?.refusal);
      for (const one of Array.isArray(delta?.tool_calls) ? delta.tool_calls : []) call(fieldsOf(one) ?? {});
      stopReason = typeof choice?.finish_reason === "string" ? choice.finish_reason : stopReason;
    },
    reply() {
      const isWhole = stopReason !== null;
      const details = fieldsOf(usage?.prompt_tokens_details);
      const all = countOf(usage?.prompt_tokens) ?? 0;
      // Both are included in the total.
      const cacheRead = Math.min(countOf(details?.cached_tokens) ?? 0, all);
      const cacheWrite = Math.min(countOf(details?.cache_write_tokens) ?? 0, all - cacheRead);
      const counted = countOf(usage?.completion_tokens);
      const unseen = calls.reduce((sum, { input }) => sum + input.length, thought.length + otherThought.length);
      // The server reports its output tokens at the end; until then they are estimated from the text.
      const output = counted ?? (isWhole ? 0 : estimatedTokens(text.length + unseen));
      return {
        text,
        stopReason: refused === "" ? stopReason : "refusal",
        refusal: null,
        calls: calls.map(({ id, name, input }) => ({ id, name, input: inputOf(input) })),
        turn: {
          role: "assistant",
          content: text === "" ? null : text.toWellFormed(),
          tool_calls: calls.map(({ id, name, input, more }) => ({
            ...more,
            id,
            type: "function",
            function: { name, arguments: inputOf(input) === null ? "{}" : input || "{}" },
          })),
          // DeepSeek wants its thinking back before the results of its calls; others never send this field.
          ...(thought === "" ? {} : { reasoning_content: thought.toWellFormed() }),
        },
        tokens: { fresh: all - cacheRead - cacheWrite, cacheWrite, cacheRead, output },
        isWhole,
      };
    },
  };
}
