/** Name → value, trimmed; an empty value counts as not set. */
export function setVariables(env: Readonly<Record<string, string | undefined>>): Map<string, string> {
  const pairs = Object.entries(env).map(([name, value]) => [name, value?.trim() ?? ""] as const);
  return new Map(pairs.filter(([, value]) => value !== ""));
}
