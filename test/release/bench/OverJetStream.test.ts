/** Runs the rows with a NATS server briefly and checks what they measure, not how fast it is. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Cycles from "#bench/harness/Cycles.ts"
import { NodeFlags } from "#bench/harness/NodeFlags.ts"
import type { Row } from "#bench/harness/Subject.ts"
import * as T13CatchUp from "#bench/rows/nats/T13CatchUp.ts"
import * as T13ColdStream from "#bench/rows/nats/T13ColdStream.ts"
import * as T13Submit from "#bench/rows/nats/T13Submit.ts"
import * as Environment from "#test/support/Environment.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"

/** The servers' threads run from the bundle, as those of this process do. */
const flags = Effect.provideService(NodeFlags, process.execArgv)

/** The measurement of each subject in one cycle. */
const measured = (row: Row) =>
  Effect.map(
    flags(Cycles.run(row, { cycles: 1, seconds: 0.3, peers: false, keepDisturbed: true })),
    ({ cycles }) => {
      const [cycle] = cycles
      return row.subjects.map(({ name }) => {
        const found = cycle?.get(name)
        if (found === undefined) throw new Error(`${name} was not measured`)
        return found
      })
    }
  )

const log = { requests: 100, isReused: false }
/** Five per request. The two retried requests add two events, the two cancelled ones remove two. */
const events = 500

describe("a row over JetStream", () => {
  it.effect("is left out if there is no nats-server", () =>
    Effect.gen(function* () {
      yield* Environment.use({ NATS_SERVER: "/nowhere/nats-server" })
      const options = { nodes: 1, sync: "default", connections: 2, warmUpSeconds: 0.1 } as const
      const { cycles, missing } = yield* Cycles.run(T13Submit.rowOf(options), {
        cycles: 1,
        seconds: 0.1,
        peers: false,
        keepDisturbed: true
      })
      assert.lengthOf(cycles, 0)
      assert.include(missing[0]?.message, "nats-server is not installed: ")
    })
  )
})

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("Rows over JetStream"), () => {
  it.live("submit to several nodes with one log, and measure nodes and NATS server separately", () =>
    Effect.gen(function* () {
      const options = { nodes: 2, sync: "default", connections: 4, warmUpSeconds: 0.1 } as const
      const row = T13Submit.rowOf(options)
      const subjects = row.subjects.filter(({ name }) => name !== "1 node")
      for (const { notes = {}, operations } of yield* measured({ ...row, subjects })) {
        assert.isAbove(operations, 0)
        // The payload and its event.
        assert.isAbove(notes["bytes on the broker's disk per request"] ?? 0, 301 + 525)
        assert.property(notes, "CPU time of the broker, µs per request")
      }
    })
  )

  it.live("read the whole log with our reader, into the read models, and with only the client", () =>
    Effect.gen(function* () {
      const [reader, readModels] = T13CatchUp.rowsOf(log)
      const found = yield* measured({
        ...readModels,
        subjects: [...reader.subjects.slice(0, 1), ...readModels.subjects]
      })
      assert.deepStrictEqual(
        found.map(({ operations }) => operations),
        [events, events, events]
      )
      assert.isAbove(found[2]?.notes?.["bytes on the broker's disk per event"] ?? 0, 100)
    })
  )

  it.live("read requests that are not in memory", () =>
    Effect.gen(function* () {
      for (const { latencyMs, operations } of yield* measured(T13ColdStream.rowOf(log))) {
        assert.isAbove(operations, 0)
        assert.isAtLeast(latencyMs?.p99 ?? 0, latencyMs?.p50 ?? Number.NaN)
      }
    })
  )
})
