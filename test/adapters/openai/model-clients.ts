// Models that answer over OpenAI's chat completions from a fake server.
import { COMPLETIONS } from "../../../src/adapters/model/openai/completions.ts";
import { type ServedModelSettings, servedModel } from "../../../src/adapters/model/served-model.ts";
import type { Model } from "../../../src/ports/model.ts";
import { settingsFor } from "../anthropic/model-clients.ts";

export const NAMES = { main: "gpt-6.1-sol", small: "gpt-6-luna" };

/** @param url of the fake server, without a path */
export function modelFor(url: string, more: Partial<ServedModelSettings> = {}): Model {
  return servedModel(COMPLETIONS, settingsFor(`${url}/v1`, { names: NAMES, structuredOutput: "auto", ...more }));
}

/** OpenAI's own address, answered by the fake. */
export function ownServer(url: string): Partial<ServedModelSettings> {
  return {
    baseUrl: null,
    fetch: (address, init) =>
      globalThis.fetch(address.replace("https://api.openai.com", url), init) as ReturnType<
        ServedModelSettings["fetch"]
      >,
  };
}
