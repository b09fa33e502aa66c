// Why GitHub answered 422: the status alone does not tell throttling from a diff that is not ready or a line outside the diff.
import type { RequestError } from "@octokit/request-error";

/** `throttled`: too many writes; `not ready`: GitHub is still making the diff; `refused`: what was sent is not acceptable. */
export type Unprocessable = "throttled" | "not ready" | "refused";

/** One entry of `errors`; entries may also be plain texts. */
interface ValidationError {
  readonly code?: unknown;
  readonly message?: unknown;
}

/**
 * Reads `errors` of the answer, then its message. The recorded shapes, with their sources, are in test/fakes/github/refusals.ts.
 *
 * @param error of status 422
 */
export function unprocessable(error: RequestError): Unprocessable {
  const data = error.response?.data as { readonly errors?: unknown; readonly message?: unknown } | undefined;
  const errors = Array.isArray(data?.errors) ? (data.errors as readonly unknown[]) : [];
  const entries = errors.map((one) => (typeof one === "object" ? ((one ?? {}) as ValidationError) : { message: one }));
  const said = [...entries, { message: data?.message ?? error.message }];
  const says = (words: RegExp, code: string) =>
    said.some((one: ValidationError) => one.code === code || words.test(String(one.message ?? "")));
  if (says(/submitted too quickly|rate limit|abuse detection/i, "abuse")) return "throttled";
  if (says(/diff is (?:taking too long to generate|temporarily unavailable)/i, "not_available")) return "not ready";
  return "refused";
}
