// Voyage's API on loopback, with a meaning of our own: every query points one way, and a document
// lies at the distance that a word in it names.
import { type Answer, json, type Received, type ScriptedServer, scriptedServer } from "./scripted-server.ts";

export interface EmbeddingServer extends ScriptedServer {
  /** Answers as the service does, for vectors of that size. */
  readonly answers: Answer;
  /** Requests of one input type so far. */
  asked(inputType: "query" | "document"): readonly Received[];
}

/**
 * @param distances word → cosine distance to every query; a document with none of the words lies at
 * 1
 * @param dimension of the vectors, whatever is asked for
 */
export async function embeddingServer(
  distances: ReadonlyMap<string, number>,
  dimension = 1024,
): Promise<EmbeddingServer> {
  const server = await scriptedServer();
  const answers: Answer = (response, request) => {
    const { input, input_type: inputType, model } = request.body;
    const data = (input as string[]).map((text, index) => ({
      object: "embedding",
      index,
      embedding: towards(inputType === "query" ? 0 : distanceOf(text, distances), dimension),
    }));
    json({ object: "list", data, model, usage: { total_tokens: 10 * data.length } })(response, request);
  };
  server.script(answers);
  return {
    ...server,
    answers,
    asked: (inputType) => server.received.filter(({ body }) => body.input_type === inputType),
  };
}

function distanceOf(text: string, distances: ReadonlyMap<string, number>): number {
  for (const [word, distance] of distances) if (text.includes(word)) return distance;
  return 1;
}

/**
 * A unit vector at that distance from the direction of the queries. What is away from it is spread
 * over all components, as in real embeddings, because memory keeps signs and bytes.
 */
function towards(distance: number, dimension: number): number[] {
  const cosine = 1 - distance;
  const rest = Math.sqrt(Math.max(0, 1 - cosine * cosine));
  // The direction of the queries: all components alike; the other: half of them up, half down.
  const one = 1 / Math.sqrt(dimension);
  return Array.from({ length: dimension }, (_, at) => one * (cosine + (at % 2 === 0 ? rest : -rest)));
}
