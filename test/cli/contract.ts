// What docs/review-json.md promises to readers of `kodiai review --json`, as a schema that refuses
// anything else.
import { z } from "zod";

const Side = z.enum(["LEFT", "RIGHT"]);
/** What was said before, and by whom. */
const Quote = {
  quote: z.string().max(201).optional(),
  author: z.string().optional(),
  pull: z.int().positive().optional(),
};
const Precedent = z.strictObject({
  id: z.string(),
  url: z.string().nullable(),
  outcome: z.string(),
  date: z.string(),
  similarity: z.number().min(0).max(1),
  ...Quote,
});
const Finding = z.strictObject({
  id: z.string().regex(/^fnd_[0-9a-f]{12}$/),
  path: z.string().min(1),
  side: Side,
  startLine: z.int().positive(),
  line: z.int().positive(),
  severity: z.enum(["critical", "major", "medium", "minor"]),
  category: z.enum([
    "security",
    "correctness",
    "performance",
    "reliability",
    "maintainability",
    "tests",
    "docs",
    "style",
  ]),
  rule: z.string().nullable(),
  alsoBy: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  title: z.string().regex(/^[^\n]+$/),
  body: z.string(),
  source: z.enum(["rule", "tool", "model", "memory"]),
  confidence: z.number().min(0).max(1),
  odds: z.strictObject({ real: z.number().min(0).max(1), wanted: z.number().min(0).max(1) }).optional(),
  agreement: z.strictObject({ named: z.int().positive(), of: z.int().positive() }).optional(),
  suggestion: z.strictObject({ startLine: z.int(), line: z.int(), text: z.string() }).nullable(),
  precedents: z.array(Precedent),
  locMethod: z.enum(["rule", "anchor", "quote", "none"]).optional(),
});

const Evidence = z.strictObject({ path: z.string(), line: z.int().positive().nullable() });

export const ReviewJson = z.strictObject({
  version: z.literal(1),
  verdict: z.string().min(1).nullable(),
  findings: z.array(
    Finding.extend({
      place: z.enum(["inline", "file", "summary", "already-posted"]),
      placeReason: z.string().nullable(),
    }),
  ),
  heldBack: z.array(z.strictObject({ finding: Finding, reason: z.string().min(1) })),
  memory: z.strictObject({
    gate: z.strictObject({
      retrieve: z.boolean(),
      confidence: z.number().min(0).max(1),
      reason: z.string().min(1),
      strategy: z.enum(["semantic", "hybrid", "keyword", "related-files"]).nullable(),
      estimatedRelevance: z.number().min(0).max(1).nullable(),
      decidedBy: z.string().min(1),
    }),
    precedents: z.array(Precedent),
    commenters: z.array(z.strictObject({ author: z.string().startsWith("@"), comments: z.number().min(1) })).optional(),
    seenBefore: z.array(
      z.strictObject({
        memoryId: z.string(),
        path: z.string(),
        url: z.string().nullable(),
        outcome: z.string(),
        date: z.string(),
        similarity: z.number().min(0).max(1),
        ...Quote,
      }),
    ),
  }),
  walkthrough: z.string().nullable(),
  coverage: z
    .strictObject({
      model: z.string(),
      questions: z.int(),
      unanswered: z.int(),
      files: z.array(
        z.strictObject({
          path: z.string(),
          state: z.enum(["full", "partial", "not-read"]),
          reason: z.string().nullable(),
        }),
      ),
      readings: z
        .strictObject({
          planned: z.int().min(1).max(3),
          because: z.string().min(1),
          estimate: z.strictObject({
            inputTokens: z.int(),
            outputTokens: z.int(),
            usd: z.number().nullable(),
          }),
          fewer: z.array(z.strictObject({ path: z.string(), times: z.int(), reason: z.string().min(1) })),
        })
        .optional(),
      cut: z.array(z.strictObject({ part: z.string(), shown: z.int(), of: z.int() })),
      hidden: z.array(z.strictObject({ part: z.string(), chars: z.int() })).optional(),
      located: z.strictObject({ anchor: z.int(), quote: z.int(), none: z.int() }),
    })
    .nullable(),
  signals: z.strictObject({
    intent: z.looseObject({
      type: z.string().nullable(),
      scope: z.string().nullable(),
      breaking: z.array(z.unknown()),
    }),
    files: z.array(
      z.strictObject({
        path: z.string(),
        language: z.string(),
        kind: z.enum(["source", "test", "config", "docs", "infra"]),
      }),
    ),
    languages: z.array(
      z.strictObject({
        language: z.string(),
        name: z.string(),
        share: z.number(),
        files: z.int(),
        changedLines: z.int(),
      }),
    ),
    risks: z.array(z.strictObject({ id: z.string(), text: z.string(), evidence: z.array(Evidence) })),
    author: z.strictObject({ tier: z.string(), because: z.string(), isKnown: z.boolean() }),
    metrics: z.strictObject({
      files: z.int(),
      added: z.int(),
      removed: z.int(),
      hunks: z.int(),
      filesByKind: z.record(z.string(), z.int()),
    }),
  }),
  reviewed: z.array(z.string()),
  leftOut: z.array(z.strictObject({ path: z.string(), reason: z.string().min(1) })),
  degraded: z.array(z.strictObject({ part: z.string().min(1), reason: z.string().min(1) })),
  configUsed: z.string().min(1),
  configProblems: z.array(
    z.strictObject({
      file: z.string(),
      key: z.string(),
      line: z.int().positive().nullable(),
      column: z.int().positive().nullable(),
      severity: z.enum(["error", "notice"]),
      message: z.string().min(1),
    }),
  ),
  cost: z.strictObject({
    inputTokens: z.int(),
    outputTokens: z.int(),
    usd: z.number().nullable(),
    ms: z.number().nonnegative(),
  }),
});
export type ReviewJson = z.infer<typeof ReviewJson>;

const Region = z.strictObject({ startLine: z.int().positive(), endLine: z.int().positive() });

/**
 * What SARIF 2.1.0 requires (sections 3.13, 3.14, 3.19, 3.27, 3.49) of the parts that we write, and
 * nothing beside them.
 */
export const Sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal("2.1.0"),
  runs: z.tuple([
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string().min(1),
          semanticVersion: z.string().regex(/^\d+\.\d+\.\d+/),
          rules: z.array(
            z.strictObject({
              id: z.string().min(1),
              shortDescription: z.strictObject({ text: z.string().min(1) }),
              fullDescription: z.strictObject({ text: z.string().min(1) }),
              helpUri: z.url(),
              help: z.strictObject({ text: z.string().min(1) }),
              defaultConfiguration: z.strictObject({ level: z.enum(["none", "note", "warning", "error"]) }),
              properties: z.looseObject({ tags: z.array(z.string()) }),
            }),
          ),
        }),
      }),
      automationDetails: z.strictObject({ id: z.string() }),
      columnKind: z.literal("utf16CodeUnits"),
      invocations: z.tuple([
        z.strictObject({
          executionSuccessful: z.boolean(),
          toolExecutionNotifications: z.array(
            z.strictObject({
              level: z.enum(["error", "warning", "note"]),
              message: z.strictObject({ text: z.string() }),
            }),
          ),
        }),
      ]),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.int().nonnegative(),
          level: z.enum(["none", "note", "warning", "error"]),
          message: z.strictObject({ text: z.string().min(1) }),
          locations: z.tuple([
            z.strictObject({
              physicalLocation: z.strictObject({
                artifactLocation: z.strictObject({
                  uri: z.string().regex(/^[A-Za-z0-9\-._~!*'()%/]+$/),
                  uriBaseId: z.literal("%SRCROOT%"),
                }),
                region: Region.refine(({ startLine, endLine }) => startLine <= endLine),
              }),
            }),
          ]),
          fixes: z.tuple([z.looseObject({ artifactChanges: z.array(z.looseObject({})).min(1) })]).optional(),
          partialFingerprints: z.record(z.string(), z.string()),
          properties: z.looseObject({}),
          suppressions: z
            .tuple([z.strictObject({ kind: z.enum(["inSource", "external"]), justification: z.string() })])
            .optional(),
        }),
      ),
    }),
  ]),
});
