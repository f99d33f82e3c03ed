/** What becomes of each exchange with a client, for whoever counts and logs them. */
import { type Clock, Context } from "effect"

export interface Exchange {
  readonly correlationId: string
  readonly method: string
  /** The declared path (`/:ownerName/:modelName`), or `unmatched`. Never the path that was asked for. */
  readonly route: string
  readonly status: number
  /** From the headers' arrival until the answer was handed to the socket, ms. */
  readonly durationMs: number
}

/** What is counted for a client that left before its answer (nginx's word for it). */
export const clientClosed = 499

/** `route` of an exchange that no declared route is for. */
export const unmatched = "unmatched"

/** The exchange that the declared API is about to answer: one service, for each costs every request. */
export interface UnderWay {
  readonly correlationId: string
  /** Told by whoever finds the declared route. */
  readonly found: (path: string) => void
  /** Told by whoever finds out whose the call is. */
  readonly admitted: (accountId: string) => void
}

export const UnderWay = Context.Reference<UnderWay>("inferlog/src/edges/http/edge/UnderWay", {
  defaultValue: () => ({ correlationId: "unassigned", found: () => {}, admitted: () => {} })
})

/** Called once for each exchange that is answered, thousands of times a second: it must neither wait nor throw. */
export const Exchanges = Context.Reference<(exchange: Exchange) => void>(
  "inferlog/src/edges/http/edge/Exchanges",
  {
    defaultValue: () => () => {}
  }
)

const nanosPerMilli = 1e6

/** Starts to time an exchange; what it gives tells the ms since then. */
export const timer = (clock: Clock.Clock): (() => number) => {
  const began = clock.monotonicTimeNanosUnsafe()
  return () => Number(clock.monotonicTimeNanosUnsafe() - began) / nanosPerMilli
}
