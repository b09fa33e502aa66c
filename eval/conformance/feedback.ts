// What people's reactions may silence, and when two findings are one, held against the cases of an
// earlier system.
import { findingId, isProtected } from "../../src/domain/finding.ts";
import { rejectedOften } from "../../src/domain/memory/rejections.ts";
import type { MemoryRecord } from "../../src/domain/memory.ts";
import type { AreaCheck } from "./area-check.ts";

interface Suppressible {
  readonly thumbsDown: number;
  readonly distinctReactors: number;
  readonly distinctPRs: number;
  readonly thresholds: {
    readonly minThumbsDown: number;
    readonly minDistinctReactors: number;
    readonly minDistinctPRs: number;
  };
}

function suppressible(input: unknown): unknown {
  const { thumbsDown, distinctReactors, distinctPRs, thresholds } = input as Suppressible;
  const { minThumbsDown, minDistinctReactors, minDistinctPRs } = thresholds;
  const found = { rejections: thumbsDown, people: distinctReactors, pulls: distinctPRs };
  const least = { rejections: minThumbsDown, people: minDistinctReactors, pulls: minDistinctPRs };
  return { suppressible: rejectedOften(found, least) };
}

function sameFinding(input: unknown): unknown {
  const { titleA, titleB } = input as { readonly titleA: string; readonly titleB: string };
  const id = (title: string) => findingId(`correctness ${title}`, "src/cart.ts", ["return cart.total;"], 0);
  return { sameFingerprint: id(titleA) === id(titleB) };
}

export const areas: readonly AreaCheck[] = [
  {
    area: "feedback.protected",
    answer: (input) => ({
      protectedFromAutoSuppression: isProtected(input as Pick<MemoryRecord, "severity" | "category">),
    }),
    deliberate: [
      {
        name: "mild matters of security are protected too",
        reason:
          "a show of hands never silences a matter of security, however mild: that takes a reason by a maintainer",
        applies: (input) => (input as Pick<MemoryRecord, "category">).category === "security",
      },
    ],
  },
  { area: "feedback.suppressible", answer: suppressible, deliberate: [] },
  { area: "finding.fingerprint", answer: sameFinding, deliberate: [] },
];
