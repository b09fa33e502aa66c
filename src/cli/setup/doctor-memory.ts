// The memory section of `kodiai doctor`: its size, its embedders, and how it is searched.

import type { Env } from "../../config/environment/env.ts";
import { type Embeddings, readEmbeddings } from "../../config/environment/read-models.ts";
import { setVariables } from "../../config/environment/set-variables.ts";
import type { EmbeddingSpace } from "../../domain/memory.ts";
import { counted } from "../../domain/text/counted.ts";
import { isDatabase } from "../../environment/data-dir.ts";
import { egressTo } from "../../wire/egress.ts";
import { chosenEmbedder } from "../../wire/models.ts";
import { comparesInMemory, type MemoryFacts, memoryIn, openStore } from "../../wire/store.ts";

export interface Check {
  readonly name: string;
  readonly state: "ok" | "note" | "broken";
  readonly text: string;
}

export const ok = (name: string, text: string): Check => ({ name, state: "ok", text });
/** Something that the operator may want to know or to change. */
export const note = (name: string, text: string): Check => ({ name, state: "note", text });
export const broken = (name: string, text: string): Check => ({ name, state: "broken", text });

/** Checks memory at a place (see storePlace) against the configured embedder. Never rejects. */
export async function memoryChecks(place: string): Promise<readonly Check[]> {
  const read = readEmbeddings(setVariables(process.env));
  const embedder =
    "problems" in read
      ? { check: broken("embedder", read.problems.join("; ")), space: null }
      : await embedderCheck(read.embeddings);
  if (isDatabase(place)) return [await databaseCheck(place, embedder.space), usearchCheck(), embedder.check];
  const facts = await memoryIn(place);
  return [...(facts === null ? [] : factChecks(facts, embedder.space)), usearchCheck(), embedder.check];
}

function usearchCheck(): Check {
  if (comparesInMemory()) return ok("usearch", "compares vectors where there are more than 2,000");
  const text = `no build for ${process.platform} ${process.arch}; the database compares vectors instead, which takes longer in large repositories`;
  return note("usearch", text);
}

async function databaseCheck(url: string, space: EmbeddingSpace | null): Promise<Check> {
  const name = "vectors";
  try {
    const store = await openStore(url, { isCommand: true });
    const spaces = await store.spaces().finally(() => store.close());
    const text = spaces.map((stored) => `${stored.vectors} of ${named(stored)}`).join(", ");
    const hasOthers = space !== null && spaces.some((stored) => !isSame(stored, space));
    if (!hasOthers) return ok(name, text === "" ? "none yet" : text);
    return note(name, `${text}; those of another embedder are not searched`);
  } catch (error) {
    return broken(name, error instanceof Error ? error.message : String(error));
  }
}

/** `doctor` is interactive: one attempt, and half the timeout of a review. */
const HURRIED = { attemptMs: 5_000, retries: 0 };

/** Embeds a text: an answer alone proves nothing. `space` is null when there was no vector. */
async function embedderCheck(embeddings: Embeddings) {
  const embedder = await chosenEmbedder(embeddings, HURRIED);
  const answer = await embedder.embed(["kodiai doctor"], "query");
  const { space } = embedder;
  if ((answer.vectors[0] ?? null) === null) {
    const why = answer.failed ?? "it gave no vector";
    const text = `${embeddings.kind}: ${space.model}: ${why}; until it answers, memory is searched by words`;
    return { check: broken("embedder", text), space: space.dimension > 0 ? space : null };
  }
  const text = `${embeddings.kind}: ${named(space)}`;
  return { check: ok("embedder", text), space };
}

function factChecks(facts: MemoryFacts, space: EmbeddingSpace | null): readonly Check[] {
  const { problems, records, repositories, stale, bytes, cachedQueries, sqliteVec } = facts;
  const sizes = bytes.map((file) => `${file.file} ${(file.bytes / 1e6).toFixed(1)} MB`).join(", ");
  if (problems.length > 0) {
    return [broken("memory", `${problems.join("; ")}; reviews run without it (${sizes})`)];
  }
  const all = `${memories(records)} of ${counted(repositories, "repository", "repositories")}`;
  const held = records === 0 ? "nothing remembered yet" : all;
  return [
    ok("memory", `${held}, ${stale} stale, ${counted(cachedQueries, "query", "queries")} cached; ${sizes}`),
    ...vectorChecks(facts, space),
    "version" in sqliteVec
      ? ok("sqlite-vec", sqliteVec.version)
      : broken("sqlite-vec", `${sqliteVec.problem}; memory is searched by words only`),
  ];
}

const REEMBED = "not compared; run `kodiai index` and import again";

function vectorChecks({ spaces, records, stale }: MemoryFacts, space: EmbeddingSpace | null): readonly Check[] {
  if (records + stale === 0) return [];
  const all = spaces.reduce((sum, { vectors }) => sum + vectors, 0);
  const foreign = space === null ? [] : spaces.filter((stored) => !isSame(stored, space));
  const others = foreign.reduce((sum, { vectors }) => sum + vectors, 0);
  const listed = spaces.map((stored) => `${stored.vectors} of ${named(stored)}`);
  const none = records + stale - all;
  const parts = [
    ...(listed.length === 0 ? ["none"] : listed),
    ...(none > 0 ? [`${memories(none)} without one, found by words`] : []),
    ...(others > 0 ? [`${others} of another model than the embedder's: ${REEMBED}`] : []),
  ];
  return [{ name: "vectors", state: others > 0 || none > 0 ? "note" : "ok", text: parts.join("; ") }];
}

/** What keeps the running server from its work; empty if none answers. Never rejects. */
export async function readinessChecks(env: Pick<Env, "adminHost" | "adminPort">): Promise<Check[]> {
  try {
    const { adminHost: host, adminPort } = env;
    const at = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host.includes(":") ? `[${host}]` : host;
    const url = `http://${at}:${adminPort}`;
    const answer = await egressTo(url, { deadlineMs: 2_000, own: true })(`${url}/readyz`);
    const { reasons } = (await answer.json()) as { readonly reasons?: readonly string[] };
    return (reasons ?? []).map((reason) => broken("server", reason));
  } catch {
    return [];
  }
}

function isSame(stored: EmbeddingSpace, space: EmbeddingSpace): boolean {
  return stored.model === space.model && stored.dimension === space.dimension;
}

function named({ model, dimension }: EmbeddingSpace): string {
  return `${model} (${dimension} numbers)`;
}

function memories(count: number): string {
  return counted(count, "memory", "memories");
}
