// Code within pages: scripts of components and HTML, and the code of templates. Everything around
// it is left out, so that the grammar of its language reads it on its true lines.

const PAGE =
  /\.(?:vue|svelte|astro|x?html?|svg|php\d?|phtml|erb|rhtml|ejs|eta|hbs|handlebars|mustache|njk|j2|jinja2?|twig|liquid|jspx?|tagx?|ftlh?|cshtml|razor|aspx|ascx|gohtml|tmpl|tpl|heex|eex|marko)$/i;

/** Code from an opening to its end, or to the end of the file. Linear patterns only. */
interface Island {
  readonly files: RegExp;
  readonly opens: RegExp;
  readonly closes: RegExp;
  /** Of an opening, and of the file's path; null: no code. */
  readonly language: (opening: string, path: string) => string | null;
}

/** A longer tag is cut, and its rest read with the code. Each character is read once. */
const IN_QUOTES = "(?:[^Q<]|<(?!/?script)){0,2000}";
const ATTRIBUTES = `(?:(?:[^<>"']|"${IN_QUOTES.replace("Q", '"')}"|'${IN_QUOTES.replace("Q", "'")}'){0,2000}>)?`;
const DATA = /\btype\s*=\s*["']?(?:[\w./-]*(?:json|template|importmap|speculationrules|handlebars|glsl|x-shader)\b)/i;

const ISLANDS: readonly Island[] = [
  {
    files: PAGE,
    opens: new RegExp(String.raw`<script(?=[\s/>])${ATTRIBUTES}`, "gi"),
    closes: /<\/script(?=[\s/>])/gi,
    language: (tag, path) => {
      if (DATA.test(tag)) return null;
      if (/\b(?:lang|type)\s*=\s*["']?(?:text\/)?py/i.test(tag)) return "python";
      if (/\blang\s*=\s*["']?tsx/i.test(tag)) return "tsx";
      return /\.astro$/i.test(path) || /\b(?:lang|type)\s*=\s*["']?[\w/-]*ts\b|typescript/i.test(tag)
        ? "typescript"
        : "javascript";
    },
  },
  // The part before the page, which runs on the server.
  { files: /\.astro$/i, opens: /^\s{0,100}---[ \t]{0,100}\r?\n/g, closes: /^---/gm, language: () => "typescript" },
  ...(
    [
      [/\.(?:erb|rhtml)$/i, "ruby"],
      [/\.(?:ejs|eta)$/i, "javascript"],
      [/\.(?:jspx?|tagx?)$/i, "java"],
    ] as const
  ).map(
    ([files, language]): Island => ({
      files,
      // Not directives, comments, or the sign itself.
      opens: /<%(?![@#%]|--)[-=_~!]{0,3}/g,
      closes: /[-_]?%>/g,
      language: () => language,
    }),
  ),
];

/**
 * @param path decides what kind of page it is
 * @returns by language key of a rule a text that has its code on the lines where the page has it,
 *   and nothing else. Linear in `text`
 */
export function codeInPage(path: string, text: string): ReadonlyMap<string, string> {
  const texts = new Map<string, { code: string; at: number }>();
  for (const { files, opens, closes, language } of ISLANDS) {
    if (!files.test(path)) continue;
    let from = 0;
    for (;;) {
      opens.lastIndex = from;
      const opening = opens.exec(text);
      if (opening === null) break;
      const start = opens.lastIndex;
      closes.lastIndex = start;
      from = closes.exec(text)?.index ?? text.length;
      const key = language(opening[0], path);
      if (key === null) continue;
      const known = texts.get(key) ?? { code: "", at: 0 };
      // Two kinds of code in one language never overlap in a page that runs.
      if (known.at > start) continue;
      const lines = text.slice(known.at, start).replace(/[^\n]+/g, "");
      texts.set(key, { code: `${known.code}${lines}${text.slice(start, from)};`, at: from });
    }
  }
  return new Map([...texts].map(([key, { code }]) => [key, code]));
}
