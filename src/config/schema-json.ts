// The configuration as JSON Schema, for editors that complete and check .kodiai.yml while it is written.
import { z } from "zod";
import { ConfigFile } from "./repo-config.ts";

/** Draft 7, which YAML language servers support best. An input schema: keys with defaults may be left out. */
export function configJsonSchema(): object {
  const { $schema, title, description, ...rest } = z.toJSONSchema(ConfigFile, { io: "input", target: "draft-7" });
  return { $schema, $id: "urn:kodiai:config:1", title, description, ...rest };
}
