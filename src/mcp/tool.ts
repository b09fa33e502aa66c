// One tool: what it takes, what it says, and what it may do.
import { z } from "zod";
import { UsageError } from "../cli/usage.ts";
import type { Repo } from "../domain/job.ts";
import { repoKey } from "../domain/memory.ts";
import type { Answer } from "./answer.ts";
import type { McpPorts } from "./mcp-ports.ts";

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Changes something: offered as such, and refused without leave. */
  readonly writes: boolean;
  /** Throws an Error that names the fix. */
  readonly run: (given: z.output<Input>, ports: McpPorts, signal: AbortSignal) => Promise<Answer>;
}

/** The field by which a call names a repository. */
export const repositoryField = z
  .string()
  .min(1)
  .max(300)
  .optional()
  .describe("OWNER/NAME as memory knows it. Left out: the repository that the server was started for.");

/**
 * The repository that a call is about.
 *
 * @throws UsageError where it is another one than the server's, and the server was not started with --all
 */
export async function repositoryOf(word: string | undefined, ports: McpPorts): Promise<Repo> {
  if (word === undefined || isHome(word, ports.repo)) return ports.repo;
  const refusal = `this server is about ${ports.repo.owner}/${ports.repo.name} only; start it with --all, or with --repo ${word}`;
  if (!ports.isAll) throw new UsageError(refusal);
  return ports.named(word);
}

function isHome(word: string, repo: Repo): boolean {
  const names = [`${repo.owner}/${repo.name}`, `${repo.host}/${repo.owner}/${repo.name}`, repoKey(repo)];
  return names.some((name) => name.toLowerCase() === word.toLowerCase());
}
