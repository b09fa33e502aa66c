// JSON.parse keeps the last of two equal keys and says nothing: `{"findings":[…],"findings":[]}` would read as empty.

/** A string, with its colon where it is a key, or a bracket. Each part can match in one way only, so it runs in one walk. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/gs;

/** @param json a text that JSON.parse takes; null when no object in it has the same key twice */
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
