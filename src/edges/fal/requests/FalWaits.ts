/** How long answers to fal's client are held. */
import { Context } from "effect"

export interface Waits {
  /** Of `fal.run` for the end of the request, ms. Node's `fetch` gives up after 5 minutes without an answer. */
  readonly runMs: number
  /** Of `fal.stream` for the first event, ms. Until then a failure is an error with a status. */
  readonly firstEventMs: number
}

export const FalWaits = Context.Reference<Waits>("inferlog/src/edges/fal/requests/FalWaits", {
  defaultValue: () => ({ runMs: 270_000, firstEventMs: 30_000 })
})
