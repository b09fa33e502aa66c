// Cuts texts into requests that a service accepts.

export interface BatchLimits {
  /** Texts in one request. */
  readonly maxTexts: number;
  /** Estimated tokens in one request. */
  readonly maxTokens: number;
  /** UTF-16 units of one text; what is longer is cut at the end. */
  readonly maxTextChars: number;
}

/** Code and English come to 3.5–4 characters a token; the lower figure errs on the safe side. */
const BYTES_PER_TOKEN = 3.5;

/** How many tokens a text may come to. UTF-8 bytes are counted, since other scripts need more tokens a character. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/**
 * The texts in their order, in as few requests as the limits allow. A text that alone is over the limit of tokens gets
 * a request of its own.
 */
export function embeddingBatches(texts: readonly string[], limits: BatchLimits): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let tokens = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    const estimate = estimateTokens(text);
    const last = batches.at(-1);
    if (last === undefined || last.length >= limits.maxTexts || tokens + estimate > limits.maxTokens) {
      batches.push([text]);
      tokens = estimate;
    } else {
      last.push(text);
      tokens += estimate;
    }
  }
  return batches;
}
