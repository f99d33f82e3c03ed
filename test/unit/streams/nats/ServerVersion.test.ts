import { assert, describe, it } from "@effect/vitest"
import type { ServerInfo } from "@nats-io/transport-node"
import { Effect, Exit } from "effect"
import * as ServerVersion from "#streams/nats/ServerVersion.ts"

const info = (version: string): ServerInfo => ({
  client_id: 1,
  host: "127.0.0.1",
  max_payload: 1_048_576,
  port: 4222,
  proto: 1,
  server_id: "id",
  server_name: "n1",
  go: "go1.24",
  version
})

const isTaken = (version: string, replicas: number) =>
  Effect.map(Effect.exit(ServerVersion.check({ info: info(version) }, { replicas })), Exit.isSuccess)

describe("ServerVersion", () => {
  it.effect.each([
    ["2.9.10", false, false],
    ["2.9.99", false, false],
    ["2.10.0", true, false],
    ["2.10.22", true, false],
    ["2.10.23", true, true],
    ["v2.10.27", true, true],
    ["2.11.0-RC.1", true, true],
    ["2.15.1", true, true],
    ["3.0.0", true, true],
    ["unknown", false, false]
  ] as const)("accepts %s for one replica: %s, for three: %s", ([version, alone, replicated]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* isTaken(version, 1), alone)
      assert.strictEqual(yield* isTaken(version, 3), replicated)
    })
  )

  it.effect("reports the required and the found version", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ServerVersion.check({ info: info("2.9.10") }, { replicas: 3 }))
      assert.strictEqual(
        error.message,
        "A log with 3 replicas needs nats-server 2.10.23 or newer; this server is 2.9.10"
      )
    })
  )
})
