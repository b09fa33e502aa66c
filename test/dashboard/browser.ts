// A real Chromium without anybody's profile. It is a Debian package, not one of ours, so it may be
// missing.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";

const PATHS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const ARGUMENTS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/** Null where there is none. */
export function chromiumPath(): string | null {
  return PATHS.find((path) => path !== undefined && path !== "" && existsSync(path)) ?? null;
}

/** A new browser with a profile of its own. */
export async function openBrowser(): Promise<{ readonly context: BrowserContext; close(): Promise<void> }> {
  const executablePath = chromiumPath();
  if (executablePath === null) throw new Error("there is no Chromium here; set CHROMIUM to one");
  const profile = mkdtempSync(join(tmpdir(), "kodiai-chromium-"));
  const context = await chromium.launchPersistentContext(profile, { executablePath, headless: true, args: ARGUMENTS });
  return {
    context,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
