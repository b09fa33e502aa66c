// Caches compiled code: a short run spends half of its processor time on compiling.
import module from "node:module";
import { join } from "node:path";
import { userFolder } from "../environment/user-folder.ts";

/**
 * In the user's own cache folder: in Node's default, the shared temporary folder, other users could
 * plant code. Does nothing without such a folder, or when NODE_COMPILE_CACHE names another.
 */
export function keepCompiled(): void {
  const cache = userFolder("XDG_CACHE_HOME", ".cache");
  if (cache !== null) module.enableCompileCache(join(cache, "compiled"));
}
