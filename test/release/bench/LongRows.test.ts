/**
 * Runs the rows of growth and the soak briefly and checks what they measure, not how fast it is.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Cycles from "#bench/harness/Cycles.ts"
import { NodeFlags } from "#bench/harness/NodeFlags.ts"
import type { Row } from "#bench/harness/Subject.ts"
import * as T17Growth from "#bench/rows/growth/T17Growth.ts"
import * as T19Soak from "#bench/rows/soak/T19Soak.ts"

/** The servers' threads run from the bundle, as those of this process do. */
const flags = Effect.provideService(NodeFlags, process.execArgv)

const measured = Effect.fnUntraced(function* (row: Row, seconds: number) {
  const { cycles } = yield* flags(Cycles.run(row, { cycles: 1, seconds, peers: false, keepDisturbed: true }))
  return Array.from(cycles[0]?.values() ?? [])
})

describe("the rows of growth", () => {
  const rows = T17Growth.rowsOf({ small: 100, large: 200, warmUpSeconds: 0.3 })

  // The dispatch begins after the server's start, and ends by itself.
  for (const [title, seconds] of [
    ["Growth to 1,000 events: status", 0.3],
    ["Growth to 200 waiting: dispatch", 5]
  ] as const) {
    it.live(`measure a small and a large directory: ${title}`, () =>
      Effect.gen(function* () {
        const row = rows.find((row) => row.title === title)
        const found = row === undefined ? [] : yield* measured(row, seconds)
        assert.lengthOf(found, 2)
        for (const { operations } of found) assert.isAbove(operations, 0)
      })
    )
  }
})

describe("the soak", () => {
  it.live("compares its last window with its first, and proves log and books", () =>
    Effect.gen(function* () {
      const row = T19Soak.rowOf({ windows: 2 })
      const [found] = yield* measured(row, 1.5)
      const { notes = {}, operations = 0 } = found ?? {}
      assert.isAbove(operations, 10)
      for (const note of Object.keys(row.limits?.notes ?? {})) assert.isFinite(notes[note], note)
    })
  )
})
