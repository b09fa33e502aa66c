// SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0) as results in changed files. Untrusted:
// checks each member when it is read, follows no depth, counts every cut.
import type { Degraded } from "../../domain/omissions.ts";
import { counted } from "../../domain/text/counted.ts";
import {
  joinedReports,
  judged,
  NO_REPORT,
  TOOL_RESULTS,
  type ToolRegion,
  type ToolReport,
  type ToolResult,
  toolName,
  toolTexts,
} from "../../domain/tool-result.ts";
import { artifactPath, type changedPaths } from "./artifact-path.ts";
import { countOf, isMapping, listOf, member, placeOfError, textOf } from "./json-value.ts";

/** GitHub takes as many runs of a file, and results of a run: "SARIF support for code scanning". */
const MOST_RUNS = 20;
const MOST_RESULTS = 25_000;
/** Most results have one place; the standard lists several where each must be fixed. */
const MOST_LOCATIONS = 10;

/** The file is not what it should be: where, and how to fix it. */
export class SarifProblem extends Error {
  override readonly name = "SarifProblem";
}

/**
 * The results of a SARIF file in changed files.
 *
 * @throws SarifProblem when it is no SARIF 2.1.0
 */
export async function readSarif(text: string, pathOf: ReturnType<typeof changedPaths>): Promise<ToolReport> {
  const runs = runsOf(text);
  const read: ToolReport[] = [];
  for (const run of runs.slice(0, MOST_RUNS)) read.push(await readRun(run, pathOf));
  const over = runs.length - MOST_RUNS;
  const joined = joinedReports(read);
  if (over <= 0) return joined;
  const reason = `${counted(over, "run")} over the limit of ${MOST_RUNS}, not read`;
  return { ...joined, complete: [], degraded: [...joined.degraded, { part: TOOL_RESULTS, reason }] };
}

function runsOf(text: string): readonly unknown[] {
  if (text.trim() === "") throw new SarifProblem("it is empty; did the tool run, and write SARIF to it?");
  let log: unknown;
  try {
    log = JSON.parse(text);
  } catch {
    throw new SarifProblem(
      `${placeOfError(text)}: it is not JSON; let the tool write it again, and nothing else to it`,
    );
  }
  const version = member(log, "version");
  if (version !== "2.1.0") {
    const found = typeof version === "string" && /^[\d.a-z-]{1,20}$/i.test(version) ? version : "missing";
    throw new SarifProblem(`$.version: it is ${found}, not 2.1.0; let the tool write SARIF 2.1.0`);
  }
  const runs = member(log, "runs");
  if (!Array.isArray(runs)) throw new SarifProblem("$.runs: it is no list; SARIF has one run for each tool");
  for (const [at, run] of runs.slice(0, MOST_RUNS).entries()) {
    const where = `$.runs[${at}]`;
    if (textOf(run, "tool", "driver", "name") === "")
      throw new SarifProblem(`${where}.tool.driver.name: it is missing; SARIF names the tool of each run`);
    const results = member(run, "results") ?? [];
    if (!Array.isArray(results)) throw new SarifProblem(`${where}.results: it is no list`);
  }
  return runs;
}

async function readRun(run: unknown, pathOf: ReturnType<typeof changedPaths>): Promise<ToolReport> {
  const tool = toolName(textOf(run, "tool", "driver", "name"));
  const degraded: Degraded[] = [];
  const say = (count: number, what: string) => {
    if (count > 0) degraded.push({ part: TOOL_RESULTS, reason: `${tool}: ${counted(count, "result")} ${what}` });
  };
  if (tool === "kodiai") {
    const reason = "its own report was named: its results are found again, and were not read";
    return { ...NO_REPORT, degraded: [{ part: TOOL_RESULTS, reason }] };
  }
  const rules = rulesOf(run);
  const all = listOf(run, "results");
  const results: ToolResult[] = [];
  const lost: Lost = { invalid: 0, nowhere: 0, ambiguous: 0, places: 0 };
  for (const one of all.slice(0, MOST_RESULTS)) {
    if (!isMapping(one)) lost.invalid += 1;
    else if (isNewFailure(one))
      for (const at of await placesIn(one, run, pathOf, lost)) results.push(resultOf(tool, at, one, run, rules(one)));
  }
  say(all.length - MOST_RESULTS, `over the limit of ${MOST_RESULTS.toLocaleString("en")}, not read`);
  say(lost.invalid, "not read: no JSON object");
  say(lost.nowhere, "without a file");
  say(lost.places, `with more than ${MOST_LOCATIONS} places, of which the first were read`);
  say(lost.ambiguous, "in a file that several changed files may be; let the tool write paths from the root");
  if (member(run, "externalPropertyFileReferences", "results") !== undefined)
    degraded.push({ part: TOOL_RESULTS, reason: `${tool}: results in other files, not read; let it write one file` });
  const failed = listOf(run, "invocations").some((one) => member(one, "executionSuccessful") === false);
  if (failed) degraded.push({ part: TOOL_RESULTS, reason: `${tool} says that its run failed: results may be missing` });
  // A run without results did not look for any.
  const isComplete = degraded.length === 0 && Array.isArray(member(run, "results"));
  return { results, ran: [tool], complete: isComplete ? [tool] : [], degraded };
}

/** What is counted of results that are not read. */
interface Lost {
  invalid: number;
  nowhere: number;
  ambiguous: number;
  places: number;
}

/** Those of the first places that are in changed files. */
async function placesIn(result: unknown, run: unknown, pathOf: ReturnType<typeof changedPaths>, lost: Lost) {
  const locations = listOf(result, "locations");
  const places = locations.slice(0, MOST_LOCATIONS).map((location) => member(location, "physicalLocation"));
  const addressed = places.map((place) => ({ place, address: artifactPath(member(place, "artifactLocation"), run) }));
  if (addressed.every(({ address }) => address === "")) lost.nowhere += 1;
  if (locations.length > MOST_LOCATIONS) lost.places += 1;
  const found: { readonly path: string; readonly place: unknown }[] = [];
  for (const { place, address } of addressed) {
    const path = await pathOf(address);
    if (path === "several") lost.ambiguous += 1;
    else if (path !== null) found.push({ path, place });
  }
  return found;
}

/** Neither passed nor asked for a review, neither suppressed nor known from before. */
function isNewFailure(result: unknown): boolean {
  if (!["", "fail"].includes(textOf(result, "kind"))) return false;
  if (["unchanged", "absent"].includes(textOf(result, "baselineState"))) return false;
  return !listOf(result, "suppressions").some((one) => !["underReview", "rejected"].includes(textOf(one, "status")));
}

/** Gives the rule of a result, or undefined. Each component is indexed once. */
function rulesOf(run: unknown): (result: unknown) => unknown {
  const driver = member(run, "tool", "driver");
  const extensions = listOf(run, "tool", "extensions");
  const indexed = new Map<unknown, ReadonlyMap<string, unknown>>();
  const byId = (component: unknown) => {
    const known = indexed.get(component);
    if (known !== undefined) return known;
    const made = new Map(listOf(component, "rules").map((rule) => [textOf(rule, "id"), rule]));
    indexed.set(component, made);
    return made;
  };
  return (result) => {
    const component = componentOf(member(result, "rule", "toolComponent"), extensions) ?? driver;
    const index = countOf(0, result, "rule", "index") ?? countOf(0, result, "ruleIndex");
    const byIndex = index === null ? undefined : listOf(component, "rules")[index];
    const id = textOf(result, "ruleId") || textOf(result, "rule", "id");
    if (byIndex !== undefined && (id === "" || isOfRule(id, textOf(byIndex, "id")))) return byIndex;
    // `CA1000/1` is a case of the rule `CA1000`.
    const find = (one: unknown) => byId(one).get(id) ?? byId(one).get(id.replace(/\/[^/]*$/, ""));
    return id === "" ? undefined : (find(component) ?? extensions.slice(0, MOST_RUNS).map(find).find(Boolean));
  };
}

/** A reference names its component by index, guid or name; undefined for the driver. */
function componentOf(reference: unknown, extensions: readonly unknown[]): unknown {
  const at = countOf(0, reference, "index");
  if (at !== null) return extensions[at];
  const key = ["guid", "name"].find((one) => textOf(reference, one) !== "");
  return key && extensions.find((extension) => textOf(extension, key) === textOf(reference, key));
}

function isOfRule(id: string, rule: string): boolean {
  return id === rule || id.startsWith(`${rule}/`);
}

function resultOf(
  tool: string,
  { path, place }: { readonly path: string; readonly place: unknown },
  result: unknown,
  run: unknown,
  rule: unknown,
): ToolResult {
  const tags = [...tagsOf(rule), ...tagsOf(result)];
  const id = textOf(result, "ruleId") || textOf(result, "rule", "id") || textOf(rule, "id");
  const about = textOf(rule, "shortDescription", "text") || textOf(rule, "fullDescription", "text");
  const score = textOf(rule, "properties", "security-severity") || textOf(result, "properties", "security-severity");
  const precision = textOf(result, "properties", "precision") || textOf(rule, "properties", "precision");
  const level = textOf(result, "level") || textOf(rule, "defaultConfiguration", "level") || "warning";
  // Others count code points, which are fewer where a line has an emoji.
  const isUtf16 = textOf(run, "columnKind") !== "unicodeCodePoints";
  return {
    tool,
    path,
    region: placeOf(tool, member(place, "region"), isUtf16),
    ...toolTexts(messageOf(result, run, rule), about, id, tags),
    ...judged({ tool, level, securityScore: scoreOf(score), precision, tags }),
    fix: isUtf16 ? fixOf(result, place, run) : null,
  };
}

function tagsOf(of: unknown): readonly string[] {
  const tags = listOf(of, "properties", "tags").slice(0, 50);
  const weaknesses = listOf(of, "relationships").slice(0, 20);
  const cwes = weaknesses.map((weakness) => textOf(weakness, "target", "id").replace(/^(?=\d+$)/, "CWE-"));
  return [...tags, ...cwes].filter((tag) => typeof tag === "string" && tag !== "") as string[];
}

/** CVSS, 0–10; null without one. */
function scoreOf(text: string): number | null {
  const score = /^\d{1,2}(?:\.\d+)?$/.test(text) ? Number(text) : 11;
  return score <= 10 ? score : null;
}

/** Placeholders filled in, and links to other locations reduced to their words. */
function messageOf(result: unknown, run: unknown, rule: unknown): string {
  const id = textOf(result, "message", "id");
  const strings = member(rule, "messageStrings", id) ?? member(run, "tool", "driver", "globalMessageStrings", id);
  const own = textOf(result, "message", "text") || textOf(result, "message", "markdown");
  const text = (own || textOf(strings, "text") || textOf(strings, "markdown")).slice(0, MOST_MESSAGE);
  const given = listOf(result, "message", "arguments");
  const filled =
    given.length === 0 && own !== ""
      ? text
      : text.replace(/\{\{|\}\}|\{(\d{1,3})\}/g, (whole, at?: string) => {
          if (at === undefined) return whole.charAt(0);
          const word = given[Number(at)];
          return typeof word === "string" ? word.slice(0, MOST_ARGUMENT) : whole;
        });
  return filled.replace(/\[([^\][]{1,300})\]\(\d{1,5}\)/g, "$1");
}

/** UTF-16 units: far more than is shown, so that no message of megabytes is read whole. */
const MOST_MESSAGE = 20_000;
const MOST_ARGUMENT = 500;

/** Far more than any source file has, and so few that sums count exactly. */
const MOST_LINE = 1e9;

/** These end each place at column 1 of its last line, and mean all of that line. */
const WHOLE_LINE_TOOLS = new Set(["trivy"]);

function placeOf(tool: string, region: unknown, isUtf16: boolean): ToolRegion {
  if (!isMapping(region) || Object.keys(region).length === 0) return { kind: "file" };
  const read = regionOf(region, isUtf16);
  return read.kind === "lines" && WHOLE_LINE_TOOLS.has(tool) ? { ...read, endColumn: null } : read;
}

/** @param isUtf16 whether the run counts characters as we do; lines mean the same in any case */
function regionOf(region: unknown, isUtf16: boolean): ToolRegion {
  const startLine = countOf(1, region, "startLine");
  if (startLine !== null && startLine <= MOST_LINE) {
    const line = Math.min(MOST_LINE, Math.max(startLine, countOf(1, region, "endLine") ?? startLine));
    const [startColumn, endColumn] = [countOf(1, region, "startColumn"), countOf(1, region, "endColumn")];
    return { kind: "lines", startLine, line, startColumn, endColumn };
  }
  const from = countOf(0, region, "charOffset");
  if (from !== null && isUtf16)
    return { kind: "characters", from, to: from + Math.min(MOST_LINE, countOf(0, region, "charLength") ?? 0) };
  const text = textOf(region, "snippet", "text");
  return text.trim() === "" || text.length > MOST_MESSAGE ? { kind: "none" } : { kind: "text", text };
}

/** The one replacement of the one changed file, if that is the file of the place. */
function fixOf(result: unknown, place: unknown, run: unknown): ToolResult["fix"] {
  const [fix] = listOf(result, "fixes");
  const [change, ...others] = listOf(fix, "artifactChanges");
  const [replacement, ...more] = listOf(change, "replacements");
  if (replacement === undefined || others.length + more.length > 0) return null;
  const own = artifactPath(member(place, "artifactLocation"), run);
  if (artifactPath(member(change, "artifactLocation"), run) !== own) return null;
  const text = textOf(replacement, "insertedContent", "text");
  const region = regionOf(member(replacement, "deletedRegion"), true);
  return text.length > MOST_MESSAGE || region.kind !== "lines" ? null : { region, text };
}
