// The running app with a model behind a server on loopback that says what a test tells it to.

import type { ModelLimits } from "../../src/adapters/model/model-facts.ts";
import type { ModelChoice } from "../../src/config/environment/read-models.ts";
import { type FakeAnthropic, type ModelCall, type Replies, startAnthropic } from "../fakes/anthropic/server.ts";
import type { Files } from "../fakes/github/emulator.ts";
import { type Harness, openHarness } from "./app-harness.ts";

export const API_KEY = "sk-ant-api03-vE8rT2kQ9wLx4ZbN7mJcYp";

/** Milliseconds in place of minutes; outages are not remembered from one case to the next. */
export const LIMITS: Partial<ModelLimits> = {
  firstByteMs: 300,
  idleMs: 300,
  attemptMs: 3_000,
  overallMs: 1_500,
  retries: 1,
  firstWaitMs: 5,
  maxWaitMs: 50,
  breakAfter: 1_000,
};

export interface ModelHarness {
  readonly harness: Harness;
  readonly anthropic: FakeAnthropic;
  /**
   * Opens a pull request that adds these files to a repository of its own and waits until its job
   * ended.
   */
  review(title: string, files: Readonly<Record<string, string>>, base?: Files): Promise<Seen>;
  close(): Promise<void>;
}

/** What a visitor sees, and what was asked for it. */
export interface Seen {
  readonly state: string;
  readonly summary: string;
  readonly inline: readonly { readonly path: string; readonly line: number | null; readonly body: string }[];
  /** Everything that stands there. */
  readonly bodies: readonly string[];
  readonly asked: readonly ModelCall[];
  /** `METHOD PATH` of what was written to GitHub. */
  readonly writes: readonly { readonly method: string; readonly path: string; readonly body: unknown }[];
}

export async function openModelHarness(
  choice: Partial<ModelChoice>,
  replies: Replies = [],
  limits: Partial<ModelLimits> = LIMITS,
): Promise<ModelHarness> {
  const anthropic = await startAnthropic({ replies });
  const model = {
    apiKey: API_KEY,
    baseUrl: anthropic.url,
    names: { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" },
    structuredOutput: "on",
    temperature: null,
    contextTokens: null,
    ...choice,
    limits,
  } as const;
  const harness = await openHarness({ app: { model } });
  const { world } = harness;
  let repositories = 0;
  return {
    harness,
    anthropic,
    async review(title, files, base = { "README.md": "# Shop\n" }) {
      const repository = await world.repository("acme", `shop-${++repositories}`, { files: base });
      const asked = anthropic.requests.length;
      const before = world.requests.length;
      const pull = await world.pullRequest(repository, { title, files });
      const { state } = await harness.settled(pull);
      const { inline, reviews, summary } = world.comments(pull);
      return {
        state,
        summary: summary[0]?.body ?? "",
        inline,
        bodies: [...inline, ...reviews, ...summary].map(({ body }) => body),
        asked: anthropic.requests.slice(asked),
        writes: world.requests
          .slice(before)
          .filter(({ method, path }) => method !== "GET" && !path.endsWith("/access_tokens")),
      };
    },
    async close() {
      await harness.close();
      await anthropic.close();
    },
  };
}
