// Caches compiled code between runs: half of the processor time of a short run would go into compiling unchanged code.
import module from "node:module";
import { join } from "node:path";
import { userFolder } from "../environment/user-folder.ts";

/**
 * Caches compiled code in the user's own cache folder. Node's default is the shared temporary folder, where other users could plant
 * code. Does nothing when the folder is not writable, when there is none, or when NODE_COMPILE_CACHE names another.
 */
export function keepCompiled(): void {
  const cache = userFolder("XDG_CACHE_HOME", ".cache");
  if (cache !== null) module.enableCompileCache(join(cache, "compiled"));
}
