// The events of one stream of the Messages API, assembled into the reply and its cost.
import { estimatedTokens } from "../../../domain/model.ts";
import { type Accumulator, countOf, fieldsOf, inputOf, type ToolCall, wordsOf } from "../protocol.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A content block being assembled. */
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
  function count(fields: Fields | null): void {
    usage.input = countOf(fields?.input_tokens) ?? usage.input;
    usage.cacheWrite = countOf(fields?.cache_creation_input_tokens) ?? usage.cacheWrite;
    usage.cacheRead = countOf(fields?.cache_read_input_tokens) ?? usage.cacheRead;
    usage.output = countOf(fields?.output_tokens) ?? usage.output;
  }

  function end(fields: Fields): void {
    const delta = fieldsOf(fields.delta);
    stopReason = typeof delta?.stop_reason === "string" ? delta.stop_reason : stopReason;
    const category = fieldsOf(delta?.stop_details)?.category;
    refusal = typeof category === "string" && /^[a-z_]{1,40}$/.test(category) ? category : refusal;
    count(fieldsOf(fields.usage));
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
    // Some servers omit the event that begins a block.
    const block = blocks.at(-1) ?? begin({ type: "text" });
    block.text += wordsOf(delta.text);
    // Thinking has its own field, and is billed.
    block.thinking += wordsOf(delta.thinking);
    block.signature += wordsOf(delta.signature);
    block.input += wordsOf(delta.partial_json);
  }

  const handlers = new Map<unknown, (fields: Fields) => void>([
    ["message_start", (fields) => count(fieldsOf(fieldsOf(fields.message)?.usage))],
    ["content_block_start", (fields) => begin(fieldsOf(fields.content_block) ?? { type: "text" })],
    ["content_block_delta", (fields) => grow(fieldsOf(fields.delta) ?? {})],
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
      const fields = fieldsOf(event);
      if (fields !== null) handlers.get(fields.type)?.(fields);
    },
    reply() {
      const text = blocks.map((block) => block.text).join("");
      const thought = blocks.reduce((sum, { thinking, input }) => sum + thinking.length + input.length, 0);
      const isWhole = isEnd || stopReason !== null;
      // The server reports its output tokens at the end; until then they are estimated from the text.
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

/** The block in the form that the API accepts back: no blank text, thinking with its signature, a call with an input. */
function sentBack(block: Block): readonly Fields[] {
  const { start, text, thinking, signature } = block;
  if (start.type === "text") return /\S/.test(text) ? [{ type: "text", text: text.toWellFormed() }] : [];
  if (start.type === "thinking") return [{ ...start, thinking, signature }];
  const [call] = callOf(block);
  return [call === undefined ? start : { ...start, input: fieldsOf(call.input) ?? {} }];
}
