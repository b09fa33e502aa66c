// One segment of a glob against one segment of a path: a name or a folder, without slashes.

/** One character that may stand at a place. */
type One = (char: string) => boolean;
/** What stands between two stars: text, or characters of which some are chosen. */
type Chunk = string | readonly One[];

/**
 * Compiles a segment such as `*.test.[jt]s`. A lone `*` takes any name but none at all.
 *
 * @returns in at most segment × name steps, whatever both are
 */
export function segmentMatcher(segment: string): (name: string) => boolean {
  const chunks = chunksOf(segment);
  const [first = "", ...rest] = chunks;
  const last = rest.pop();
  if (last === undefined) return (name) => standsAt(first, name, 0) && lengthOf(first) === name.length;
  const least = chunks.reduce((sum, chunk) => sum + lengthOf(chunk), 0);
  return (name) => {
    const end = name.length - lengthOf(last);
    if (name === "" || name.length < least || !standsAt(first, name, 0) || !standsAt(last, name, end)) return false;
    // The first place of each chunk leaves the most room for the next: nothing need ever be tried again.
    let at = lengthOf(first);
    for (const chunk of rest) {
      const found = placeOf(chunk, name, at, end);
      if (found === -1) return false;
      at = found + lengthOf(chunk);
    }
    return at <= end;
  };
}

function lengthOf(chunk: Chunk): number {
  return chunk.length;
}

function standsAt(chunk: Chunk, name: string, at: number): boolean {
  if (at < 0) return false;
  if (typeof chunk === "string") return name.startsWith(chunk, at);
  return at + chunk.length <= name.length && chunk.every((one, index) => one(name.charAt(at + index)));
}

function placeOf(chunk: Chunk, name: string, from: number, end: number): number {
  if (typeof chunk === "string") {
    const found = name.indexOf(chunk, from);
    return found + chunk.length <= end ? found : -1;
  }
  for (let at = from; at + chunk.length <= end; at += 1) if (standsAt(chunk, name, at)) return at;
  return -1;
}

function chunksOf(segment: string): Chunk[] {
  const chunks: Chunk[] = [];
  let places: Place[] = [];
  for (let at = 0; at <= segment.length; ) {
    const place = placeAt(segment, at);
    if (place.one !== null) places.push(place);
    else {
      const isText = places.every(({ text }) => text !== null);
      chunks.push(isText ? places.map(({ text }) => text).join("") : places.flatMap(({ one }) => one ?? []));
      places = [];
    }
    at = place.end;
  }
  return chunks;
}

/** What may stand at one place, which text that is where there is no choice, and where the next begins. */
interface Place {
  /** Null: a star, or the end. */
  readonly one: One | null;
  readonly text: string | null;
  readonly end: number;
}

function placeAt(segment: string, at: number): Place {
  const [mark = ""] = /^(?:\*+|\?|\[)/.exec(segment.slice(at, at + 500)) ?? [];
  if (at >= segment.length) return { one: null, text: null, end: at + 1 };
  if (mark.startsWith("*")) return { one: null, text: null, end: at + mark.length };
  if (mark === "?") return { one: () => true, text: null, end: at + 1 };
  const set = mark === "[" ? setAt(segment, at) : null;
  if (set !== null) return { one: set.one, text: null, end: set.end + 1 };
  const literal = segment[at] === "\\" && at + 1 < segment.length ? at + 1 : at;
  const text = segment.charAt(literal);
  return { one: (char) => char === text, text, end: literal + 1 };
}

/** `[abc]`, `[a-z]`, `[!a]`, `[^a]`, beginning at `open`; null when it is never closed, and then `[` is a bracket. */
function setAt(segment: string, open: number): { readonly one: One; readonly end: number } | null {
  const isNegated = /[!^]/.test(segment.charAt(open + 1));
  const start = open + (isNegated ? 2 : 1);
  // A bracket that stands first is one of the characters.
  const end = segment.indexOf("]", start + 1);
  if (end === -1) return null;
  const ranges = [...segment.slice(start, end).matchAll(/\\?(.)-\\?(.)|\\?(.)/gs)].map(
    ([, low, high, single]) => [low ?? single ?? "", high ?? single ?? ""] as const,
  );
  const one: One = (char) => ranges.some(([low, high]) => low <= char && char <= high) !== isNegated;
  return { one, end };
}
