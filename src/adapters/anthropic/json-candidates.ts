// Finds what may be JSON in the prose of a language model, in one walk.

export interface JsonCandidate {
  readonly text: string;
  /** Its last bracket is there. What is not closed was cut off, or its quotes are not in order. */
  readonly closed: boolean;
}

/** A reply with more than so many objects is no answer to any question of ours. */
const MAX_CANDIDATES = 40;
/** Each unclosed candidate costs a walk to the end. */
const MAX_UNCLOSED = 6;
/** After a bracket, what JSON (or its broken cousins) goes on with; `{braces` and `items[i]` are prose. */
const JSON_GOES_ON = /^[{[]\s{0,200}(?:["'“‘`{[}\]]|-?\d|(?:true|false|null|None)\b|[A-Za-z_]\w{0,60}\s{0,5}:|\/[/*])/;

/** Outermost objects and lists in their order. A fence around them does not matter, since brackets inside strings do not count. */
export function jsonCandidates(text: string): readonly JsonCandidate[] {
  const found: JsonCandidate[] = [];
  let unclosed = 0;
  let at = nextOpening(text, 0);
  while (at !== -1 && found.length < MAX_CANDIDATES && unclosed < MAX_UNCLOSED) {
    const end = closingOf(text, at);
    found.push({ text: text.slice(at, end ?? text.length), closed: end !== null });
    if (end === null) unclosed++;
    at = nextOpening(text, end ?? at + 1);
  }
  return found;
}

function nextOpening(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const isBracket = text[at] === "{" || text[at] === "[";
    if (isBracket && JSON_GOES_ON.test(text.slice(at, at + 300))) return at;
  }
  return -1;
}

/** A string, or a bracket. Each part can match in one way only, so it runs in one walk. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\]]/gs;

/** The place behind the bracket that closes the one at `start`, or null. */
function closingOf(text: string, start: number): number | null {
  let depth = 0;
  const tokens = new RegExp(TOKEN);
  tokens.lastIndex = start;
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    if (found[0] === "{" || found[0] === "[") depth++;
    else if (found[0] === "}" || found[0] === "]") depth--;
    if (depth === 0) return tokens.lastIndex;
  }
  return null;
}
