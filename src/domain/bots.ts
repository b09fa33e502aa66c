/** Dependency bots by the numeric id of their GitHub account: a login can be imitated, an id cannot. */
const DEPENDENCY_BOTS: ReadonlyMap<number, "dependabot" | "renovate"> = new Map([
  [49699333, "dependabot"], // dependabot[bot]
  [27856297, "dependabot"], // dependabot-preview[bot]
  [29139614, "renovate"], // renovate[bot]
]);

/** Which dependency bot an account is, or null. */
export function dependencyBot(accountId: number): "dependabot" | "renovate" | null {
  return DEPENDENCY_BOTS.get(accountId) ?? null;
}
