/**
 * The model test: invariants of the running core under any actions, in virtual time.
 * @first It takes long, so at the end it would run alone.
 * @cost 2,000 random sequences of commands; a release runs 100,000.
 */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Holds from "#test/support/src/composition/model/Holds.ts"

describe("Any sequences of submits, runs, cancels, sweeps, crashes and time", () => {
  it.live(
    "lose nothing, end every request once, and charge it once if it has an output",
    () => Effect.promise(Holds.holds),
    Holds.patienceMs
  )
})
