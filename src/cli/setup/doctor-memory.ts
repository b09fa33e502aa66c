// The memory section of `kodiai doctor`: its size, its embedders, and how it is searched.

import type { Env } from "../../config/environment/env.ts";
import { readEmbeddings } from "../../config/environment/read-models.ts";
import { setVariables } from "../../config/environment/set-variables.ts";
import type { EmbeddingSpace } from "../../domain/memory.ts";
import { counted } from "../../domain/text/counted.ts";
import { egressTo } from "../../wire/egress.ts";
import { chosenEmbedder } from "../../wire/models.ts";
import { comparesInMemory, type Store } from "../../wire/store.ts";

export interface Check {
  readonly name: string;
  readonly state: "ok" | "note" | "broken";
  readonly text: string;
}

export const ok = (name: string, text: string): Check => ({ name, state: "ok", text });
/** Something that the operator may want to know or to change. */
export const note = (name: string, text: string): Check => ({ name, state: "note", text });
export const broken = (name: string, text: string): Check => ({ name, state: "broken", text });

/** Checks an open store's memory. @param space of the configured embedder; null: not known */
export async function memoryChecks(store: Store, space: EmbeddingSpace | null): Promise<readonly Check[]> {
  const { memoryProblem, shown, labels, vectorsMissing } = store;
  if (memoryProblem !== null || shown === null)
    return [broken("memory", `${memoryProblem?.message}; reviews run without it`)];
  const { total } = await shown.memories(null, { corpus: null, outcome: null, language: null }, { skip: 0, most: 0 });
  const repositories = (await labels.all()).length;
  const all = `${memories(total)} of ${counted(repositories, "repository", "repositories")}`;
  return [
    ok("memory", total === 0 ? "nothing remembered yet" : all),
    ...vectorChecks(await store.spaces(), total, space),
    searchCheck(vectorsMissing),
  ];
}

/** What compares vectors: the database up to 2,000 in scope, usearch above. */
function searchCheck(vectorsMissing: string | null): Check {
  if (vectorsMissing !== null) return broken("sqlite-vec", `${vectorsMissing}; memory is searched by words only`);
  if (comparesInMemory()) return ok("search", "the database compares up to 2,000 vectors, usearch more");
  const text = `no build for ${process.platform} ${process.arch}; the database compares vectors instead, which takes longer in large repositories`;
  return note("usearch", text);
}

/** `doctor` is interactive: one attempt, and half the timeout of a review. */
const HURRIED = { attemptMs: 5_000, retries: 0 };

/** Embeds a text: an answer alone proves nothing. `space` is null when it is not known. */
export async function embedderCheck(): Promise<{ readonly check: Check; readonly space: EmbeddingSpace | null }> {
  const read = readEmbeddings(setVariables(process.env));
  if ("problems" in read) return { check: broken("embedder", read.problems.join("; ")), space: null };
  const { embeddings } = read;
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

const REEMBED = "not compared; run `kodiai index` and import again";

function vectorChecks(
  spaces: Awaited<ReturnType<Store["spaces"]>>,
  total: number,
  space: EmbeddingSpace | null,
): readonly Check[] {
  if (total === 0) return [];
  const all = spaces.reduce((sum, { vectors }) => sum + vectors, 0);
  const foreign = space === null ? [] : spaces.filter((stored) => !isSame(stored, space));
  const others = foreign.reduce((sum, { vectors }) => sum + vectors, 0);
  const listed = spaces.map((stored) => `${stored.vectors} of ${named(stored)}`);
  const none = total - all;
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
