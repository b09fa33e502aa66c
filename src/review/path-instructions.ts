// Which of a repository's instructions for paths concern a change.
import type { PathInstruction } from "../config/path-instruction.ts";
import { pathGlob } from "../domain/path-glob.ts";

/** An instruction, and the changed files that it is about. */
export interface MatchedInstruction {
  readonly instruction: PathInstruction;
  readonly files: readonly string[];
}

/**
 * The instructions that at least one changed path matches, in the order of the configuration. Of a list of globs one must
 * match and none that begins with `!`; one that only takes files out is about none.
 *
 * @param paths of the reviewed files
 */
export function matchingInstructions(
  paths: readonly string[],
  instructions: readonly PathInstruction[],
): readonly MatchedInstruction[] {
  return instructions
    .map((instruction) => ({ instruction, files: paths.filter(matcherOf([instruction.path].flat())) }))
    .filter(({ files }) => files.length > 0);
}

function matcherOf(globs: readonly string[]): (path: string) => boolean {
  const [out = [], taken = []] = [true, false].map((negated) =>
    globs.filter((glob) => glob.startsWith("!") === negated).map((glob) => matches(negated ? glob.slice(1) : glob)),
  );
  return (path) => taken.some((one) => one(path)) && !out.some((one) => one(path));
}

/** One that cannot be read matches nothing; the configuration has told of it. */
function matches(glob: string): (path: string) => boolean {
  const read = pathGlob(glob, { anyFolder: true });
  return "problem" in read ? () => false : read.matches;
}
