// Code without its comments and strings, for whoever counts words of code. Every character keeps its place.

/** Endings of files in which `#` begins a comment. */
const HASH =
  /\.(?:py|pyi|rb|sh|bash|zsh|ya?ml|toml|php|pl|r|ex|exs|cfg|conf|tf|jl|nim)$|(?:^|\/)(?:Makefile|Dockerfile)$/i;
/** Endings of files in which `//` and slash-star begin no comment. */
const NO_SLASH = /\.(?:py|pyi|rb|sh|bash|zsh|ya?ml|toml|pl|r|ex|exs|sql|lua|hs|md|html?|xml)$/i;
const DASHES = /\.(?:sql|lua|hs|elm)$/i;

/**
 * The text with spaces in the place of comments and of what stands in quotes; line ends stay. Expressions in template strings
 * are code. Linear, and exact enough for counting words: a quote that its line does not close opens nothing.
 *
 * @param path decides by its ending what a comment is
 */
export function codeOnly(path: string, text: string): string {
  const comments = { hash: HASH.test(path), slash: !NO_SLASH.test(path), dashes: DASHES.test(path) };
  const parts: string[] = [];
  let from = 0;
  let at = 0;
  /** How many template strings are open around an expression, each with its open braces. */
  const templates: number[] = [];
  const blank = (start: number, end: number) => {
    parts.push(text.slice(from, start), text.slice(start, end).replace(/[^\n]/g, " "));
    [from, at] = [end, end];
  };
  while (at < text.length) {
    const char = text[at];
    const next = text[at + 1];
    if (char === "/" && comments.slash && next === "/") blank(at, lineEnd(text, at));
    else if (char === "/" && comments.slash && next === "*") blank(at, after(text, "*/", at + 2));
    else if (char === "#" && comments.hash && !isName(text[at - 1])) blank(at, lineEnd(text, at));
    else if (char === "-" && comments.dashes && next === "-") blank(at, lineEnd(text, at));
    else if ((char === '"' || char === "'") && text.startsWith(char.repeat(3), at))
      blank(at, after(text, char.repeat(3), at + 3));
    else if (char === '"' || char === "'") {
      const end = closing(text, at, char);
      if (end === null) at++;
      else blank(at, end);
    } else if (char === "`") template(at);
    else if (templates.length > 0 && (char === "{" || char === "}")) {
      const depth = (templates.at(-1) ?? 0) + (char === "{" ? 1 : -1);
      templates[templates.length - 1] = depth;
      if (depth > 0) at++;
      else {
        templates.pop();
        template(at);
      }
    } else at++;
  }
  return parts.join("") + text.slice(from);

  /** From the backtick, or the brace that ends an expression, to the next expression or the end. */
  function template(start: number): void {
    for (let end = start + 1; end < text.length; end++) {
      if (text[end] === "\\") end++;
      else if (text[end] === "`") {
        blank(start, end + 1);
        return;
      } else if (text[end] === "$" && text[end + 1] === "{") {
        templates.push(1);
        blank(start, end + 2);
        return;
      }
    }
    blank(start, text.length);
  }
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function after(text: string, mark: string, at: number): number {
  const end = text.indexOf(mark, at);
  return end < 0 ? text.length : end + mark.length;
}

/** Behind the quote that closes on the same line, or null. */
function closing(text: string, at: number, quote: string): number | null {
  for (let end = at + 1; end < text.length && text[end] !== "\n"; end++) {
    if (text[end] === "\\") end++;
    else if (text[end] === quote) return end + 1;
  }
  return null;
}

function isName(char: string | undefined): boolean {
  return char !== undefined && /[\w$]/.test(char);
}
