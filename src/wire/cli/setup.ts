// Wires `kodiai setup` to GitHub, to its browser page, and to the import of past reviews.
import { readFile } from "node:fs/promises";
import { convertManifest, pastOf, registeredApp, setWebhook } from "../../adapters/github/app-registration.ts";
import { voyagePrice } from "../../adapters/voyage/client.ts";
import { doctor } from "../../cli/doctor.ts";
import { importPast } from "../../cli/import-history.ts";
import type { SetupVerbPorts } from "../../cli/setup.ts";
import { appDescription } from "../../config/app-manifest.ts";
import { readEmbeddings } from "../../config/read-embeddings.ts";
import { setVariables } from "../../config/shown-variables.ts";
import { startSetupServer } from "../../server/setup-server.ts";
import { githubFetch } from "../egress.ts";
import { registerSecrets } from "../secrets.ts";
import { historyVerbPorts } from "./memory.ts";

/** Part of the package: three folders up, in the source and in the build. */
const APP_YML = new URL("../../../app.yml", import.meta.url);

/** Ports of `kodiai setup`. `apiUrl` is always the base URL of GitHub's REST API. */
export async function setupVerbPorts(): Promise<SetupVerbPorts> {
  return {
    description: appDescription(await readFile(APP_YML, "utf8")),
    page: startSetupServer,
    convert: async (code, apiUrl) => {
      const app = await convertManifest(code, apiUrl, githubFetch(apiUrl));
      registerSecrets(app.privateKey);
      registerSecrets(app.webhookSecret, app.clientSecret);
      return app;
    },
    app: (credentials, apiUrl) => {
      registerSecrets(credentials.privateKey);
      return registeredApp(credentials, apiUrl, githubFetch(apiUrl));
    },
    setWebhook: (credentials, hook, apiUrl) => setWebhook(credentials, hook, apiUrl, githubFetch(apiUrl)),
    past: (credentials, named, apiUrl) => pastOf(credentials, named, apiUrl, githubFetch(apiUrl)),
    importPast: ({ token, host, apiUrl, ...named }) =>
      importPast(
        [`${named.owner}/${named.name}`, "--data-dir", named.dataDir],
        (words) => historyVerbPorts({ ...words, host, token, apiUrl }),
        () => token,
      ),
    // Setup has already set the variables of the file that it wrote.
    doctor: (words) => doctor(words, () => null),
    usdPerMillionTokens: () => {
      const read = readEmbeddings(setVariables(process.env));
      return "embeddings" in read && read.embeddings.kind === "voyage" ? voyagePrice(read.embeddings.model) : 0;
    },
  };
}
