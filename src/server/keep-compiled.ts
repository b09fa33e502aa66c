// Compiled code is kept between runs: half of the processor time of a short one goes into compiling what has not changed.
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Keeps compiled code in the user's own cache folder. Node's default is the machine's folder for temporary files, where
 * others could put code for us to run. Where the folder cannot be written, or NODE_COMPILE_CACHE names another, nothing changes.
 */
export function keepCompiled(): void {
  enableCompileCache(join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "kodiai", "compiled"));
}
