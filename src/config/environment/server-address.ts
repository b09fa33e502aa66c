// Addresses of servers as people have them: with the path of one call, or the host alone.

/** Paths of calls, which clients add themselves. */
const CALL = /\/(?:chat\/completions|completions|responses|messages|embeddings|rerank|models)\/*$/;

/**
 * The address that paths of OpenAI's API are added to, without a slash at the end: with `/v1` where
 * there is no path, without the path of a call.
 */
export function apiBase(url: string): string {
  const bare = url.replace(/\/+$/, "").replace(CALL, "").replace(/\/+$/, "");
  return URL.parse(bare)?.pathname === "/" ? `${bare}/v1` : bare;
}
