// Which features of a protocol a server supports: decided by its address and the operator, corrected by its refusals.
import type { ModelError } from "./model-error.ts";
import { modelFacts } from "./model-facts.ts";
import type { Dialect, Feature } from "./protocol.ts";

interface CapabilitySettings {
  readonly isOwn: boolean;
  /** The features that this kind of server gets until it refuses them. */
  readonly features: readonly Feature[];
  /** `on`: structured output is never dropped. */
  readonly structuredOutput: "auto" | "on" | "off";
  readonly temperature: number | null;
}

interface ServerCapabilities {
  /** @param withTools whether the question offers look-ups: some servers support less with them */
  of(model: string, withTools: boolean): Dialect;
  /** Stops sending what the server refused. Returns whether that makes a retry worthwhile. */
  learn(used: Dialect, failed: ModelError): boolean;
  /** Refused features that a user would notice: `structured output`, `temperature`. */
  missing(used: Dialect): readonly string[];
}

/** One for each server and process, because it has state. */
export function serverCapabilities(settings: CapabilitySettings): ServerCapabilities {
  const refused = new Map<string, Set<Feature>>();
  const keyOf = (model: string, withTools: boolean) => `${withTools} ${model}`;
  const refusedBy = (used: Dialect) => keyOf(used.model, used.takes.has("tools"));
  // `on` is strict: without the feature the request fails, and the operator sees why.
  const fixed: Feature | null = settings.structuredOutput === "on" ? "format" : null;

  return {
    of(model, withTools) {
      const mayCall = withTools && !refused.get(keyOf(model, true))?.has("tools");
      const without = refused.get(keyOf(model, mayCall));
      const left = settings.features.filter((feature) => !without?.has(feature));
      const takes = new Set(
        left.filter((feature) => (feature === "json" ? !left.includes("format") : feature !== "tools" || mayCall)),
      );
      const temperature = takes.has("temperature") ? settings.temperature : null;
      return { model, facts: modelFacts(model), isOwn: settings.isOwn, takes, temperature };
    },
    learn(used, failed) {
      const named = failed.unknown.filter((feature) => used.takes.has(feature) && feature !== fixed);
      // If a server names tools with another feature, it refuses the combination.
      const others = named.filter((feature) => feature !== "tools");
      const dropped = others.length > 0 ? others : named;
      const key = refusedBy(used);
      refused.set(key, new Set([...(refused.get(key) ?? []), ...dropped]));
      return dropped.length > 0;
    },
    missing(used) {
      const without = refused.get(refusedBy(used));
      return MISSED.flatMap(([feature, words]) => (without?.has(feature) ? [words] : []));
    },
  };
}

const MISSED: readonly (readonly [Feature, string])[] = [
  ["format", "structured output"],
  ["temperature", "temperature"],
];
