// What of the Messages API a server takes: decided by its address and the operator, corrected by what it refuses.
import type { CallFailed, Feature } from "./call-failed.ts";
import { modelFacts } from "./model-facts.ts";
import type { Dialect } from "./request-body.ts";

export interface DialectSettings {
  readonly isAnthropic: boolean;
  /** `auto`: on for Anthropic, off for every other server. */
  readonly structuredOutput: "auto" | "on" | "off";
  readonly temperature: number | null;
}

export interface Dialects {
  of(model: string): Dialect;
  /** Leaves out for this model, from now on, what the server did not know. Whether that makes another try worth it. */
  learn(used: Dialect, failed: CallFailed): boolean;
}

const ALL: readonly Feature[] = ["format", "effort", "thinking", "cache"];

/** One for each server and process, because it remembers. */
export function newDialects(settings: DialectSettings): Dialects {
  const { isAnthropic, structuredOutput } = settings;
  // Who turns structured output on for another server says that Anthropic stands behind it.
  const isFull = isAnthropic || structuredOutput === "on";
  const formatted = structuredOutput === "on" || (structuredOutput === "auto" && isAnthropic);
  const refused = new Map<string, Set<Feature>>();

  const takes = (model: string) =>
    ALL.filter((feature) => (feature === "format" ? formatted : isFull) && !refused.get(model)?.has(feature));

  return {
    of: (model) => ({
      model,
      facts: modelFacts(model),
      takes: new Set(takes(model)),
      temperature: isAnthropic ? null : settings.temperature,
    }),
    learn(used, failed) {
      // `on` is an order: without it the request fails, and the operator learns why.
      const fixed: Feature | null = structuredOutput === "on" ? "format" : null;
      const dropped = failed.turn.unknown.filter((feature) => used.takes.has(feature) && feature !== fixed);
      refused.set(used.model, new Set([...(refused.get(used.model) ?? []), ...dropped]));
      return dropped.length > 0;
    },
  };
}
