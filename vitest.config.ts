import * as path from "node:path"
import { defineConfig } from "vitest/config"

/** They hold times against limits: nothing else is to run beside them. */
const alone = [
  "test/bench/**/*.test.ts",
  "test/src/webhook-delivery/{BadReceivers,DeadReceivers}.test.ts",
  "test/src/{GracefulStop,NoStarvation}.test.ts",
  "test/src/outbound/OutboundLoad.test.ts",
  "test/src/upload-flows/StopInUpload.test.ts"
]

/** They wait for servers of their own more than they work: three of them are no load, and many more would be. */
const waiting = [
  "test/src/cluster/**/*.test.ts",
  "test/src/several-nodes/**/*.test.ts",
  "test/streams/nats/**/*.test.ts"
]

/** Values in, values out: there is nothing that one file could leave behind for another one in its process. */
const pure = ["test/domain/**/*.test.ts"]

const common = {
  pool: "forks",
  // What was compiled before, as `src/main.ts` has it. Without it each thread that a test starts would strip its types with
  // WebAssembly, and V8 crashes now and then where that is loaded and freed in many threads (nodejs/node#64500).
  env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, "node_modules/.cache/inferlog") },
  testTimeout: 30_000,
  hookTimeout: 60_000
}

const project = (
  name: string,
  groupOrder: number,
  options: {
    readonly include: Array<string>
    readonly exclude?: Array<string>
    readonly maxWorkers: number
    readonly isolate?: boolean
    readonly globalSetup?: string
  }
) => ({ test: { ...common, ...options, name, sequence: { groupOrder } } })

export default defineConfig({
  test: {
    projects: [
      project("alone", 0, { include: alone, maxWorkers: 1 }),
      project("waiting", 1, { include: waiting, maxWorkers: 3 }),
      project("pure", 2, { include: pure, maxWorkers: 2, isolate: false }),
      project("beside", 3, {
        include: ["test/**/*.test.ts"],
        exclude: [...alone, ...waiting, ...pure],
        maxWorkers: 2,
        globalSetup: "test/support/servers/SharedS3.ts"
      })
    ]
  }
})
