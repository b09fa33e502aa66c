// Logs each retrieval; a failing log never ends a review.
import type { Knowledge } from "../../config/knowledge.ts";
import { loggedRetrieval, type RetrievalOrigin } from "../../domain/figures/logged-retrieval.ts";
import type { Repo } from "../../domain/job.ts";
import type { Precedents } from "../../domain/retrieval.ts";
import type { WritingPorts } from "../review/review-ports.ts";

interface AskedRetrieval {
  readonly repo: Repo;
  readonly number: number;
  readonly origin: RetrievalOrigin;
  readonly knowledge: Knowledge;
  /** Epoch milliseconds. */
  readonly at: number;
}

type LogPorts = Pick<WritingPorts, "retrievals" | "embedder" | "now">;

/** Logs the result of a search that began at `asked.at`. */
export async function logRetrieval(precedents: Precedents, asked: AskedRetrieval, ports: LogPorts): Promise<void> {
  const { repo, number: pull, origin, knowledge } = asked;
  const { topK, distanceThreshold } = knowledge.retrieval;
  const calibrated =
    distanceThreshold === "auto" ? (ports.embedder?.threshold ?? precedents.provenance.threshold) : distanceThreshold;
  const at = ports.now();
  const facts = { repo, pull, origin, ms: at - asked.at, at, topK, calibrated };
  await ports.retrievals?.write(loggedRetrieval(precedents, facts));
}
