// The Voyage SDK with its waits, retries, logs and environment variables turned off.
// The generated client is used, because the extended one downloads models from a hub for some model names.

import { GeneratedVoyageAIClient } from "voyageai";
import type { z } from "zod";
import {
  type Fetch,
  postToService,
  readAnswer,
  type ServiceCall,
  type ServiceLimits,
  serviceCall,
} from "../service-call.ts";
import { ServiceFailed } from "../service-failed.ts";

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
 * Calls the SDK with retries and returns its result. Throws only `ServiceFailed`. The form of an answer is checked before the SDK
 * sees it: the SDK does not check types, and prints every value of an unexpected one to the console regardless of its settings. It
 * is slow: .3 s for 128 vectors of 1,024 numbers.
 */
type VoyageCall = <T>(
  form: z.ZodType,
  ask: (client: GeneratedVoyageAIClient, request: GeneratedVoyageAIClient.RequestOptions) => Promise<T>,
  part?: Parameters<ServiceCall>[1],
) => Promise<T>;

export const VOYAGE_URL = "https://api.voyageai.com/v1";

/** One for each use and process, because its circuit breaker has state. */
export function voyageCall(options: VoyageOptions): VoyageCall {
  const call = serviceCall(options.limits ?? {}, options.now);
  return (form, ask, part) =>
    call(async (signal) => {
      // The SDK keeps only the message of a failed fetch, so the failure itself is caught before.
      let failure: unknown = new ServiceFailed("the request could not be made; check the key and the address");
      const client = new GeneratedVoyageAIClient({
        apiKey: options.apiKey,
        baseUrl: options.baseUrl ?? VOYAGE_URL,
        maxRetries: 0,
        logging: { silent: true },
        fetch: async (url, init) => {
          try {
            const headers = Object.fromEntries(new Headers(init?.headers));
            const question = { url: String(url), headers, body: String(init?.body), signal };
            const text = await postToService(options, question);
            return new Response(JSON.stringify(readAnswer(form, text)));
          } catch (error) {
            failure = error;
            throw error;
          }
        },
      });
      try {
        return await ask(client, { abortSignal: signal });
      } catch {
        throw failure;
      }
    }, part);
}

/**
 * US$ for a million tokens, beyond the free allowance of an account, as of 2026-11-21 (docs.voyageai.com/docs/pricing). Change the day
 * together with the prices.
 */
const USD_PER_MILLION = new Map([
  ["voyage-code-3", 0.18],
  ["voyage-context-3", 0.18],
  ["voyage-4-large", 0.12],
  ["voyage-4", 0.06],
  ["voyage-4-lite", 0.02],
  ["rerank-2.5", 0.05],
  ["rerank-2.5-lite", 0.02],
]);

/** 0 for an unknown model: its tokens are still counted. */
export function voyagePrice(model: string): number {
  return USD_PER_MILLION.get(model) ?? 0;
}
