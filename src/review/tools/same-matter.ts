// Joins claims of several tools, and of our rules, about the same matter at the same place into one finding.
import { type Finding, SEVERITIES } from "../../domain/finding.ts";
import { ofTool } from "../../domain/tool-result.ts";

/** A finding with the words by which its matter is recognised. */
export interface Claim {
  readonly finding: Finding;
  /** CWEs and tags of the tool's rule; empty for ours. */
  readonly tags: readonly string[];
}

/** Matters that many tools look for, by the words of a rule, a title or a CWE. A claim may be about several. */
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
  /(?:discarded|unchecked|unhandled).?err|errcheck|\bg104\b|cwe-0*703\b/i,
];

const ALSO = "Also reported by";
/** Further claims that a finding names. */
const MOST_NAMED = 5;

/**
 * One finding for each matter at a place. Our own text is kept where we have one, else the text with a suggestion, else the longest;
 * it names the others, and is as severe as the most severe of them.
 *
 * @param claims ours first; of several tools in any order
 * @returns findings in the order of the first claim of each
 */
export function joinedClaims(claims: readonly Claim[]): readonly Finding[] {
  const groups: Read[][] = [];
  const byPath = new Map<string, Read[][]>();
  for (const claim of claims) {
    const { path } = claim.finding;
    const known = byPath.get(path) ?? [];
    byPath.set(path, known);
    const read = { ...claim, matters: mattersOf(claim), words: wordsOf(claim.finding.title) };
    // Our own rules know of each other.
    const isOurs = ofTool(claim.finding.rule) === null;
    const group = isOurs ? undefined : known.find(([first]) => first !== undefined && isSame(first, read));
    if (group !== undefined) group.push(read);
    else {
      const own = [read];
      groups.push(own);
      known.push(own);
    }
  }
  return groups.map((members) => joined(members.map(({ finding }) => finding)));
}

interface Read extends Claim {
  readonly matters: readonly number[];
  readonly words: ReadonlySet<string>;
}

function mattersOf({ finding, tags }: Claim): readonly number[] {
  const said = [finding.rule ?? "", finding.title, ...tags].join("\n");
  return MATTERS.flatMap((words, at) => (words.test(said) ? [at] : []));
}

function wordsOf(title: string): ReadonlySet<string> {
  return new Set(title.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []);
}

/** Share of words that two titles about the same matter have in common. */
const ALIKE = 0.6;

function isSame(one: Read, other: Read): boolean {
  const [a, b] = [one.finding, other.finding];
  if (a.side !== b.side || a.startLine > b.line || b.startLine > a.line) return false;
  // One rule reports each name of a line by itself.
  if (a.rule === b.rule) return a.title === b.title && a.startLine === b.startLine && a.line === b.line;
  if (one.matters.some((matter) => other.matters.includes(matter))) return true;
  const [own, others] = [ofTool(a.rule), ofTool(b.rule)];
  if (own !== null && others !== null && own.tool === others.tool) return false;
  if (own !== null && own.rule === others?.rule && own.rule !== "unnamed") return true;
  const shared = [...one.words].filter((word) => other.words.has(word)).length;
  return shared >= 2 && shared / Math.max(one.words.size, other.words.size) >= ALIKE;
}

function joined(findings: readonly Finding[]): Finding {
  const [first] = findings;
  const best = findings.toSorted((a, b) => weight(b) - weight(a) || b.body.length - a.body.length)[0] ?? first;
  if (best === undefined) throw new Error("a group without a finding");
  const others = [...new Set(findings.flatMap(({ rule }) => (rule === null || rule === best.rule ? [] : [rule])))];
  if (others.length === 0) return best;
  const severity = SEVERITIES.find((one) => findings.some((finding) => finding.severity === one)) ?? best.severity;
  const named = others.slice(0, MOST_NAMED).map((rule) => `\`${ruleWords(rule)}\``);
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : "";
  return { ...best, severity, body: `${best.body}\n\n${ALSO} ${named.join(", ")}${more}.` };
}

function weight(finding: Finding): number {
  return ofTool(finding.rule) === null ? 2 : Number(finding.suggestion !== null);
}

/** `semgrep: python.lang.security.exec`; the id alone for a rule of ours. */
export function ruleWords(rule: string): string {
  const of = ofTool(rule);
  return of === null ? rule : `${of.tool}: ${of.rule.replaceAll("`", "'")}`;
}
