import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Kodiai's folder in one of the user's: the XDG base directory of `variable`, else `inHome` in the
 * home folder. As the standard says, a variable that is empty or a relative path counts as unset:
 * it would name a folder of the repository at hand.
 *
 * @param inHome names below the home folder
 * @returns an absolute path; null for a user without a home folder
 */
export function userFolder(variable: string, ...inHome: readonly string[]): string | null {
  const named = process.env[variable] ?? "";
  if (isAbsolute(named)) return join(named, "kodiai");
  const home = homeFolder();
  return isAbsolute(home) ? join(home, ...inHome, "kodiai") : null;
}

/** Empty for a user whom the system does not know, as in a container with a number for its user. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return "";
  }
}
