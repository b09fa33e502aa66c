// What several tools, and our rules, say about one matter at one place is one finding.
import { atLeast, type Finding } from "../../domain/finding.ts";
import { paragraphs } from "../../domain/text/paragraphs.ts";
import { ofTool } from "../../domain/tool-result.ts";

/** Matters of many tools, by the words of a rule, a title or a CWE. A claim may have several. */
const MATTERS: readonly RegExp[] = [
  /sql.?(?:i\b|injection|from.?strings|format|concat)|cwe-0*89\b|hardcoded.?sql|\b[bs]608\b|\bg20[12]\b/i,
  /shell.?(?:injection|from.?strings|true)|shell=true|command.?(?:line.?)?injection|subprocess|child.?process|os.?system|cwe-0*(?:77|78)\b|\b[bs]60[2-7]\b|\bg204\b/i,
  /\beval\b|code.?injection|eval.?of.?input|cwe-0*9[45]\b|\b[bs]307\b|\bexec\b.?use/i,
  /secret|credential|hardcoded.?(?:password|token)|api.?key|private.?key|access.?token|cwe-0*(?:798|259|321)\b|\b[bs]10[567]\b|\bg101\b/i,
  /path.?(?:traversal|injection)|zip.?slip|tarfile|cwe-0*22\b|\bg30[45]\b|\b[bs]202\b/i,
  /\bxss\b|cross.?site.?scripting|unescaped.?html|innerhtml|dangerously.?set|cwe-0*79\b|\bg203\b/i,
  /open.?redirect|url.?redirect|cwe-0*601\b/i,
  /ssrf|server.?side.?request|request.?(?:chosen.?url|forgery)|cwe-0*918\b|\bg107\b/i,
  /deserial|pickle|yaml.?load|unsafe.?yaml|cwe-0*502\b|\b[bs](?:301|506)\b/i,
  /weak.?(?:password.?)?hash|\bmd5\b|\bsha-?1\b|cwe-0*(?:327|328|916)\b|\bg(?:40[15]|50[15])\b|\b[bs]324\b|weak.?cipher|\bdes\b|\brc4\b/i,
  /tls.?verify|cert(?:ificate)?.?valid|insecure.?skip.?verify|verify=false|cwe-0*295\b|\bg402\b|\b[bs]501\b/i,
  /insecure.?random|weak.?random|math.?random|cwe-0*(?:330|338)\b|\bg404\b|\b[bs]311\b/i,
  /jwt|cwe-0*347\b/i,
  /\bxxe\b|xml.?external|cwe-0*611\b/i,
  /temp.?file|mktemp|cwe-0*377\b|\b[bs]306\b/i,
  /debug.?(?:server|true)|flask.?debug|cwe-0*489\b|\b[bs]201\b/i,
  /template.?injection|\bssti\b|cwe-0*1336\b/i,
  /\bcors\b|cwe-0*942\b/i,
  /missing.?timeout|request.?without.?timeout|no.?timeout|\b[bs]113\b/i,
  /debugger/i,
];

/**
 * Matters that one line may have several times, each with another name: a claim about `a` is none
 * about `b`.
 */
const MATTERS_OF_NAMES: readonly RegExp[] = [
  /unused|never.used|not.used|\bf(?:401|841)\b/i,
  /eqeqeq|(?:double|triple|loose|strict).?equal/i,
  /(?:discarded|unchecked|unhandled|ignored).?err|errcheck|\bg104\b|cwe-0*703\b/i,
];

const ALSO = "Also reported by";
const MOST_NAMED = 5;

/**
 * One finding for each matter at a place. Its text is ours where we have one, else the one with a
 * suggestion, else the longest; it names the others, and is as severe as the most severe.
 *
 * @param claims ours first; of several tools in any order
 * @param codeAt the lines of a claim
 * @returns findings in the order of the first claim of each
 */
export function joinedClaims(claims: readonly Finding[], codeAt: (claim: Finding) => string): readonly Finding[] {
  const groups: Finding[][] = [];
  const byPath = new Map<string, Finding[][]>();
  for (const claim of claims) {
    const known = byPath.get(claim.path) ?? [];
    byPath.set(claim.path, known);
    // Our own rules know of each other.
    const isOurs = ofTool(claim.rule) === null;
    const group = isOurs ? undefined : known.find((said) => isSaid(said, claim, codeAt));
    if (group !== undefined) group.push(claim);
    else {
      const own = [claim];
      groups.push(own);
      known.push(own);
    }
  }
  return groups.map(joined);
}

/** One claim of a group may name nothing, so that a later one is compared with each. */
function isSaid(said: readonly Finding[], claim: Finding, codeAt: (claim: Finding) => string): boolean {
  if (!said.slice(0, 1).some((first) => isSame(first, claim))) return false;
  const variables = new Set(codeAt(claim).slice(0, MOST_CODE).match(VARIABLE) ?? []);
  return !said.some((one) => namesAnother(one, claim, variables));
}

/** UTF-16 units of code in which variables are looked for: generated lines may have megabytes. */
const MOST_CODE = 2_000;
/**
 * Neither called, nor looked into, nor set: what flows into a call, and not its parts or its
 * options.
 */
const VARIABLE =
  /(?<![\w$.])(?!(?:true|false|null|nil|none|undefined|self|this)\b)[A-Za-z_$][\w$]*(?![\w$])(?!\s*(?:[.([:]|=(?!=)))/gi;

/** What tells the matter of a claim, and what it is about. */
type Claim = Pick<Finding, "rule" | "title" | "body" | "alsoBy" | "tags">;

/** Of the tags of a tool's rule, those that tell its matter. */
export function mattersIn(tags: readonly string[]): readonly string[] {
  return tags.filter((tag) => [...MATTERS, ...MATTERS_OF_NAMES].some((words) => words.test(tag)));
}

/** The tools' rules that claim it, its own included. */
export function claimants({ rule, alsoBy = [] }: Pick<Finding, "rule" | "alsoBy">): readonly string[] {
  return rule === null || ofTool(rule) === null ? alsoBy : [rule, ...alsoBy];
}

/** With the rules and tags of another that says the same, and as severe as the more severe. */
export function withClaim(finding: Finding, other: Finding): Finding {
  const alsoBy = [...new Set([...claimants(finding), ...claimants(other)])].filter((rule) => rule !== finding.rule);
  const tags = [...new Set([...(finding.tags ?? []), ...(other.tags ?? [])])];
  const severity = atLeast(finding.severity, other.severity) ? finding.severity : other.severity;
  return {
    ...finding,
    severity,
    ...(alsoBy.length === 0 ? {} : { alsoBy }),
    ...(tags.length === 0 ? {} : { tags }),
  };
}

interface Read {
  readonly matters: readonly RegExp[];
  readonly words: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

/** Read once, since each is compared with many. */
const known = new WeakMap<Claim, Read>();

function read(claim: Claim): Read {
  const before = known.get(claim);
  if (before !== undefined) return before;
  const text = [claim.rule ?? "", claim.title, ...(claim.alsoBy ?? []), ...(claim.tags ?? [])].join("\n");
  const made = {
    matters: [...MATTERS, ...MATTERS_OF_NAMES].filter((words) => words.test(text)),
    words: new Set(claim.title.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []),
    names: namesIn(claim),
  };
  known.set(claim, made);
  return made;
}

const QUOTED = /`([^`]{1,80})`|(?<!\w)'([^']{1,80})'(?!\w)|"([^"]{1,80})"|[‘“]([^’”]{1,80})[’”]/g;
/**
 * As linters name it without quotes: "unused import os", "variable x is unused", "unused List
 * imported from typing".
 */
const UNQUOTED =
  /\b(?:import|variable|parameter|argument|function|func|method|class|type|const|constant|var|field|property|label|used):? (?!(?:is|are|was|in|from|that|which|of|but|parameter|declaration|statement|member)\b)([\w$.]+)|\bunused ([\w$.]+) imported\b/i;

/** The identifiers that the title quotes, else names; of ours, those that the text is about. */
function namesIn({ rule, title, body }: Claim): ReadonlySet<string> {
  const about = ofTool(rule) === null ? (/^This is about (.+?)(?: in `|\.\n|\.$)/.exec(body)?.[1] ?? "") : "";
  const quoted = [...title.matchAll(QUOTED)].flatMap((found) => found.slice(1)).join(" ");
  const named = quoted === "" ? (UNQUOTED.exec(title) ?? []).slice(1).join(" ") : quoted;
  return new Set(`${named} ${about}`.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []);
}

/**
 * Whether each of two claims has a name that the other has not: `os.path` and `os` are alike,
 * `typing.List` and `typing.Dict` not.
 *
 * @param variables those of the place: one tool may quote the call and another what it is given,
 * which are no two claims
 */
function namesAnother(a: Claim, b: Claim, variables: ReadonlySet<string>): boolean {
  const [one, other] = [read(a), read(b)];
  const isOfPlace = one.matters.some((matter) => MATTERS.includes(matter) && other.matters.includes(matter));
  const lacks = (names: ReadonlySet<string>, some: ReadonlySet<string>) =>
    [...some].some((name) => !names.has(name) && (!isOfPlace || variables.has(name)));
  return lacks(one.names, other.names) && lacks(other.names, one.names);
}

/** Share of words that two titles about the same matter have in common. */
const ALIKE = 0.6;

function isSame(a: Finding, b: Finding): boolean {
  if (a.side !== b.side || a.startLine > b.line || b.startLine > a.line) return false;
  // One rule reports each name of a line by itself.
  if (a.rule === b.rule) return a.title === b.title && a.startLine === b.startLine && a.line === b.line;
  return isSameClaim(a, b);
}

/** Whether two rules claim the same of one place: one of them at least is another tool's. */
export function isSameClaim(a: Claim, b: Claim): boolean {
  const [own, others] = [ofTool(a.rule), ofTool(b.rule)];
  if ((own === null && others === null) || namesAnother(a, b, new Set())) return false;
  const rules = claimants(b);
  if (claimants(a).some((rule) => rules.includes(rule))) return true;
  const [one, other] = [read(a), read(b)];
  if (one.matters.some((matter) => other.matters.includes(matter))) return true;
  if (own !== null && others !== null && own.tool === others.tool) return false;
  if (own !== null && others !== null && ownName(own.rule) === ownName(others.rule) && own.rule !== "unnamed")
    return true;
  const shared = [...one.words].filter((word) => other.words.has(word)).length;
  return shared >= 2 && shared / Math.max(one.words.size, other.words.size) >= ALIKE;
}

/** `no-eval` of `eslint(no-eval)`, as oxlint writes it, and of `lint/security/no-eval`. */
function ownName(rule: string): string {
  return rule.slice(Math.max(rule.lastIndexOf("/"), rule.lastIndexOf("(")) + 1).replace(/\)$/, "");
}

function joined(findings: readonly Finding[]): Finding {
  const best = findings.toSorted((a, b) => weight(b) - weight(a) || textLength(b) - textLength(a))[0];
  if (best === undefined) throw new Error("a group without a finding");
  const whole = findings.reduce(withClaim, best);
  const others = whole.alsoBy ?? [];
  if (others.length === 0) return whole;
  const named = others.slice(0, MOST_NAMED).map((rule) => `\`${ruleWords(rule)}\``);
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : "";
  return { ...whole, body: paragraphs(best.body, `${ALSO} ${named.join(", ")}${more}.`) };
}

function textLength({ title, body }: Finding): number {
  return title.length + body.length;
}

function weight(finding: Finding): number {
  return ofTool(finding.rule) === null ? 2 : Number(finding.suggestion !== null);
}

/** `semgrep: python.lang.security.exec`; the id alone for a rule of ours. */
export function ruleWords(rule: string): string {
  const of = ofTool(rule);
  return of === null ? rule : `${of.tool}: ${of.rule.replaceAll("`", "'")}`;
}
