// A law of the order as data: a change, a few memories that differ in one thing, and which of them
// ranks first.
import { z } from "zod";
import { Knowledge } from "../src/config/knowledge.ts";
import { CORPORA, OUTCOMES } from "../src/domain/memory.ts";

/** Of a pull request that names none: no memory is its own. */
const NO_NUMBER = 1_000_000;

const Vector = z.array(z.number()).min(1);

const Memory = z.object({
  id: z.string().min(1),
  text: z.string().min(1),
  path: z.string().nullish(),
  /** A display name or a canonical id; absent or null in a row that is older than the column. */
  language: z.string().nullish(),
  outcome: z.enum(OUTCOMES).nullish(),
  createdAt: z
    .string()
    .refine((text) => Number.isFinite(Date.parse(text)), "is no date")
    .optional(),
  /** `code`: a piece of the repository's code, which is no memory. */
  corpus: z.enum([...CORPORA, "code"]).default("review_comment"),
  /** OWNER/NAME of another repository; absent: the pull request's own. */
  repo: z
    .string()
    .regex(/^[^/\s]+\/[^/\s]+$/)
    .optional(),
  pr: z.int().nullish(),
  vector: Vector.optional(),
});
export type OrderMemory = z.infer<typeof Memory>;

const Expectation = z.union([
  z.tuple([z.string(), z.enum(["before", "equal"]), z.string()]),
  z.tuple([z.string(), z.enum(["present", "absent"])]),
]);
export type Expectation = z.infer<typeof Expectation>;

const Case = z.object({
  id: z.string().min(1),
  group: z.string().min(1),
  title: z.string(),
  body: z.string().nullish(),
  number: z.int().positive().default(NO_NUMBER),
  files: z.array(z.object({ path: z.string().min(1), patch: z.string() })),
  memories: z.array(Memory),
  query: z.object({ vector: Vector.optional() }).optional(),
  /** The `knowledge` section of .kodiai.yml, or its `retrieval` part alone. */
  config: z.record(z.string(), z.unknown()).default({}).transform(knowledgeOf),
  expect: z.array(Expectation).min(1),
});

/**
 * The line as it was read: one that cannot be asked still has an id and, where it names one, a
 * group.
 */
export type OrderCase =
  | ({ readonly kind: "case" } & z.infer<typeof Case>)
  | { readonly kind: "malformed"; readonly id: string; readonly group: string; readonly reason: string };

/** Under which malformed lines are counted that name no group. */
const NO_GROUP = "malformed";

/**
 * One line of a file of cases. Never throws.
 *
 * @param place names a line that has no id: `cases.jsonl:7`
 */
export function readOrderCase(line: string, place: string): OrderCase {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: "malformed", id: place, group: NO_GROUP, reason: "not JSON" };
  }
  const named = z.object({ id: z.string().min(1).catch(place), group: z.string().min(1).catch(NO_GROUP) });
  const { id, group } = named.catch({ id: place, group: NO_GROUP }).parse(value);
  const read = Case.safeParse(value);
  const reason = read.success ? contradiction(read.data) : firstProblem(read.error);
  return read.success && reason === null
    ? { kind: "case", ...read.data }
    : { kind: "malformed", id, group, reason: reason ?? "" };
}

/** Why a case of the right shape cannot be asked, or null. */
function contradiction({ memories, query, expect }: z.infer<typeof Case>): string | null {
  const ids = new Set(memories.map(({ id }) => id));
  if (ids.size < memories.length) return "two memories have one id";
  const expected = expect.flatMap(([a, , b]) => (b === undefined ? [a] : [a, b]));
  const unknown = expected.find((id) => !ids.has(id));
  if (unknown !== undefined) return `expects ${unknown}, which is no memory`;
  const dimension = query?.vector?.length;
  const odd = memories.find(({ vector }) => vector !== undefined && vector.length !== dimension);
  return odd === undefined ? null : `the vector of ${odd.id} has another dimension than the query's`;
}

function knowledgeOf(config: Readonly<Record<string, unknown>>, context: z.RefinementCtx): Knowledge {
  const section = "knowledge" in config ? config.knowledge : config;
  const isRetrieval = section === config && Object.keys(config).some((key) => key in Knowledge.parse({}).retrieval);
  const read = Knowledge.safeParse(isRetrieval ? { retrieval: section } : section);
  if (read.success) return read.data;
  context.addIssue({ code: "custom", message: firstProblem(read.error) });
  return z.NEVER;
}

function firstProblem({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join(".") ?? "";
  return `${path === "" ? "" : `${path}: `}${issue?.message ?? "wrong"}`;
}
