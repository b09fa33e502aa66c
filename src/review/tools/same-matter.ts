// What several tools, and our rules, say about one matter at one place is one finding.
import { atLeast, type Finding } from "../../domain/finding.ts";
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
  /unused|never.used|\bf(?:401|841)\b/i,
  /eqeqeq|double.?equals|triple.?equals/i,
  /(?:discarded|unchecked|unhandled).?err|errcheck|\bg104\b|cwe-0*703\b/i,
];

const ALSO = "Also reported by";
const MOST_NAMED = 5;

/**
 * One finding for each matter at a place. Its text is ours where we have one, else the one with a
 * suggestion, else the longest; it names the others, and is as severe as the most severe.
 *
 * @param claims ours first; of several tools in any order
 * @returns findings in the order of the first claim of each
 */
export function joinedClaims(claims: readonly Finding[]): readonly Finding[] {
  const groups: Finding[][] = [];
  const byPath = new Map<string, Finding[][]>();
  for (const claim of claims) {
    const known = byPath.get(claim.path) ?? [];
    byPath.set(claim.path, known);
    // Our own rules know of each other.
    const isOurs = ofTool(claim.rule) === null;
    const group = isOurs ? undefined : known.find(([first]) => first !== undefined && isSame(first, claim));
    if (group !== undefined) group.push(claim);
    else {
      const own = [claim];
      groups.push(own);
      known.push(own);
    }
  }
  return groups.map(joined);
}

type Claim = Pick<Finding, "rule" | "title" | "alsoBy" | "tags">;

/** Of the tags of a tool's rule, those that tell its matter. */
export function mattersIn(tags: readonly string[]): readonly string[] {
  return tags.filter((tag) => MATTERS.some((words) => words.test(tag)));
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
  readonly matters: readonly number[];
  readonly words: ReadonlySet<string>;
}

/** Read once, since each is compared with many. */
const known = new WeakMap<Claim, Read>();

function read(claim: Claim): Read {
  const before = known.get(claim);
  if (before !== undefined) return before;
  const text = [claim.rule ?? "", claim.title, ...(claim.alsoBy ?? []), ...(claim.tags ?? [])].join("\n");
  const made = {
    matters: MATTERS.flatMap((words, at) => (words.test(text) ? [at] : [])),
    words: new Set(claim.title.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []),
  };
  known.set(claim, made);
  return made;
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
  if (own === null && others === null) return false;
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
  const best = findings.toSorted((a, b) => weight(b) - weight(a) || b.body.length - a.body.length)[0];
  if (best === undefined) throw new Error("a group without a finding");
  const whole = findings.reduce(withClaim, best);
  const others = whole.alsoBy ?? [];
  if (others.length === 0) return whole;
  const named = others.slice(0, MOST_NAMED).map((rule) => `\`${ruleWords(rule)}\``);
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : "";
  return { ...whole, body: `${best.body}\n\n${ALSO} ${named.join(", ")}${more}.` };
}

function weight(finding: Finding): number {
  return ofTool(finding.rule) === null ? 2 : Number(finding.suggestion !== null);
}

/** `semgrep: python.lang.security.exec`; the id alone for a rule of ours. */
export function ruleWords(rule: string): string {
  const of = ofTool(rule);
  return of === null ? rule : `${of.tool}: ${of.rule.replaceAll("`", "'")}`;
}
