/** Starts the program with Node's compile cache: most of a start is compiling. */
import * as fs from "node:fs"
import * as module from "node:module"
import * as os from "node:os"
import * as path from "node:path"

// Only the owner may read the files of this process: the cache, the log and everything else.
process.umask(0o077)

/** Beside the program, or where that is read-only, as in the image, among the user's caches. */
const caches = [
  path.join(import.meta.dirname, "../node_modules/.cache/inferlog"),
  path.join(process.env["XDG_CACHE_HOME"] || path.join(os.homedir(), ".cache"), "inferlog")
]

/** Node runs what the cache holds, so a folder of another user is not taken. */
const isOwn = (folder: string): boolean => {
  try {
    fs.mkdirSync(folder, { recursive: true })
    fs.accessSync(folder, fs.constants.W_OK)
    return process.getuid === undefined || fs.statSync(folder).uid === process.getuid()
  } catch {
    return false
  }
}

// Set in the environment, so that threads use the cache too.
const cache = process.env["NODE_COMPILE_CACHE"] ?? caches.find(isOwn)
if (cache !== undefined) {
  process.env["NODE_COMPILE_CACHE"] = cache
  module.enableCompileCache(cache)
}

await import("./cli/Process.ts")
