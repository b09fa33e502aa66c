// The gate's settings as people write them become settings with compiled patterns.
import type { GateSettings } from "../config/knowledge.ts";
import { userPattern } from "../config/user-pattern.ts";
import { GATE, type GateConfig, type GatePattern } from "./gate.ts";

/** Never throws: a pattern that cannot be compiled was refused when the file was read, and is left out here. */
export function gateConfig(settings: GateSettings): GateConfig {
  return {
    ...GATE,
    ...settings,
    skipPatterns: compiled(settings.skipPatterns),
    retrievePatterns: compiled(settings.retrievePatterns),
  };
}

function compiled(sources: readonly string[]): readonly GatePattern[] {
  return sources.map(userPattern).filter((pattern) => "matches" in pattern);
}
