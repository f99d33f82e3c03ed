/**
 * Runs the webhook rows briefly and checks what they measure, not how fast it is.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Cycles from "#bench/harness/Cycles.ts"
import { NodeFlags } from "#bench/harness/NodeFlags.ts"
import type { Subject } from "#bench/harness/Subject.ts"
import * as T11Waiting from "#bench/rows/T11Waiting.ts"
import * as T8Webhooks from "#bench/rows/T8Webhooks.ts"

const seconds = 0.3

/** The senders' threads run from the bundle, as those of this process do. */
const flags = Effect.provideService(NodeFlags, process.execArgv)

const measured = Effect.fnUntraced(function* (subject: Subject) {
  const row = { id: "T0", title: "Webhooks", unit: "deliveries", subjects: [subject], targets: {} }
  const options = { cycles: 1, seconds, peers: false, keepDisturbed: true }
  const { cycles } = yield* flags(Cycles.run(row, options))
  const found = cycles[0]?.get(subject.name)
  if (found === undefined) throw new Error(`${subject.name} was not measured`)
  return found
})

describe("a row of webhooks", { timeout: 60_000 }, () => {
  it.live("counts the posts that one receiver gets from our server, and their cost", () =>
    Effect.gen(function* () {
      const found = yield* measured(T8Webhooks.ours({ scheme: "http", warmUp: 100 }))
      assert.isAbove(found.operations, 10)
      assert.isAbove(found.elapsedMs, 0)
      assert.isAbove(found.cpuMs, 0)
      assert.notProperty(found, "latencyMs")
    })
  )

  it.live("sends deliveries that fall due one by one on time, despite receivers that never answer", () =>
    Effect.gen(function* () {
      const options = { scheme: "https", dead: 3, perSecond: 100, warmUp: 100, detectionSeconds: 1 } as const
      const { latencyMs, notes, operations } = yield* measured(T8Webhooks.ours(options))
      assert.strictEqual(operations, 100 * seconds)
      assert.isAtLeast(latencyMs?.p99 ?? 0, latencyMs?.p50 ?? Number.NaN)
      assert.property(notes, "longest wait while dead receivers were detected, s")
    })
  )

  it.live("posts the same bytes over plain connections", () =>
    Effect.gen(function* () {
      for (const floor of [T8Webhooks.posts, T8Webhooks.straight]) {
        const { operations } = yield* measured(T8Webhooks.raw("https", floor, seconds))
        assert.isAbove(operations, 10)
      }
    })
  )
})

describe("a row of waiting deliveries", () => {
  it.live("measures the memory of a server with and without them", () =>
    Effect.gen(function* () {
      const { subjects } = T11Waiting.rowOf({ waiting: 100, inWords: "a hundred", isReused: false })
      for (const subject of subjects) {
        const { notes = {}, operations } = yield* measured(subject)
        assert.strictEqual(operations, 1)
        assert.isAbove(notes["resident, MiB"] ?? 0, 10)
        assert.isFinite(notes["bytes resident for each"])
      }
    })
  )
})
