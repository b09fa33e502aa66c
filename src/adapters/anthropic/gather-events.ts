// The events of a stream, gathered into what was said and what it costs. Servers leave fields out: nothing is taken for granted.
import { estimatedTokens } from "../../domain/model.ts";
import type { PaidTokens } from "./model-facts.ts";

export interface Said {
  readonly text: string;
  /** As the server wrote it; null where it wrote none. */
  readonly stopReason: string | null;
  /** Why it refused: a word such as `cyber`, or null. */
  readonly refusal: string | null;
  readonly tokens: PaidTokens;
  /** The end was told: without it the stream was cut off. */
  readonly isWhole: boolean;
}

export interface Gathering {
  add(event: unknown): void;
  /** What there is so far, so that tokens of a broken stream count as well. */
  said(): Said;
}

export function gatherEvents(): Gathering {
  const texts: string[] = [];
  const usage = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 };
  let stopReason: string | null = null;
  let refusal: string | null = null;
  let thought = 0;
  let isEnd = false;

  /** Later counts are totals and replace the earlier ones. */
  function count(told: Fields | null): void {
    usage.input = counted(told?.input_tokens) ?? usage.input;
    usage.cacheWrite = counted(told?.cache_creation_input_tokens) ?? usage.cacheWrite;
    usage.cacheRead = counted(told?.cache_read_input_tokens) ?? usage.cacheRead;
    usage.output = counted(told?.output_tokens) ?? usage.output;
  }

  function end(told: Fields): void {
    const delta = fields(told.delta);
    stopReason = typeof delta?.stop_reason === "string" ? delta.stop_reason : stopReason;
    const category = fields(delta?.stop_details)?.category;
    refusal = typeof category === "string" && /^[a-z_]{1,40}$/.test(category) ? category : refusal;
    count(fields(told.usage));
  }

  const heard = new Map<unknown, (told: Fields) => void>([
    ["message_start", (told) => count(fields(fields(told.message)?.usage))],
    ["content_block_start", (told) => texts.push(wordsOf(fields(told.content_block)?.text))],
    [
      "content_block_delta",
      (told) => {
        const delta = fields(told.delta);
        texts.push(wordsOf(delta?.text));
        // Thoughts stand in a field of their own, and are paid for.
        thought += wordsOf(delta?.thinking).length;
      },
    ],
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
      const told = fields(event);
      if (told !== null) heard.get(told.type)?.(told);
    },
    said() {
      const text = texts.join("");
      const isWhole = isEnd || stopReason !== null;
      // The server counts what it wrote at the end; until then there is only what came.
      const output = isWhole ? usage.output : Math.max(usage.output, estimatedTokens(text.length + thought));
      const tokens = { fresh: usage.input, cacheWrite: usage.cacheWrite, cacheRead: usage.cacheRead, output };
      return { text, stopReason, refusal, tokens, isWhole };
    },
  };
}

/** No model reads or writes so much in one request. */
const MAX_TOKENS = 1_000_000_000;

type Fields = Readonly<Record<string, unknown>>;

function fields(value: unknown): Fields | null {
  return typeof value === "object" && value !== null ? (value as Fields) : null;
}

function wordsOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function counted(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value <= MAX_TOKENS ? Math.floor(value) : null;
}
