// Finds secrets: secretlint's preset, token formats, private keys, assignments. The rules report
// what it finds, and the redactor hides it.
import { setImmediate as nextTurn } from "node:timers/promises";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { assignments, identifiers, kubernetesSecrets, passphrases, urlPasswords } from "./assignments.ts";
import { keyPieces, privateKeys } from "./private-keys.ts";
import { isDummyToken, isInventedToken, type SecretSpan } from "./secret-span.ts";
import { TOKEN_FORMATS, type TokenFormat, UNBOUNDED_FORMATS } from "./token-formats.ts";

/** By the last part of its id. */
const PRESET = rules.map((rule) => ({
  name: rule.meta.id.slice(rule.meta.id.lastIndexOf("secretlint-rule-") + 16),
  rule,
}));

const UNUSED: ReadonlySet<string> = new Set([
  // A comment in a pull request must not switch the detector off.
  "filter-comments",
  // It accepts any words between a header and a footer; privateKeys checks the lines.
  "privatekey",
]);

/**
 * secretlint's rules by the last part of their id, with names for people. Tokens of the other rules
 * are among our formats, which name them.
 */
const LABELS: ReadonlyMap<string, string> = new Map([
  ["anthropic", "Anthropic key"],
  ["aws", "AWS key"],
  ["basicauth", "password in a URL"],
  ["database-connection-string", "database password"],
  ["figma", "Figma token"],
  ["gcp", "Google service account key"],
  ["github", "GitHub token"],
  ["linear", "Linear key"],
  ["npm", "npm token"],
  ["openai", "OpenAI key"],
  ["sendgrid", "SendGrid key"],
  ["slack", "Slack token"],
  ["tailscale", "Tailscale key"],
  ["vercel", "Vercel token"],
]);

/** secretlint's rules by context rather than format; our own checks decide what is reported. */
const BY_PLACE = new Set(["basicauth", "database-connection-string"]);

/** Length of a long text: a pass of one detector over a megabyte takes up to .1 s. */
const LONG_TEXT = 64 * 1024;

/** Between two passes over a long text: yields to the process's other work. */
export async function breathe(text: string): Promise<void> {
  if (text.length >= LONG_TEXT) await nextTurn();
}

/** In order: if two are equally certain, the first names the result. */
const DETECTORS: readonly ((text: string) => Iterable<SecretSpan> | Promise<Iterable<SecretSpan>>)[] = [
  privateKeys,
  keyPieces,
  formats,
  secretlint,
  urlPasswords,
  kubernetesSecrets,
  assignments,
  passphrases,
  identifiers,
];

/**
 * Every secret in a text.
 *
 * @param text any text, trusted or not; time is linear in its length (about a second for a
 *   megabyte), and a long text is searched in passes that yield to the process's other work
 * @returns spans in order of their start, never overlapping
 */
export async function detectSecrets(text: string): Promise<readonly SecretSpan[]> {
  const spans: SecretSpan[] = [];
  for (const detect of DETECTORS) {
    for (const span of await detect(text)) spans.push(span);
    await breathe(text);
  }
  return withoutOverlaps(spans);
}

/** The rules alone: secretlint's own core compares each report with every other. */
async function secretlint(text: string): Promise<readonly SecretSpan[]> {
  const spans: SecretSpan[] = [];
  for (const { name, rule } of PRESET) {
    if (UNUSED.has(name)) continue;
    const label = LABELS.get(name) ?? "secret";
    const report = ({ message, range: [start, end] }: Report) => void spans.push(spanOf(message.messageId, start, end));
    const spanOf = (messageId: string, start: number, end: number): SecretSpan => {
      if (BY_PLACE.has(name)) return byPlace(text, label, start, end);
      if (messageId === "AWSAccountID")
        return { label: "AWS account id", start, end, certainty: "possible", source: "format" };
      const certainty = isInventedToken(text.slice(start, end)) ? "possible" : "certain";
      return { label, start, end, certainty, source: "format" };
    };
    const context = { sharedOptions: {}, createTranslator: () => named, ignore: () => {}, report };
    const options = { enableIDScanRule: true };
    await rule.create(context as never, options).file?.({ content: text, contentType: "text", ext: "" } as never);
  }
  return spans;
}

interface Report {
  readonly message: { readonly messageId: string };
  readonly range: readonly [start: number, end: number];
}

/** In place of a translated message. */
const named = (messageId: string) => ({ message: messageId, messageId });

/** secretlint reports the whole URL. Only the password is secret; the host stays readable. */
function byPlace(text: string, label: string, start: number, end: number): SecretSpan {
  const whole = text.slice(start, end);
  const password = /:\/\/[^:@/]{0,80}:([^@]{1,200})@/.exec(whole)?.[1];
  const from = password === undefined ? start : start + whole.indexOf(`:${password}@`) + 1;
  const to = password === undefined ? end : from + password.length;
  return { label, start: from, end: to, certainty: "possible", source: "url" };
}

/** Valid tokens of published formats, by their form alone: fast, and without secretlint. */
export async function strictFormats(text: string): Promise<readonly SecretSpan[]> {
  return (await formats(text)).filter(isCertain);
}

/** Each token of an unbounded format contains one of the hints. */
const HINT = new RegExp(
  UNBOUNDED_FORMATS.flatMap(({ hints }) => hints.map((hint) => hint.replace(/\W/g, "\\$&"))).join("|"),
);

/**
 * The same in a text in which words were joined: no boundaries are required around a token. Only
 * formats that are recognisable by more than their length.
 */
export function unboundedFormats(text: string): readonly SecretSpan[] {
  if (!HINT.test(text)) return [];
  return UNBOUNDED_FORMATS.flatMap((format) => [...tokens(text, format)].filter(isCertain));
}

async function formats(text: string): Promise<readonly SecretSpan[]> {
  const spans: SecretSpan[] = [];
  for (const format of TOKEN_FORMATS) {
    for (const span of tokens(text, format)) spans.push(span);
    await breathe(text);
  }
  return spans;
}

function* tokens(text: string, { label, hints, pattern }: TokenFormat): Iterable<SecretSpan> {
  if (!hints.some((hint) => text.includes(hint))) return;
  for (const { 0: token, index } of text.matchAll(pattern)) {
    const certainty = isInventedToken(token) ? "possible" : "certain";
    if (!isDummyToken(token)) yield { label, start: index, end: index + token.length, certainty, source: "format" };
  }
}

function isCertain({ certainty }: SecretSpan): boolean {
  return certainty === "certain";
}

const STRENGTH = { certain: 3, likely: 2, possible: 1 } as const;

/** Overlapping spans are merged into one, named by the strongest (the first among equals). */
export function withoutOverlaps(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const kept: SecretSpan[] = [];
  for (const span of sorted) {
    const last = kept.at(-1);
    if (last === undefined || span.start >= last.end) {
      kept.push(span);
      continue;
    }
    const name = STRENGTH[span.certainty] > STRENGTH[last.certainty] ? span : last;
    kept[kept.length - 1] = { ...name, start: last.start, end: Math.max(last.end, span.end) };
  }
  return kept;
}
