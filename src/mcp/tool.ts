// The type of a tool, and the repository argument that all tools share.
import { z } from "zod";
import { UsageError } from "../cli/usage.ts";
import type { Repo } from "../domain/job.ts";
import { repoKey } from "../domain/memory.ts";
import type { McpPorts } from "../wire/cli/mcp.ts";
import type { Answer } from "./answer.ts";

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Whether it changes something; such a tool is annotated, and refused without --allow-write. */
  readonly writes?: true;
  /** Throws an Error whose message names the fix. */
  readonly run: (given: z.output<Input>, ports: McpPorts, signal: AbortSignal) => Promise<Answer>;
}

/** The input field that names a repository. */
export const repositoryField = z
  .string()
  .min(1)
  .max(300)
  .optional()
  .describe("OWNER/NAME as memory knows it. Left out: the repository that the server was started for.");

/** The repository that a call is about. Throws a UsageError when it is not the server's own and `--all` was not given. */
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
