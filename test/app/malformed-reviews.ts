// Replies that are not what was asked for, each walked through the whole pipeline behind the real
// SDK and a real server on loopback: no crash, no defect taken for silence, and what became of the
// reply stands in the summary.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ModelLimits } from "../../src/adapters/model/model-facts.ts";
import type { ModelChoice } from "../../src/config/environment/read-models.ts";
import type { Review } from "../../src/domain/review.ts";
import { UNLIMITED } from "../../src/ports/model.ts";
import { chosenModel, promptDelimiter } from "../../src/wire/models.ts";
import { malformedReplies } from "../fakes/anthropic/malformed.ts";
import { bareStream, says } from "../fakes/anthropic/replies.ts";
import { type FakeAnthropic, type Reply, startAnthropic } from "../fakes/anthropic/server.ts";
import { expectInert, posted } from "../publish/posted-review.ts";
import { reviewed } from "./pipeline.ts";

const LINE = 'etag() { md5sum "$1" | cut -c1-8; }';
const TITLE = "Two files may have the same etag";
/**
 * Rules say nothing about it, so whatever is said or unsaid is the model's; and shell needs no
 * syntax tree, which is quick.
 */
const FILES = { "scripts/etag.sh": `#!/bin/sh\n${LINE}\n` };
const FOUND = {
  findings: [
    {
      path: "scripts/etag.sh",
      anchor: "",
      endAnchor: null,
      quote: LINE,
      severity: "major",
      category: "correctness",
      title: TITLE,
      body: "`cut` leaves 32 bits. Keep all of the etag.",
      true: 0.9,
      wanted: 1,
      suggestion: null,
      precedents: [],
    },
  ],
  ruleFindings: [],
  walkthrough: "Adds an etag.",
};
const VERDICT = { verdict: "holds", severity: "major", confidence: 0.9, reason: "It is so." };
const isVerify = ({ system }: { readonly system: string }) => system.startsWith("You check drafted");
const idIn = (prompt: string) => /^\[(fnd_\w+)\]/m.exec(prompt)?.[1] ?? "";

const LIMITS: Partial<ModelLimits> = {
  overallMs: 20_000,
  retries: 0,
  firstWaitMs: 1,
  maxWaitMs: 1,
  breakAfter: 100_000,
};

/** In one piece where it is long: a megabyte in pieces of a few characters tells nothing more. */
const saysAll = (text: string): Reply => (text.length < 20_000 ? says(text) : bareStream(text));

/**
 * The suite of both dialects.
 *
 * @param every how many malformed replies of each dialect go by for one that is tried
 */
export function malformedReviews(every: number): void {
  describe.each([
    ["Anthropic's shapes", 0, { structuredOutput: "on" }],
    [
      "a local server without structured output",
      1,
      { structuredOutput: "off", apiKey: null, names: { main: "qwen3-coder", small: "qwen3-coder" } },
    ],
  ] as const)("%s", (_, half, dialect) => {
    let anthropic: FakeAnthropic;
    let review: () => Promise<Review>;
    beforeAll(async () => {
      anthropic = await startAnthropic();
      const choice: ModelChoice & { readonly limits: Partial<ModelLimits> } = {
        apiKey: "sk-ant-api03-vE8rT2kQ9wLx4ZbN7mJcYp",
        baseUrl: anthropic.url,
        names: { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" },
        temperature: null,
        contextTokens: null,
        ...dialect,
        limits: LIMITS,
      };
      const access = {
        ...UNLIMITED,
        model: await chosenModel(choice),
        delimiter: promptDelimiter,
      };
      review = () => reviewed({ files: FILES, access });
    });
    afterAll(async () => {
      await anthropic.close();
    });

    /** What would stand on GitHub, the summary first. */
    async function bodies(script: { readonly review: Reply; readonly verify: (prompt: string) => Reply }) {
      anthropic.requests.length = 0;
      anthropic.script((call) => (isVerify(call) ? script.verify(call.prompt) : script.review));
      const written = posted(await review());
      expectInert(written);
      return { summary: written[0] ?? "", comments: written.slice(1).join("\n") };
    }
    const holds = (prompt: string) => says({ findings: [{ id: idIn(prompt), ...VERDICT }] });

    test("of more than 680 malformed replies none ends the review, none counts as silence, and each is reported [R11]", async () => {
      const known = malformedReplies(FOUND);
      expect(known.length).toBeGreaterThan(680);
      const all = known.filter((_, at) => at % every === half % every);
      let reported = 0;
      for (const { name, text } of all) {
        const { summary, comments } = await bodies({ review: saysAll(text), verify: holds });
        const isRead = !summary.includes("did not have the requested form");
        if (isRead) {
          expect(anthropic.requests.length, name).toBeGreaterThan(0);
          // Said on its line or its file, or held back for a reason: what a fixed reply found is
          // somewhere.
          expect(summary + comments, name).toMatch(/\*\*1 \w+ finding open|1 finding held back/);
          continue;
        }
        reported++;
        expect(summary, name).toContain(
          "**No rule fired** in 1 file; no model read it. This review is **incomplete**, see below.",
        );
        expect(summary, name).toContain("the change was not read by the model");
        expect(summary, name).toContain("1 file not read, or not wholly, by the model");
        expect(anthropic.requests, name).toHaveLength(2);
      }
      expect(reported).toBeGreaterThan(all.length * 0.8);
      expect(reported).toBeLessThan(all.length);
    });

    test("a second look that is malformed leaves each finding said, and says that it was not checked", async () => {
      const { findings } = await written();
      const verify = { findings: [{ id: findings[0]?.finding.id ?? "", ...VERDICT }] };
      const all = malformedReplies(verify).filter(({ text }, at) => at % (2 * every) === 1 && text.length < 20_000);
      expect(all.length).toBeGreaterThan(60 / every);
      let reported = 0;
      for (const { name, text } of all) {
        const { summary, comments } = await bodies({ review: says(FOUND), verify: () => says(text) });
        expect(comments, name).toContain(TITLE);
        if (/not checked a second time: the model's answer did not|second look gave no verdict on 1 of 1/.test(summary))
          reported++;
        else expect(summary, name).toMatch(/^\*\*1 major finding open\*\*\n\nInline\./);
      }
      expect(reported).toBeGreaterThan(all.length / 2);
    });

    async function written(): Promise<Review> {
      anthropic.script((call) => (isVerify(call) ? holds(call.prompt) : says(FOUND)));
      return review();
    }
  });
}
