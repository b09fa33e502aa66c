// The App's manifest as GitHub would take it: app.yml at the root of the project.
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";

const Manifest = z.object({
  name: z.string(),
  description: z.string(),
  public: z.boolean(),
  hook_attributes: z.object({ url: z.url(), active: z.boolean().optional() }),
  default_events: z.array(z.string()),
  default_permissions: z.record(z.string(), z.enum(["read", "write"])),
});

export interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly public: boolean;
  readonly events: readonly string[];
  /** Permission → level; write includes read. */
  readonly permissions: Readonly<Record<string, "read" | "write">>;
}

/** Reads app.yml; throws when GitHub would not take it. */
export function readManifest(file: URL = new URL("../../../app.yml", import.meta.url)): Manifest {
  const read = Manifest.parse(parse(readFileSync(file, "utf8")));
  return {
    name: read.name,
    description: read.description,
    public: read.public,
    events: read.default_events,
    permissions: read.default_permissions,
  };
}
