/** The entry of the projections' thread. It resolves modules as `main.ts` does. */
import * as module from "node:module"
import * as Resolution from "#src/kernel/program/Resolution.ts"

module.registerHooks({ resolve: Resolution.make() })

await import("#projections/worker.ts")
