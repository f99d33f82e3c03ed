/**
 * `kill -9` under load, repeatedly: every acknowledged request exists and ends once, and the log is intact (security,
 * "Invariants after every crash or seed").
 * @first It takes long, so at the end it would run alone.
 * @cost It starts a server 25 times: a rare fault shows in few of many kills.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as KilledServer from "#test/support/KilledServer.ts"

const cycles = Number(process.env["KILL_CYCLES"] ?? 25)

/** How long an empty process takes on two idle cores, ms. */
const bareMsAlone = 300

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Infinity

describe("kill -9", () => {
  it.live(
    "loses no acknowledged request, records no run twice, and leaves a valid log",
    () =>
      Effect.gen(function* () {
        const { accepted, bareMs, readyMs } = yield* KilledServer.killed({
          cycles,
          clients: 20,
          // The most acknowledgements between a restart and the next kill.
          maxAcknowledged: 40
        })
        const failed = accepted.filter(({ end }) => end.status === "FAILED")
        assert.isBelow(failed.length, accepted.length / 20)
        // A busy machine starts processes slowly.
        const limit = Math.max(2_000, (2_000 / bareMsAlone) * median(bareMs))
        assert.isAtMost(median(readyMs), limit, "ready again, median ms")
      }),
    300_000
  )
})
