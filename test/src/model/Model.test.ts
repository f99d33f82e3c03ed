/** The model test: what is true of the running core whatever is done to it, on virtual time. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Holds from "./Holds.ts"

describe("Any sequences of submits, runs, cancels, sweeps, crashes and time", () => {
  it.live(
    "lose nothing, end every request once, and charge it once if it has an output",
    () => Effect.promise(Holds.holds),
    Holds.patienceMs
  )
})
