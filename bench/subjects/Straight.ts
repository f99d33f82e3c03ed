/** The floor that keeps the guarantees of our server in plain code (`bench/floors/straight`), with the key of our server. */
import { Effect } from "effect"
import * as Floor from "../floors/Floor.ts"
import * as ScratchDirectory from "../harness/ScratchDirectory.ts"
import * as Inferlog from "./Inferlog.ts"

export const name = "straight code"

/** What happens to an accepted request: nothing, or it is claimed and held, or it runs to its end. */
export type Runs = "none" | "claimed" | "complete"

export const serve = (runs: Runs) =>
  Effect.gen(function* () {
    const log = `${yield* ScratchDirectory.make}/log.sqlite`
    const args = ["bench/floors/straight/main.ts", log, "--key", Inferlog.apiKey, "--runs", runs]
    return { ...(yield* Floor.serve(name, args)), log }
  })
