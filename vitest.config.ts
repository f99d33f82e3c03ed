import { defineConfig } from "vitest/config"

/** They start processes and servers of their own, or hold times against limits: nothing else is to run beside them. */
const alone = [
  "test/bench/**/*.test.ts",
  "test/src/several-nodes/**/*.test.ts",
  "test/src/cluster/**/*.test.ts",
  "test/src/webhook-delivery/**/*.test.ts",
  "test/src/{GracefulStop,KillAndRestart,LogTakenAway,NoStarvation}.test.ts",
  "test/src/outbound/OutboundLoad.test.ts",
  "test/streams/nats/**/*.test.ts"
]

const common = {
  pool: "forks",
  // V8's baseline compiler crashes workers of large suites now and then, a different file each time (nodejs/node#62393).
  execArgv: ["--no-sparkplug"],
  testTimeout: 30_000,
  hookTimeout: 60_000
}

export default defineConfig({
  test: {
    projects: [
      { test: { ...common, name: "alone", include: alone, maxWorkers: 1, sequence: { groupOrder: 0 } } },
      {
        test: {
          ...common,
          name: "beside",
          include: ["test/**/*.test.ts"],
          exclude: alone,
          maxWorkers: 2,
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
})
