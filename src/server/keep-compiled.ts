// Caches compiled code between runs: half of the processor time of a short run would go into compiling unchanged code.
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Caches compiled code in the user's own cache folder. Node's default is the shared temporary folder, where other users could plant
 * code. Does nothing when the folder is not writable, when there is none, or when NODE_COMPILE_CACHE names another.
 */
export function keepCompiled(): void {
  try {
    module.enableCompileCache(join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "kodiai", "compiled"));
  } catch {
    // A user without HOME and without an entry in the system's list, as in a container with a number for its user.
  }
}
