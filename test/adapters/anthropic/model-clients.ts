// A question as a review stage asks it, and models that answer it from a fake server.
import { z } from "zod";
import { MESSAGES } from "../../../src/adapters/model/anthropic/messages.ts";
import type { ModelLimits } from "../../../src/adapters/model/model-facts.ts";
import { type ServedModelSettings, servedModel } from "../../../src/adapters/model/served-model.ts";
import type { ModelRequest, ReplyShape } from "../../../src/domain/model.ts";
import type { Model } from "../../../src/ports/model.ts";

export const KEY = "sk-ant-api03-3uX_very-secret-key";
/** Stands in every prompt, and must stand in no message of ours. */
export const CANARY = "hunter2-canary";
export const DELIMITER = "kodiai-0123456789abcdef0123456789abcdef";

const Reviewed = z.strictObject({
  findings: z.array(z.strictObject({ path: z.string(), line: z.int().min(1), title: z.string().max(200) })),
});
export type Reviewed = z.infer<typeof Reviewed>;

export const SHAPE: ReplyShape<Reviewed> = {
  name: "review_findings",
  jsonSchema: z.toJSONSchema(Reviewed, { io: "input" }),
  check(value) {
    const parsed = Reviewed.safeParse(value);
    if (parsed.success) return { ok: true, value: parsed.data };
    const [issue] = parsed.error.issues;
    return { ok: false, problem: `${issue?.path.join(".") || "the reply"}: ${issue?.message}` };
  },
};

export const FOUND: Reviewed = {
  findings: [
    { path: "src/cache/lru.cpp", line: 42, title: "C++: iterator used after erase(); see `std::map<K, V>::erase`" },
    { path: "tools/release.py", line: 7, title: 'Shell gets "$(TITLE)" unquoted: a {title} of [x] runs' },
  ],
};

export const QUESTION: ModelRequest<Reviewed> = {
  purpose: "review",
  tier: "main",
  system: [
    { text: "You review pull requests.", cache: false },
    { text: "House rules: say only what the diff shows.", cache: true },
  ],
  user: [
    { text: `<${DELIMITER}>\n+password = "${CANARY}"\n</${DELIMITER}>`, cache: true },
    { text: "Which lines are wrong?", cache: false },
  ],
  effort: "medium",
  maxOutputTokens: 4_000,
  shape: SHAPE,
};

export const QUICK: ModelRequest<Reviewed> = { ...QUESTION, purpose: "gate", tier: "small", effort: "low" };

/** Waits of milliseconds; what never answers is given up by the tests that need it. */
export const LIMITS: Partial<ModelLimits> = {
  firstWaitMs: 4,
  maxWaitMs: 200,
  breakAfter: 5,
  breakMs: 60_000,
};

export function settingsFor(url: string, more: Partial<ServedModelSettings> = {}): ServedModelSettings {
  return {
    apiKey: KEY,
    baseUrl: url,
    names: { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" },
    structuredOutput: "on",
    temperature: null,
    contextTokens: null,
    fetch: (address, init) => globalThis.fetch(address, init) as ReturnType<ServedModelSettings["fetch"]>,
    now: Date.now,
    lessons: null,
    random: () => 0.5,
    mask: async (text) => text.replaceAll(KEY, "‹key›"),
    ...more,
    limits: { ...LIMITS, ...more.limits },
  };
}

export function modelFor(url: string, more: Partial<ServedModelSettings> = {}): Model {
  return servedModel(MESSAGES, settingsFor(url, more));
}
