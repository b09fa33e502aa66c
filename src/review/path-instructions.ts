// Which of a repository's instructions for paths concern a change.
import picomatch from "picomatch";
import type { PathInstruction } from "../config/path-instruction.ts";

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

/** Without extended globs picomatch makes no nested repetition, so a path cannot be made slow to match. */
function matches(glob: string): (path: string) => boolean {
  const match = picomatch(glob, { dot: true, nonegate: true, noextglob: true, basename: !glob.includes("/") });
  return (path) => match(path);
}
