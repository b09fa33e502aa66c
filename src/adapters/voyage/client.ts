// The Voyage SDK with everything that waits, retries, logs or reads the environment taken out of its hands.
// The generated client is used, since the extended one loads models from a hub for some model names.
import { GeneratedVoyageAIClient, VoyageAIError } from "voyageai";
import { type ServiceLimits, serviceCall } from "../service-call.ts";
import { connectionFailure, ServiceFailed, statusFailure } from "../service-failed.ts";
import { type Fetch, type Post, servicePost } from "../service-fetch.ts";
import { soundAnswer } from "./sound-answer.ts";

export interface VoyageOptions {
  readonly apiKey: string;
  /** With `/v1`; for keys of MongoDB Atlas `https://ai.mongodb.com/v1`. */
  readonly baseUrl?: string;
  readonly fetch?: Fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly limits?: Partial<ServiceLimits>;
}

/** Asks Voyage once, with retries around it. Throws `ServiceFailed` and nothing else. */
export type VoyageCall = <T>(
  ask: (client: GeneratedVoyageAIClient, request: GeneratedVoyageAIClient.RequestOptions) => Promise<T>,
) => Promise<T>;

export const VOYAGE_URL = "https://api.voyageai.com/v1";

/** One for each use and process, because its circuit breaker remembers. */
export function voyageCall(options: VoyageOptions): VoyageCall {
  const call = serviceCall(options.limits ?? {}, options.now);
  const post = servicePost(options.fetch ?? globalThis.fetch);
  const sent: Post = async (...request) => {
    const response = await post(...request);
    return response.ok ? new Response(soundAnswer(await response.text())) : response;
  };
  return (ask) =>
    call(async (signal) => {
      // The SDK keeps of a failed connection only a message, so the failure itself is caught on its way.
      let failure: unknown = null;
      const client = new GeneratedVoyageAIClient({
        apiKey: options.apiKey,
        baseUrl: options.baseUrl ?? VOYAGE_URL,
        maxRetries: 0,
        logging: { silent: true },
        fetch: (url, init) =>
          sent(String(url), Object.fromEntries(new Headers(init?.headers)), String(init?.body), signal).catch(
            (error: unknown) => {
              failure = error;
              throw error;
            },
          ),
      });
      try {
        return await ask(client, { abortSignal: signal });
      } catch (error) {
        throw failure === null ? failureOf(error) : connectionFailure(failure);
      }
    });
}

function failureOf(error: unknown): ServiceFailed {
  if (error instanceof ServiceFailed) return error;
  if (error instanceof VoyageAIError && error.statusCode !== undefined) {
    return statusFailure(error.statusCode, error.rawResponse?.headers.get("retry-after") ?? null);
  }
  return new ServiceFailed("the request could not be made; check the key and the address", { again: false });
}
