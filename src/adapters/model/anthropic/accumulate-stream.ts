// The events of one stream of the Messages API, put together into what was said and what it costs.
import { estimatedTokens } from "../../../domain/model.ts";
import { type Accumulator, countOf, fieldsOf, inputOf, type ToolCall, wordsOf } from "../protocol.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A content block as it grows. */
interface Block {
  readonly start: Fields;
  text: string;
  thinking: string;
  signature: string;
  input: string;
}

export function accumulateStream(): Accumulator {
  const blocks: Block[] = [];
  const usage = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 };
  let stopReason: string | null = null;
  let refusal: string | null = null;
  let isEnd = false;

  /** Later counts are totals and replace the earlier ones. */
  function count(told: Fields | null): void {
    usage.input = countOf(told?.input_tokens) ?? usage.input;
    usage.cacheWrite = countOf(told?.cache_creation_input_tokens) ?? usage.cacheWrite;
    usage.cacheRead = countOf(told?.cache_read_input_tokens) ?? usage.cacheRead;
    usage.output = countOf(told?.output_tokens) ?? usage.output;
  }

  function end(told: Fields): void {
    const delta = fieldsOf(told.delta);
    stopReason = typeof delta?.stop_reason === "string" ? delta.stop_reason : stopReason;
    const category = fieldsOf(delta?.stop_details)?.category;
    refusal = typeof category === "string" && /^[a-z_]{1,40}$/.test(category) ? category : refusal;
    count(fieldsOf(told.usage));
  }

  function begin(start: Fields): Block {
    const { text, thinking, signature } = start;
    const block = {
      start,
      text: wordsOf(text),
      thinking: wordsOf(thinking),
      signature: wordsOf(signature),
      input: "",
    };
    blocks.push(block);
    return block;
  }

  function grow(delta: Fields): void {
    // Small servers leave out where a block begins.
    const block = blocks.at(-1) ?? begin({ type: "text" });
    block.text += wordsOf(delta.text);
    // Thoughts have a field of their own, and are paid for.
    block.thinking += wordsOf(delta.thinking);
    block.signature += wordsOf(delta.signature);
    block.input += wordsOf(delta.partial_json);
  }

  const heard = new Map<unknown, (told: Fields) => void>([
    ["message_start", (told) => count(fieldsOf(fieldsOf(told.message)?.usage))],
    ["content_block_start", (told) => begin(fieldsOf(told.content_block) ?? { type: "text" })],
    ["content_block_delta", (told) => grow(fieldsOf(told.delta) ?? {})],
    ["message_delta", end],
    [
      "message_stop",
      () => {
        isEnd = true;
      },
    ],
  ]);

  return {
    add(event) {
      const told = fieldsOf(event);
      if (told !== null) heard.get(told.type)?.(told);
    },
    said() {
      const text = blocks.map((block) => block.text).join("");
      const thought = blocks.reduce((sum, { thinking, input }) => sum + thinking.length + input.length, 0);
      const isWhole = isEnd || stopReason !== null;
      // The server counts what it wrote at the end; until then there is only what came.
      const output = isWhole ? usage.output : Math.max(usage.output, estimatedTokens(text.length + thought));
      const tokens = { fresh: usage.input, cacheWrite: usage.cacheWrite, cacheRead: usage.cacheRead, output };
      return {
        text,
        stopReason,
        refusal,
        calls: blocks.flatMap(callOf),
        turn: blocks.flatMap(sentBack),
        tokens,
        isWhole,
      };
    },
  };
}

function callOf({ start, input }: Block): readonly ToolCall[] {
  if (start.type !== "tool_use") return [];
  const given = fieldsOf(start.input);
  const isGiven = input === "" && given !== null;
  return [{ id: wordsOf(start.id), name: wordsOf(start.name), input: isGiven ? given : inputOf(input) }];
}

/** The block as the API wants it back: no blank text, a thought with its signature, a call with an input. */
function sentBack(block: Block): readonly Fields[] {
  const { start, text, thinking, signature } = block;
  if (start.type === "text") return /\S/.test(text) ? [{ type: "text", text: text.toWellFormed() }] : [];
  if (start.type === "thinking") return [{ ...start, thinking, signature }];
  const [call] = callOf(block);
  return [call === undefined ? start : { ...start, input: fieldsOf(call.input) ?? {} }];
}
