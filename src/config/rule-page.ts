// The documentation page of a rule.
import manifest from "../../package.json" with { type: "json" };

/**
 * The rule's section in `docs/rules.md` of the repository that this package names as its homepage.
 *
 * @param homepage of `package.json`: publishing writes it there, since a fork has another one
 * @returns null for a repository's own rule, and without a homepage
 */
export function rulePage(
  rule: string,
  homepage: string | undefined = (manifest as { readonly homepage?: string }).homepage,
): string | null {
  if (homepage === undefined || !/^[a-z][a-z0-9-]*$/.test(rule)) return null;
  return `${homepage.replace(/[#?].*$/s, "").replace(/\/$/, "")}/blob/HEAD/docs/rules.md#${rule}`;
}
