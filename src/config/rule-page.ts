// The documentation page of a rule.
import manifest from "../../package.json" with { type: "json" };

const HOMEPAGE = (manifest as { readonly homepage?: string }).homepage;

/**
 * The rule's section in `docs/rules.md` of the repository that this package names as its homepage.
 *
 * @param homepage of `package.json`: publishing writes it there, since a fork has another one
 * @returns null for a repository's own rule, and without a homepage
 */
export function rulePage(rule: string, homepage: string | undefined = HOMEPAGE): string | null {
  return homepage === undefined || !/^[a-z][a-z0-9-]*$/.test(rule) ? null : docsPage(`rules.md#${rule}`, homepage);
}

/**
 * The address of a page of `docs/`: in the repository that is the homepage, else in this clone.
 *
 * @param page such as `rules.md#sql-from-strings`
 */
export function docsPage(page: string, homepage: string | undefined = HOMEPAGE): string {
  if (homepage === undefined) return new URL(`../../docs/${page}`, import.meta.url).href;
  return `${homepage.replace(/[#?].*$/s, "").replace(/\/$/, "")}/blob/HEAD/docs/${page}`;
}
