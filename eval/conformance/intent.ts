// How our intent parser answers the cases of an earlier system, in that system's shapes.

import { z } from "zod";
import { type IntentInput, parseIntent } from "../../src/analyze/intent.ts";
import { parseTitle } from "../../src/analyze/title.ts";
import type { AreaCheck } from "./area-check.ts";

const IntentCase = z.object({
  title: z.string(),
  body: z.string().nullish(),
  commits: z.array(z.object({ sha: z.string(), message: z.string() })).default([]),
});
const RefsCase = z.object({ body: z.string().nullable(), commitMessages: z.array(z.string()) });

/** Their word for our profile. */
const PROFILE_WORDS = { thorough: "strict", balanced: "balanced", quiet: "minimal" } as const;

function intentOf(input: Partial<IntentInput> & { readonly title: string }) {
  return parseIntent({
    body: null,
    commits: [],
    labels: [],
    headRef: "",
    author: { login: "alice" },
    ...input,
  });
}

function answerIntent(input: unknown) {
  const { title, body, commits } = IntentCase.parse(input);
  const intent = intentOf({ title, body: body ?? null, commits });
  const parsed = parseTitle(title);
  return {
    type: intent.type,
    breakingMarkerInTitle: parsed.breaking,
    breakingChangeDetected: intent.breaking.length > 0,
    breakingSources: [...new Set(intent.breaking.map((source) => source.where))],
    isWIP: intent.wip,
    noReview: intent.noReview,
    profileOverride: intent.profile === null ? null : PROFILE_WORDS[intent.profile],
    focusAreas: intent.focusAreas,
    styleOk: intent.styleOk,
    recognized: parsed.commands,
    unrecognized: parsed.otherTags,
  };
}

function answerRefs(input: unknown) {
  const { body, commitMessages } = RefsCase.parse(input);
  const commits = commitMessages.map((message, index) => ({ sha: String(index), message }));
  const refs = intentOf({ title: "x", body, commits }).issues.map((ref) => ({
    issueNumber: ref.number,
    keyword: ref.keyword,
    isClosing: ref.closing,
    crossRepo: ref.repo,
    source: ref.source,
  }));
  return { refs };
}

export const areas: readonly AreaCheck[] = [
  {
    area: "prIntent",
    answer: answerIntent,
    deliberate: [
      {
        name: "a draft tag means unfinished",
        reason: "The intent has one word for wip and draft; neither is ready for review.",
        applies: (input) => parseTitle(IntentCase.parse(input).title).commands.includes("draft"),
      },
      {
        name: "unknown tags are focus areas",
        reason: "Focus areas come from security-review and from unknown bracket tags; they reach query and prompt.",
        applies: (input) => parseTitle(IntentCase.parse(input).title).otherTags.length > 0,
      },
    ],
  },
  { area: "issueRefs.parse", answer: answerRefs, deliberate: [] },
];
