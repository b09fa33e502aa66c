// Joins what reranks to its port.
import type { RerankerChoice } from "../config/read-reranker.ts";
import type { RerankCandidate, Reranker } from "../ports/memory.ts";
import { redact } from "../wire.ts";
import { egressTo } from "./egress.ts";
import { neverTell } from "./secrets.ts";

/** What puts found memories into a better order: as the operator chose, else nothing. It sees no secret. */
export async function chosenReranker(choice: RerankerChoice): Promise<Reranker | null> {
  if (choice.kind === "off") return null;
  neverTell(choice.apiKey);
  const { VOYAGE_URL } = await import("../adapters/voyage/client.ts");
  const { voyageReranker } = await import("../adapters/voyage/reranker.ts");
  const baseUrl = choice.baseUrl ?? VOYAGE_URL;
  const { name, rerank } = voyageReranker({ ...choice, baseUrl, fetch: egressTo(baseUrl), now: Date.now });
  // Several queries of one review share candidates, and looking for secrets takes over a millisecond a text.
  const known = new WeakMap<RerankCandidate, Promise<RerankCandidate>>();
  const safe = (candidate: RerankCandidate) => {
    const masked = known.get(candidate) ?? redact(candidate.text).then((text) => ({ ...candidate, text }));
    known.set(candidate, masked);
    return masked;
  };
  return {
    name,
    rerank: async (query, candidates, topK) =>
      rerank(await redact(query), await Promise.all(candidates.map(safe)), topK),
  };
}
