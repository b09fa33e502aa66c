// JSON.parse silently keeps the last of two equal keys: `{"findings":[…],"findings":[]}` would read as empty.

/** A string, with its colon if it is a key, or a bracket. Each part can match in one way only, so one pass is enough. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/gs;

/** @param json valid JSON; null when no object in it has a repeated key */
export function repeatedKey(json: string): string | null {
  const open: Set<string>[] = [];
  for (const [token, text, colon] of json.matchAll(TOKEN)) {
    if (token === "{" || token === "[") open.push(new Set());
    if (token === "}" || token === "]") open.pop();
    if (text === undefined || colon === undefined) continue;
    const key = String(JSON.parse(text));
    const keys = open.at(-1);
    if (keys?.has(key)) return key;
    keys?.add(key);
  }
  return null;
}
