// Rules about secrets in the change. A finding names the kind and never quotes any of the value.

import type { InspectedFile } from "../../../ports.ts";
import { detectSecrets } from "../../secrets/detect-secrets.ts";
import type { SecretSpan } from "../../secrets/secret-span.ts";
import { addedLines, type KnownLine, knownLines, oncePerFile } from "../known-lines.ts";
import { type LineRule, type Match, rulesOf } from "../rule.ts";
import { isAside, isConfig, matchAt } from "./line-rule.ts";

interface PlacedSecret extends SecretSpan {
  /** The secret itself, for judgement only. */
  readonly value: string;
  readonly startLine: number;
  readonly line: number;
}

const secretsOf = oncePerFile((file) => findSecrets(addedLines(file)));

async function findSecrets(lines: readonly KnownLine[]): Promise<readonly PlacedSecret[]> {
  const starts: number[] = [];
  let length = 0;
  for (const { text } of lines) {
    starts.push(length);
    length += text.length + 1;
  }
  const text = lines.map((line) => line.text).join("\n");
  const spans = await detectSecrets(text);
  let at = 0;
  return spans.flatMap((span) => {
    while ((starts[at + 1] ?? Number.POSITIVE_INFINITY) <= span.start) at++;
    let last = at;
    while ((starts[last + 1] ?? Number.POSITIVE_INFINITY) < span.end) last++;
    const first = lines[at];
    // Added lines that are not neighbours are not one secret: the first stands for it.
    const end = lines[last];
    if (first === undefined || end === undefined) return [];
    const whole = end.line - first.line === last - at;
    const value = text.slice(span.start, span.end);
    return [{ ...span, value, startLine: first.line, line: whole ? end.line : first.line }];
  });
}

async function speakAbout(file: InspectedFile, wanted: (secret: PlacedSecret) => boolean): Promise<readonly Match[]> {
  const secrets = await secretsOf(file);
  return secrets.filter(wanted).map(({ label, startLine, line }) => ({ startLine, line, detail: label }));
}

/** What looks like a secret in code: one run of letters and digits, no word, path or format. */
const GENERATED =
  /^(?=[^0-9]*[0-9])(?=[^a-z]*[a-z])(?![a-z]+([-_./:][a-z]+)*[0-9]{0,3}$)(?![a-z0-9]+([-_./:][a-z0-9]+)+$)(?!.*(?:secret|passw|token|key|todo|default|xxx|:\/\/|1234|abcd|[/\\]|%[sdv]))[^\s"'{}$<>]{10,200}$/i;
/** What issuers begin keys with, and base64 of 32 characters and more: no word is like it. */
const ISSUED =
  /^(?:gh[pousr]|github_pat|glpat|[sr]k|[sr]k_(?:live|test)|xox[abeops]|hf|npm|key|AKIA)[-_]?(?=[^0-9]*[0-9])[A-Za-z0-9_-]{10,200}$|^(?=[^0-9]*[0-9])(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?!\w+:)[A-Za-z0-9+/]{32,200}={0,2}$/;
/** Numbers and addresses of chains: a key there has 64 digits. */
const SHORT_NUMBER = /^0x[0-9a-f]{1,63}$/i;
const CONSTANT_NAME = /^[A-Z][A-Z0-9_]*$/;

const KEPT_PRIVATE =
  /(?:^|\/)(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.htpasswd|\.netrc|\.pgpass|\.git-credentials|credentials\.json|kubeconfig|terraform\.tfstate(?:\.backup)?|\.dockercfg|[^/]+\.(?:p12|pfx|jks|keystore|kdbx|ppk|ovpn))$/i;
const ENVIRONMENT = /(?:^|\/)\.env(?:\.(?:local|production|prod|staging))?$/i;

export const SECRET_RULES = rulesOf<LineRule>("security", [
  {
    id: "leaked-secret",
    title: "Secret is committed",
    severity: "critical",
    confidence: 0.9,
    why: "Whoever can read the repository, its forks or its history can use it, and history keeps it after the line is gone.",
    fix: "Revoke it at its issuer first, then read it from the environment or a secret store.",
    inTests: true,
    check: (file) =>
      speakAbout(file, ({ certainty, source, label, value, startLine }) => {
        if (certainty !== "certain" || source !== "format" || isPublicFormat(value, linesAround(file, startLine)))
          return false;
        // Tokens of tests are signed with test keys, and say nothing without their secret.
        return !(label === "JSON Web Token" && isAside(file));
      }),
  },
  {
    id: "private-key",
    title: "Private key is committed",
    severity: "critical",
    confidence: 0.85,
    why: "A private key proves an identity; everybody who can read the history now holds that identity.",
    fix: "Replace the key pair, keep the new private key in a secret store, and generate keys for tests when the tests run.",
    check: async (file) => {
      const matches = await speakAbout(
        file,
        ({ source, certainty }) => source === "private-key" && certainty === "certain",
      );
      return matches.map(({ startLine, line }) => ({ startLine, line }));
    },
  },
  {
    id: "hardcoded-credential",
    title: "Credential is written into the repository",
    confidence: 0.7,
    why: "Everyone who can read the repository, its forks or its history can use it.",
    fix: "Read it from the environment or a secret store, and replace it, since the history keeps it.",
    check: async (file) => {
      const inCode = !isConfig(file);
      return speakAbout(file, ({ source, certainty, value, startLine }) => {
        if (certainty !== "likely" || source === "url" || isPublicKey(value, linesAround(file, startLine)))
          return false;
        if (SHORT_NUMBER.test(value)) return false;
        return !inCode || ((GENERATED.test(value) || ISSUED.test(value)) && !CONSTANT_NAME.test(value));
      });
    },
  },
  {
    id: "credential-in-url",
    title: "URL carries a password",
    confidence: 0.7,
    why: "URLs end up in logs, shell histories and error messages, and the password with them.",
    fix: "Pass user and password separately, from the environment or a secret store, and change this password.",
    check: (file) => speakAbout(file, ({ source, certainty }) => source === "url" && certainty === "likely"),
  },
  {
    id: "private-file-committed",
    title: "File that is kept private is committed",
    confidence: 0.6,
    why: "Files of this name hold keys, passwords or state with secrets in it, and history keeps them.",
    fix: "Remove the file, add its name to `.gitignore`, and replace what it held.",
    check: (file) => {
      const first = addedLines(file)[0];
      if (first === undefined || file.diff.status !== "added") return [];
      if (KEPT_PRIVATE.test(file.facts.path)) return [matchAt(first.line)];
      if (!ENVIRONMENT.test(file.facts.path)) return [];
      const telling = addedLines(file).find(({ text }) =>
        /^(?:export )?[A-Z_]*(?:SECRET|TOKEN|PASSWORD|API_?KEY)[A-Z_]*=["']?[^\s"'$<]{6}/.test(text.slice(0, 200)),
      );
      return telling === undefined ? [] : [matchAt(telling.line)];
    },
  },
]);

// Keys that everyone may see: a browser or an app needs them, and they have few rights.

/** Lines before and after a key that say what it is for. */
const NEAR = 6;

/**
 * @param line 1-based line of the head file on which a key begins
 * @returns `own`: this line and the one above it; `near`: all lines around it
 */
function linesAround(file: InspectedFile, line: number) {
  const near = knownLines(file).filter((known) => Math.abs(known.line - line) <= NEAR);
  const textOf = (from: number, to: number) =>
    near.flatMap((known) => (known.line >= from && known.line <= to ? [known.text] : [])).join("\n");
  return { own: textOf(line - 1, line), near: textOf(line - NEAR, line + NEAR) };
}

/** Stripe's publishable keys. Source: docs.stripe.com/keys. */
const PUBLISHABLE = /^pk_(?:live|test)_/;
/** Firebase says that its web keys are public: firebase.google.com/docs/projects/api-keys. */
const FIREBASE_KEY = /^AIza[\w-]{35}$/;
const FIREBASE = /firebase/i;
/** Search keys of Algolia and DocSearch: algolia.com/doc/guides/security/api-keys. */
const ALGOLIA_KEY = /^[0-9a-f]{32}$/;
const ALGOLIA = /algolia|docsearch/i;
/** An admin key of Algolia has the same shape as a search key. */
const ADMIN = /admin|write/i;
/** Names whose values build tools put into what every visitor loads. */
const PUBLIC_NAME =
  /(?:NEXT_PUBLIC|EXPO_PUBLIC|VITE|REACT_APP|NUXT_PUBLIC|GATSBY)_\w{0,80}KEY|publishable_?key|public_?(?:api_?)?key|anon_?key|site_?key|search_?(?:only_?)?(?:api_?)?key/i;
const SAID_PUBLIC =
  /(?:\/\/|#|\/?\*|<!--|--\s).{0,200}\b(?:public|publishable|search[- ]only|not (?:a )?secret|no secret|safe to (?:commit|expose|publish|share))\b/i;

/** Whether a key of a published format is one that everyone may see. */
function isPublicFormat(value: string, { near }: ReturnType<typeof linesAround>): boolean {
  return PUBLISHABLE.test(value) || (FIREBASE_KEY.test(value) && FIREBASE.test(near));
}

/** Whether a value called a key is for everyone to see: by its shape, its name or a comment. */
function isPublicKey(value: string, place: ReturnType<typeof linesAround>): boolean {
  return (
    isPublicFormat(value, place) ||
    PUBLIC_NAME.test(place.own) ||
    SAID_PUBLIC.test(place.own) ||
    (ALGOLIA_KEY.test(value) && ALGOLIA.test(place.near) && !ADMIN.test(place.own))
  );
}
