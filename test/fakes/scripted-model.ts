// A model that says what a test tells it to, and keeps what it was asked. Replies go through the
// shape's own check, as every adapter's do, so that a script cannot say what no server could.

import type { ModelAnswer, ModelFailure, ModelRequest, ModelUsage } from "../../src/domain/model.ts";
import type { Model, ModelAccess } from "../../src/ports/model.ts";
import { UNLIMITED } from "../../src/ports/model.ts";

/** What to say to a question: a value, or a failure. */
export type Script = (request: ModelRequest<unknown>) => unknown;

export interface ScriptedModel extends ModelAccess {
  readonly asked: readonly ModelRequest<unknown>[];
}

export interface ScriptedSettings {
  /** US$ a million tokens in and out; null for a local model. */
  readonly perMillion?: { readonly input: number; readonly output: number } | null;
  /** US$ spent before. */
  readonly spent?: number;
  readonly contextTokens?: number;
  /** Tokens of each question and reply. */
  readonly tokens?: { readonly input: number; readonly output: number };
}

export function failure(kind: ModelFailure, detail = "scripted"): unknown {
  return { scriptedFailure: kind, detail };
}

/** A finding as the reviewer must answer it. */
export function drafted({ confidence = 0.9, ...over }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    path: "src/login.ts",
    anchor: "",
    endAnchor: null,
    quote: "",
    severity: "major",
    category: "correctness",
    title: "The first user is logged in when the name is empty",
    body: "An empty name matches every row. Return early.",
    true: confidence,
    wanted: 1,
    suggestion: null,
    precedents: [],
    ...over,
  };
}

/** Reports these findings, and upholds whatever is asked a second time. */
export function reports(...findings: readonly Record<string, unknown>[]): Script {
  return ({ purpose, user }) => {
    if (purpose === "verify") return { findings: askedIds(user).map(upheld) };
    return { findings, ruleFindings: [], walkthrough: "Adds a login." };
  };
}

/** The ids of the findings that a question is about, in its order. */
export function askedIds(user: ModelRequest<unknown>["user"]): readonly string[] {
  return [...textOf(user).matchAll(/^\[(fnd_\w+)\]/gm)].map(([, id]) => id ?? "");
}

function upheld(id: string) {
  return { id, verdict: "holds", severity: "critical", confidence: 0.9, reason: "it does" };
}

/** All of a question's user part. */
export function textOf(pieces: ModelRequest<unknown>["user"]): string {
  return pieces.map(({ text }) => text).join("\n");
}

export function scriptedModel(script: Script, settings: ScriptedSettings = {}): ScriptedModel {
  const { perMillion = { input: 2, output: 10 }, spent = 0, contextTokens = 200_000 } = settings;
  const tokens = settings.tokens ?? { input: 1200, output: 300 };
  const asked: ModelRequest<unknown>[] = [];
  const price = (input: number, output: number) =>
    perMillion === null ? null : (input * perMillion.input + output * perMillion.output) / 1e6;
  const usage: ModelUsage = {
    inputTokens: tokens.input,
    cachedTokens: 0,
    outputTokens: tokens.output,
    usd: price(tokens.input, tokens.output),
    ms: 5,
    requests: 1,
  };
  const model: Model = {
    names: { main: "scripted-large", small: "scripted-small" },
    contextTokens: () => contextTokens,
    price: (_tier, input, output) => price(input, output),
    mask: async (text) => text,
    learned: () => [],
    ask: <T>(request: ModelRequest<T>) => {
      asked.push(request as ModelRequest<unknown>);
      return Promise.resolve(answerOf(request, script(request as ModelRequest<unknown>), usage));
    },
  };
  let fences = 0;
  return {
    ...UNLIMITED,
    asked,
    model,
    spending: { usage: async () => ({ spent, aside: 0 }) },
    delimiter: () => `kodiai-${(++fences).toString(16).padStart(32, "0")}`,
  };
}

function answerOf<T>(request: ModelRequest<T>, said: unknown, usage: ModelUsage): ModelAnswer<T> {
  if (typeof said === "object" && said !== null && "scriptedFailure" in said) {
    const { scriptedFailure, detail } = said as { scriptedFailure: ModelFailure; detail?: string };
    return { kind: "failed", failure: scriptedFailure, detail: detail ?? "", notBefore: null, usage };
  }
  const inWords = typeof said === "string" ? (request.shape.readText?.(said) ?? null) : null;
  if (inWords !== null) return { kind: "answered", value: inWords, usage };
  const checked = request.shape.check(said);
  if (!checked.ok) return { kind: "failed", failure: "malformed", detail: checked.problem, notBefore: null, usage };
  return { kind: "answered", value: checked.value, usage };
}
