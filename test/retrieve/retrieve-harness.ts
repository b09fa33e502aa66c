// The retrieve stage entered by its door, with a shelf and an embedder of our own: what a test
// changes is said, the rest is an ordinary change of C++.

import { Knowledge } from "../../src/config/knowledge.ts";
import { NO_ALLOWANCE } from "../../src/domain/model.ts";
import type { Precedents, RankedMemory } from "../../src/domain/retrieval.ts";
import type { Embedder, Recall, Reranker } from "../../src/ports/memory.ts";
import type { ModelAccess } from "../../src/ports/model.ts";
import { OF_THE_CHANGE, type RetrieveSettings, retrieve, UNAIDED } from "../../src/retrieve/retrieve.ts";
import { TUNING, type Tuning } from "../../src/retrieve/tuning.ts";
import type { SaidBy } from "../builders/memory-record.ts";
import {
  added,
  atDistance,
  embedder,
  given,
  memory,
  memoryStore,
  NOW,
  type Shape,
  type Shelved,
} from "./retrieve-builders.ts";

export const CPP: Shape = {
  title: "feat: round prices in the cart",
  files: { "src/cart/price.cpp": added("double total = std::round(price * 100) / 100;", "return total;") },
};

export interface RetrieveSetup {
  readonly shape?: Shape;
  readonly shelved: readonly Shelved[];
  readonly recall?: Partial<Recall>;
  readonly embedder?: Embedder | null;
  readonly reranker?: Reranker;
  /** Who is asked with leave for `usd`, 1 unless said; nobody unless said. */
  readonly access?: Pick<ModelAccess, "model" | "delimiter">;
  readonly usd?: number;
  /** `knowledge.retrieval` of .kodiai.yml. */
  readonly retrieval?: Record<string, unknown>;
  readonly sharing?: boolean;
  readonly settings?: Partial<Omit<RetrieveSettings, "tuning">>;
  readonly tuning?: Partial<Tuning>;
}

/** What the stage hands on, on defaults unless said; only no skip is sampled. */
export async function enter({ shape = CPP, shelved, tuning = {}, ...stage }: RetrieveSetup): Promise<Precedents> {
  const { context, signals } = given(shape);
  const ports = {
    embedder: stage.embedder === undefined ? embedder() : stage.embedder,
    recall: memoryStore(shelved, stage.recall),
    reranker: stage.reranker ?? null,
    allowance: stage.access === undefined ? NO_ALLOWANCE : { ...stage.access, usd: stage.usd ?? 1 },
    now: UNAIDED.now,
  };
  const { retrieval = {} } = stage;
  const knowledge = Knowledge.parse({ sharing: { takes: stage.sharing ?? false }, retrieval });
  const plain: Tuning = { ...TUNING, shadowShare: 0, ...tuning };
  return retrieve(context, signals, ports, { ...OF_THE_CHANGE, knowledge, now: NOW, tuning: plain, ...stage.settings });
}

/** A memory of today at a raw cosine distance from every query; its words are its own. */
export function at(id: string, distance: number, { provenance, ...more }: SaidBy = {}): Shelved {
  const record = memory(id, { text: `${id} ${id}`, ...more, provenance: { at: NOW, ...provenance } });
  return { record, vector: atDistance(distance) };
}

export const ids = ({ ranked }: Precedents) => ranked.map(({ record }) => record.id);

/** What a term of the score multiplies it with; 1 where there is none. */
export const factorOf = ({ terms }: Pick<RankedMemory, "terms">, name: string): number =>
  Math.exp(terms.find((term) => term.name === name)?.value ?? 0);

/** The memory of that id; throws when it was not heard. */
export function retrieved({ ranked }: Precedents, id: string): RankedMemory {
  const found = ranked.find(({ record }) => record.id === id);
  if (found === undefined) throw new Error(`${id} is not among ${ranked.map(({ record }) => record.id).join(" ")}`);
  return found;
}
