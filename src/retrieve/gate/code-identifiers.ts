// Finds the code that a text mentions: text in backticks, identifiers by their shape, paths, calls.

/** A pull request's body may be a whole changelog; names are in its first pages. */
const READ = 20_000;
const MOST = 100;

const SHAPES: readonly RegExp[] = [
  /`([^`\n]{1,200})`/g,
  // A path with a folder and an extension, or a file name with a known one.
  /(?<![\w/.-])((?:[\w@.-]{1,100}\/){1,20}[\w.-]{1,100}\.[a-z]\w{0,9})(?![\w/])/g,
  /(?<![\w/.-])([\w-]{1,100}\.(?:ts|tsx|js|jsx|mjs|cjs|py|go|rs|rb|java|kt|php|cs|c|cc|cpp|h|hpp|swift|scala|sh|sql|vue))(?![\w/])/g,
  /(?<![\w.])([A-Za-z_][\w.]{1,100})\(\)/g,
  // camelCase and PascalCase with two humps of two letters or more: "OAuth" is prose.
  /(?<![\w/.-])([a-z]{2,40}\d{0,4}(?:[A-Z][a-z\d]{1,40}){1,10})(?![\w-])/g,
  /(?<![\w/.-])((?:[A-Z][a-z\d]{1,40}){2,10})(?![\w-])/g,
  /(?<![\w/.-])([a-z][a-z\d]{0,40}(?:_[a-z\d]{1,40}){1,10}|[A-Z][A-Z\d]{1,40}(?:_[A-Z\d]{1,40}){1,10})(?![\w-])/g,
];

const PRODUCTS = new Set(
  (
    "github gitlab typescript javascript coffeescript youtube facebook linkedin whatsapp postgresql mysql sqlite mongodb dynamodb " +
    "graphql openapi openai chatgpt devops macos ios iphone vscode intellij pycharm webstorm webassembly websocket websockets " +
    "webhook webhooks stackoverflow nodejs nextjs reactjs vuejs angularjs dotnet aspnet javadoc readme changelog cloudflare " +
    "codecov circleci powershell wordpress paypal opentelemetry rabbitmq elasticsearch opensearch clickhouse bigquery"
  ).split(" "),
);

/**
 * The names in a text, each once, in the order of their shapes: backticks first.
 *
 * @returns at most 100; linear in the text, of which the first 20,000 characters are read
 */
export function namedThings(text: string): readonly string[] {
  const read = text.slice(0, READ);
  const found = new Set<string>();
  for (const shape of SHAPES) {
    for (const match of read.matchAll(shape)) {
      const name = (match[1] ?? "").trim();
      if (name !== "" && !PRODUCTS.has(name.toLowerCase())) found.add(name);
      if (found.size >= MOST) return [...found];
    }
  }
  return [...found];
}
