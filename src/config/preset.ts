// Named sets of defaults. A preset is weaker than any file: each value in a file overrides it.

/** Values by section, written as in a file; balanced is the schema's defaults. */
export const PRESETS = {
  quiet: { review: { profile: "quiet", maxComments: 3, debounceSeconds: 60 } },
  balanced: {},
  thorough: { review: { profile: "thorough", maxComments: 20 }, knowledge: { retrieval: { topK: 8 } } },
} as const satisfies Readonly<Record<string, object>>;
export type Preset = keyof typeof PRESETS;

export const PRESET_NAMES = ["quiet", "balanced", "thorough"] as const satisfies readonly Preset[];

/** The values of a preset by dotted key, `review.maxComments`; [] for balanced. */
export function presetValues(preset: Preset): readonly { readonly key: string; readonly value: unknown }[] {
  const leaves = (node: object, prefix: string): ReturnType<typeof presetValues> =>
    Object.entries(node).flatMap(([name, value]) =>
      typeof value === "object" ? leaves(value, `${prefix}${name}.`) : [{ key: `${prefix}${name}`, value }],
    );
  return leaves(PRESETS[preset], "");
}

/** For documents: "quiet: `review.profile` quiet, `review.maxComments` 3; …". */
export function presetsText(): string {
  return PRESET_NAMES.map((name) => {
    const values = presetValues(name).map(({ key, value }) => `${key} ${String(value)}`);
    return `${name}: ${values.length === 0 ? "the defaults" : values.join(", ")}`;
  }).join("; ");
}
