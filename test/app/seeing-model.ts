// A model that sees planted defects wherever their line is shown to it, and finds other words for
// them each time, as models do.
import { says } from "../fakes/anthropic/replies.ts";
import { type FakeAnthropic, type ModelCall, startAnthropic } from "../fakes/anthropic/server.ts";
import type { Asked } from "./flow-harness.ts";

export interface Defect {
  /** A line of code that it is about. */
  readonly line: RegExp;
  readonly category: string;
  readonly severity: string;
  /** Title and body, in turn. */
  readonly words: readonly (readonly [title: string, body: string])[];
}

/** A model that answers in this process. */
export interface SeeingScript {
  readonly script: (asked: Pick<Asked, "tier" | "prompt">) => unknown;
  /** Defects that it overlooks from now on. */
  readonly blind: Set<Defect>;
}

export interface SeeingModel extends Pick<SeeingScript, "blind"> {
  readonly anthropic: FakeAnthropic;
  /** For the app. */
  readonly choice: {
    readonly apiKey: string;
    readonly baseUrl: string;
    readonly names: { readonly main: string; readonly small: string };
    readonly structuredOutput: "on";
    readonly temperature: null;
    readonly contextTokens: null;
  };
  /** What it was shown to read, oldest first. */
  prompts(): readonly string[];
}

const NAMES = { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" };

export function seeingScript(defects: readonly Defect[]): SeeingScript {
  const blind = new Set<Defect>();
  const reported = new Map<Defect, number>();
  const severities = new Map<string, string>();
  const see = (prompt: string) => {
    const rows = prompt.split("\n");
    const findings = defects.flatMap((defect) => (blind.has(defect) ? [] : seen(defect, rows, reported)));
    for (const { title, severity } of findings) severities.set(title, severity);
    return { findings, ruleFindings: [], walkthrough: "Changes the shop." };
  };
  const confirm = (prompt: string) => {
    const asked = [...prompt.matchAll(/^\[(fnd_\w+)\](.*)$/gm)];
    const severityOf = (text: string) => [...severities].find(([title]) => text.includes(title))?.[1] ?? "major";
    return {
      findings: asked.map(([, id, text = ""]) => {
        return { id, verdict: "holds", severity: severityOf(text), confidence: 0.9, reason: "It is so." };
      }),
    };
  };
  return { blind, script: ({ tier, prompt }) => (tier === "main" ? see(prompt) : confirm(prompt)) };
}

/** The same behind a server on loopback. */
export async function seeingModel(defects: readonly Defect[]): Promise<SeeingModel> {
  const { blind, script } = seeingScript(defects);
  const tierOf = ({ body }: ModelCall) => (body.model === NAMES.main ? "main" : "small");
  const anthropic = await startAnthropic({
    replies: (call) => says(script({ tier: tierOf(call), prompt: call.prompt })),
  });
  const choice = { apiKey: "sk-ant-0123456789abcdef", baseUrl: anthropic.url, names: NAMES } as const;
  return {
    anthropic,
    choice: { ...choice, structuredOutput: "on", temperature: null, contextTokens: null },
    blind,
    prompts: () => anthropic.requests.filter(({ body }) => body.model === NAMES.main).map(({ prompt }) => prompt),
  };
}

function seen(defect: Defect, rows: readonly string[], reported: Map<Defect, number>) {
  const places = rows.flatMap((row, at) => (/^\d+#[0-9a-f]{4}:\+/.test(row) && defect.line.test(row) ? [at] : []));
  return places.map((at) => {
    const count = reported.get(defect) ?? 0;
    reported.set(defect, count + 1);
    const [title, body] = defect.words[count % defect.words.length] ?? ["", ""];
    const path = rows.slice(0, at).findLast((row) => row.startsWith("### FILE "));
    const quoted = rows.slice(at, at + (count % 2 === 0 ? 2 : 1));
    return {
      path: /^### FILE (\S+)/.exec(path ?? "")?.[1] ?? "",
      anchor: rows[at]?.split(":")[0] ?? "",
      endAnchor: null,
      quote: quoted.map((row) => row.replace(/^[^:]*:[+ ]/, "")).join("\n"),
      severity: defect.severity,
      category: defect.category,
      title,
      body,
      true: 0.9,
      wanted: 1,
      suggestion: null,
      precedents: [],
    };
  });
}
