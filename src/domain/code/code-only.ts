// Blanks comments and strings in code, for counting the words of the code itself. Every character
// keeps its position.

/** Endings of files in which `#` begins a comment. */
const HASH =
  /\.(?:py|pyi|rb|sh|bash|zsh|ya?ml|toml|php|pl|r|ex|exs|cfg|conf|tf|jl|nim)$|(?:^|\/)(?:Makefile|Dockerfile)$/i;
/** Endings of files in which `//` and slash-star begin no comment. */
const NO_SLASH = /\.(?:py|pyi|rb|sh|bash|zsh|ya?ml|toml|pl|r|ex|exs|sql|lua|hs|md|html?|xml)$/i;
const DASHES = /\.(?:sql|lua|hs|elm)$/i;

/**
 * Replaces comments and quoted text with spaces; line ends stay. Expressions in template strings
 * are code. Linear, and exact enough for counting words: a quote that its line does not close opens
 * nothing.
 *
 * @param path its extension decides what a comment is
 */
export function codeOnly(path: string, text: string): string {
  const comments = { hash: HASH.test(path), slash: !NO_SLASH.test(path), dashes: DASHES.test(path) };
  const hasLifetimes = path.endsWith(".rs");
  const parts: string[] = [];
  const unclosed = new Map<string, number>();
  /** Open braces in the expression of each open template string. */
  const depths: number[] = [];
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const end =
      commentEnd(text, at, comments) ?? quoteEnd(text, at, hasLifetimes, unclosed) ?? templateEnd(text, at, depths);
    if (end === null) at++;
    else {
      parts.push(text.slice(from, at), text.slice(at, end).replace(/[^\n]/g, " "));
      [from, at] = [end, end];
    }
  }
  return parts.join("") + text.slice(from);
}

/** The position after the comment that begins here, or null. */
function commentEnd(
  text: string,
  at: number,
  { hash, slash, dashes }: Readonly<Record<"hash" | "slash" | "dashes", boolean>>,
): number | null {
  const char = text[at];
  if (char === "/" && slash && text[at + 1] === "/") return lineEnd(text, at);
  if (char === "/" && slash && text[at + 1] === "*") return after(text, "*/", at + 2);
  if (char === "#" && hash && !/[\w$]/.test(text[at - 1] ?? "")) return lineEnd(text, at);
  return char === "-" && dashes && text[at + 1] === "-" ? lineEnd(text, at) : null;
}

/** The position after the string that begins here, or null; Rust's `'a` is not a string. */
function quoteEnd(text: string, at: number, hasLifetimes: boolean, unclosed: Map<string, number>): number | null {
  const quote = text[at];
  if (quote !== '"' && quote !== "'") return null;
  if (hasLifetimes && quote === "'" && text[at + 1] !== "\\" && text[at + 2] !== "'") return null;
  return text.startsWith(quote.repeat(3), at)
    ? after(text, quote.repeat(3), at + 3)
    : closing(text, at, quote, unclosed);
}

/** From a backtick or an expression's last brace: after the next `${` or backtick; or null. */
function templateEnd(text: string, at: number, depths: number[]): number | null {
  const char = text[at];
  const depth = depths.at(-1);
  if (depth !== undefined && (char === "{" || char === "}"))
    depths[depths.length - 1] = depth + (char === "{" ? 1 : -1);
  const isOver = depth === 1 && char === "}";
  if (isOver) depths.pop();
  if (char !== "`" && !isOver) return null;
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === "\\") end++;
    else if (text[end] === "`") return end + 1;
    else if (text[end] === "$" && text[end + 1] === "{") {
      depths.push(1);
      return end + 2;
    }
  }
  return text.length;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function after(text: string, mark: string, at: number): number {
  const end = text.indexOf(mark, at);
  return end < 0 ? text.length : end + mark.length;
}

/**
 * The position after the closing quote on the same line, or null.
 *
 * @param unclosed by quote, up to where none closes: those before it are all escaped, so a line of
 * them is read once
 */
function closing(text: string, at: number, quote: string, unclosed: Map<string, number>): number | null {
  if (at < (unclosed.get(quote) ?? 0)) return null;
  let end = at + 1;
  for (; end < text.length && text[end] !== "\n"; end++) {
    if (text[end] === "\\") end++;
    else if (text[end] === quote) return end + 1;
  }
  unclosed.set(quote, end);
  return null;
}
