// Which of a repository's instructions for paths concern a change.
import picomatch from "picomatch";
import type { PathInstruction } from "../config/path-instruction.ts";

/**
 * The instructions of which at least one path is changed, in the order of the configuration.
 *
 * @param paths of the reviewed files
 */
export function matchingInstructions(
  paths: readonly string[],
  instructions: readonly PathInstruction[],
): readonly PathInstruction[] {
  return instructions.filter(({ path }) => {
    // Without extended globs picomatch makes no nested repetition, so a path cannot be made slow to match.
    const matches = picomatch(path, { dot: true, nonegate: true, noextglob: true, basename: !path.includes("/") });
    return paths.some((one) => matches(one));
  });
}
