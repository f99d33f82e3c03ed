#!/usr/bin/env node
/**
 * Starts the program with what Node has compiled of it before: most of a start is compiling. The cache lies with the
 * packages, for whoever may write there decides what runs anyway; where it cannot be written there is none.
 */
import * as module from "node:module"
import * as path from "node:path"
import * as Resolution from "#src/kernel/program/Resolution.ts"

// What the cache holds, and what a command writes, the log and its keys' hashes among them, is for its owner alone.
process.umask(0o077)

// In the environment, so that the program's threads find it too.
process.env["NODE_COMPILE_CACHE"] ??= path.join(import.meta.dirname, "../node_modules/.cache/inferlog")
module.enableCompileCache(process.env["NODE_COMPILE_CACHE"])
module.registerHooks({ resolve: Resolution.make() })

await import("./cli/Process.ts")
