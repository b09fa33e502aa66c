// The Voyage SDK with everything that waits, retries, logs or reads the environment taken out of its hands.
// The generated client is used, since the extended one loads models from a hub for some model names.

import { GeneratedVoyageAIClient, VoyageAIError } from "voyageai";
import { type ListAnswer, listAnswer } from "../list-answer.ts";
import { type ServiceLimits, serviceCall } from "../service-call.ts";
import { connectionFailure, ServiceFailed, statusFailure } from "../service-failed.ts";
import { type Fetch, servicePost } from "../service-fetch.ts";

export interface VoyageOptions {
  readonly apiKey: string;
  /** With `/v1`; for keys of MongoDB Atlas `https://ai.mongodb.com/v1`. */
  readonly baseUrl?: string;
  readonly fetch: Fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly limits?: Partial<ServiceLimits>;
}

/**
 * Sends what `ask` makes the SDK send, with retries around it, and reads the answer itself. Throws `ServiceFailed` and
 * nothing else. The SDK makes the request; answers are kept from it, because it prints every value of an unexpected type
 * to the console whatever its settings, and takes six times as long to read a full batch.
 */
export type VoyageCall = (
  ask: (client: GeneratedVoyageAIClient, request: GeneratedVoyageAIClient.RequestOptions) => Promise<unknown>,
) => Promise<ListAnswer>;

export const VOYAGE_URL = "https://api.voyageai.com/v1";
/** A sound answer without rows, for the SDK. */
const NO_ROWS = '{"data":[]}';

/** One for each use and process, because its circuit breaker remembers. */
export function voyageCall(options: VoyageOptions): VoyageCall {
  const call = serviceCall(options.limits ?? {}, options.now);
  const post = servicePost(options.fetch);
  return (ask) =>
    call(async (signal) => {
      let text = "";
      // The SDK keeps of a failed connection only a message, so the failure itself is caught on its way.
      let failure: unknown = null;
      const client = new GeneratedVoyageAIClient({
        apiKey: options.apiKey,
        baseUrl: options.baseUrl ?? VOYAGE_URL,
        maxRetries: 0,
        logging: { silent: true },
        fetch: async (url, init) => {
          try {
            const headers = Object.fromEntries(new Headers(init?.headers));
            const response = await post(String(url), headers, String(init?.body), signal);
            if (!response.ok) return response;
            text = await response.text();
            return new Response(NO_ROWS);
          } catch (error) {
            failure = error;
            throw error;
          }
        },
      });
      try {
        await ask(client, { abortSignal: signal });
      } catch (error) {
        throw failure === null ? failureOf(error) : connectionFailure(failure);
      }
      return listAnswer(text);
    });
}

function failureOf(error: unknown): ServiceFailed {
  if (error instanceof VoyageAIError && error.statusCode !== undefined) {
    return statusFailure(error.statusCode, error.rawResponse?.headers.get("retry-after") ?? null);
  }
  return new ServiceFailed("the request could not be made; check the key and the address", { again: false });
}

// What Voyage AI charges, as of a day. Change the day together with the figures.

/** US$ for a million tokens, beyond the free allowance of an account. */
const VOYAGE_PRICES = {
  asOf: "2026-11-21",
  source: "https://docs.voyageai.com/docs/pricing",
  usdPerMillionTokens: new Map<string, number>([
    ["voyage-code-3", 0.18],
    ["voyage-context-3", 0.18],
    ["voyage-4-large", 0.12],
    ["voyage-4", 0.06],
    ["voyage-4-lite", 0.02],
    ["rerank-2.5", 0.05],
    ["rerank-2.5-lite", 0.02],
  ]),
} as const;

/** 0 for a model that the list does not know: its tokens are counted all the same. */
export function voyagePrice(model: string): number {
  return VOYAGE_PRICES.usdPerMillionTokens.get(model) ?? 0;
}
