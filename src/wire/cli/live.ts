// Wires `kodiai doctor --live`: the App's credentials, and a person's token.
import { liveGitHub } from "../../adapters/github/live/live-run.ts";
import { readServersEnv } from "../../cli/setup/server-folder.ts";
import { fileText, UsageError } from "../../cli/usage.ts";
import { readEnv } from "../../config/environment/env.ts";
import { privateKeyOf } from "../../server/private-key.ts";
import { githubFetch } from "../egress.ts";
import { registerSecrets, withoutSecrets } from "../secrets.ts";

/** @throws UsageError when the App's credentials or the token are missing */
export function liveVerbPorts(
  words: Pick<Parameters<typeof liveGitHub>[0], "owner" | "name" | "outsideLogin"> & {
    readonly dataDir: string | undefined;
    readonly tokenFile: string | undefined;
  },
): ReturnType<typeof liveGitHub> {
  const unread = readServersEnv(words.dataDir);
  if (unread !== null) process.stderr.write(`kodiai doctor: ${unread}\n`);
  if (process.env.APP_ID === undefined) throw new UsageError("--live needs the App's credentials, as the server does");
  const read = readEnv(process.env);
  if ("problems" in read) throw new UsageError(read.problems.join("; "));
  const { appId, githubApiUrl: apiUrl, githubHost: host } = read.env;
  const { tokenFile } = words;
  const token =
    (tokenFile === undefined ? process.env.GITHUB_TOKEN : fileText(tokenFile, "--token-file"))?.trim() ?? "";
  if (token === "") throw new UsageError("--live needs your own token, in GITHUB_TOKEN or --token-file");
  const privateKey = privateKeyOf(read.env);
  registerSecrets(token, privateKey);
  const { owner, name, outsideLogin } = words;
  const live = liveGitHub({
    ...{ credentials: { appId, privateKey }, token, apiUrl, host, owner, name, outsideLogin },
    fetchWith: (onRedirect) => githubFetch(apiUrl, undefined, onRedirect),
  });
  return { ...live, run: async (signal, onTrying) => withoutSecrets(await live.run(signal, onTrying)) };
}
