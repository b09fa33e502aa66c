// The words of a heading as GitHub writes them in a link.

/** Long headings are prose. */
const MAX_SLUG = 100;

/** `## 2. Why *we* do it` → `2-why-we-do-it`; `section` where nothing is left. At most 100 characters. */
export function headingSlug(title: string): string {
  const slug = title
    .slice(0, 500)
    .replace(/<[^<>]{0,200}>|\]\([^()]{0,300}\)/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .trim()
    .replaceAll(" ", "-")
    .slice(0, MAX_SLUG)
    .toWellFormed();
  return slug === "" ? "section" : slug;
}
