// Globs for branch names, matched without a regular expression: a pattern of two hundred stars stays cheap.

/**
 * True when a glob matches a whole branch name.
 *
 * @param pattern `*` stands for any run of characters but `/`, `**` for any run at all, `?` for one character but `/`;
 *   everything else stands for itself
 * @param branch a branch name such as `release/21.0`
 * @returns in at most pattern × branch steps
 */
export function matchBranch(pattern: string, branch: string): boolean {
  const tokens = pattern.match(/\*{2,}|./gsu) ?? [];
  // reached[i]: the first i tokens can stand for the part of the branch that was read so far.
  let reached = passStars(tokens, [true]);
  for (const char of branch) reached = passStars(tokens, step(tokens, reached, char));
  return reached[tokens.length] ?? false;
}

function step(tokens: readonly string[], reached: readonly boolean[], char: string): boolean[] {
  const after: boolean[] = [];
  for (const [at, token] of tokens.entries()) {
    if (reached[at] !== true) continue;
    if (token.startsWith("**") || (token === "*" && char !== "/")) after[at] = true;
    else if (token === char || (token === "?" && char !== "/")) after[at + 1] = true;
  }
  return after;
}

/** A star may stand for nothing. */
function passStars(tokens: readonly string[], reached: boolean[]): boolean[] {
  for (const [at, token] of tokens.entries()) {
    if (reached[at] === true && token.startsWith("*")) reached[at + 1] = true;
  }
  return reached;
}
