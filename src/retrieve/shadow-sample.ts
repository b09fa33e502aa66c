// A few skips are searched all the same, to learn whether skipping lost anything.
import { createHash } from "node:crypto";
import { repoKey } from "../domain/memory.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";

/** The part of skips that is checked. */
export const SHADOW_SHARE = 0.05;

/** True for `share` (0–1) of all keys, always the same ones. */
export function inShadowSample(key: string, share: number = SHADOW_SHARE): boolean {
  const hash = createHash("sha256").update(`shadow\n${key}`).digest();
  return hash.readUInt32BE(0) < share * 2 ** 32;
}

/** One head of one pull request. */
export function sampleKey({ repo, pull }: PullRequestContext): string {
  return `${repoKey(repo)}#${pull.number}@${pull.head.sha}`;
}
