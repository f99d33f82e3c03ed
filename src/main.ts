/** Starts the program with Node's compile cache in `node_modules`, if writable: most of a start is compiling. */
import * as module from "node:module"
import * as path from "node:path"

// Only the owner may read the files of this process: the cache, the log and everything else.
process.umask(0o077)

// Set in the environment, so that threads use the cache too.
process.env["NODE_COMPILE_CACHE"] ??= path.join(import.meta.dirname, "../node_modules/.cache/inferlog")
module.enableCompileCache(process.env["NODE_COMPILE_CACHE"])

await import("./cli/Process.ts")
