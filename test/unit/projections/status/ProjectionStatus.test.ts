import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { allProjections } from "#projections/AllProjections.ts"
import type { ProjectionState } from "#projections/Progress.ts"
import * as ProjectionStatus from "#projections/status/ProjectionStatus.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { runOnce } from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import * as RebuildLog from "#test/support/projections/rebuild/RebuildLog.ts"

const place = (position: number) => GlobalPosition.GlobalPosition.make(String(position))

const at = (position: number, reason: string | null = null): ProjectionState => ({
  position: place(position),
  stopped: reason !== null,
  reason
})

const three = allProjections.filter(({ name }) => ["duework", "history", "keys"].includes(name))

/** Three events, one per second from `t0`. */
const threeEvents = Effect.forEach([0, 1, 2], (number) =>
  Log.append(number, Log.submitted(Log.alice, Log.echo, Log.t0 + number * 1_000))
)

describe("ProjectionStatus", () => {
  it.effect("reports which projections are live, catching up or stopped, and why", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* threeEvents
        yield* TestClock.setTime(Log.t0 + 2_500)
        const { head, projections } = yield* ProjectionStatus.read({
          base,
          projections: three,
          states: new Map([
            ["duework", at(2)],
            ["history", at(0)],
            ["keys", at(1, "cannot apply it")]
          ])
        })
        assert.strictEqual(head, "3")
        assert.deepStrictEqual(
          projections.map(({ behind, lagMs, name, position, reason, state }) => ({
            name,
            position,
            behind,
            lagMs,
            state,
            reason
          })),
          [
            { name: "duework", position: place(2), behind: 1, lagMs: 500, state: "live", reason: null },
            {
              name: "history",
              position: place(0),
              behind: 3,
              lagMs: 2_500,
              state: "catching up",
              reason: null
            },
            {
              name: "keys",
              position: place(1),
              behind: 2,
              lagMs: 1_500,
              state: "stopped",
              reason: "cannot apply it"
            }
          ]
        )
      })
    )
  )

  it.live("reads the file if no server runs, and detects rows of another version", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* threeEvents
        yield* runOnce(base, three)
        const newer = three.map((projection) =>
          projection.name === "keys" ? { ...projection, version: projection.version + 1 } : projection
        )
        const { bytes, file, projections } = yield* ProjectionStatus.read({ base, projections: newer })
        assert.strictEqual(file, base)
        assert.isAbove(bytes, 0)
        assert.deepStrictEqual(
          projections.map(({ behind, name, state }) => [name, behind, state]),
          [
            ["duework", 0, "not running"],
            ["history", 0, "not running"],
            ["keys", 3, "not built"]
          ]
        )
      })
    )
  )
})
