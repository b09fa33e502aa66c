// The documentation page of a rule.
import manifest from "../../package.json" with { type: "json" };

const HOMEPAGE = (manifest as { readonly homepage?: string }).homepage;

/**
 * The rule's section in `docs/rules.md`; null for a repository's own rule, and without a homepage.
 * Publishing writes the homepage into `package.json`, since a fork has another one.
 */
export function rulePage(rule: string, homepage: string | undefined = HOMEPAGE): string | null {
  return homepage === undefined || !/^[a-z][a-z0-9-]*$/.test(rule) ? null : docsPage(`rules.md#${rule}`, homepage);
}

/** A page of `docs/`, such as `rules.md#sql-from-strings`: at the homepage, else in this clone. */
export function docsPage(page: string, homepage: string | undefined = HOMEPAGE): string {
  if (homepage === undefined) return new URL(`../../docs/${page}`, import.meta.url).href;
  return `${homepage.replace(/[#?].*$/s, "").replace(/\/$/, "")}/blob/HEAD/docs/${page}`;
}
