/** Reports each exchange with a client, for metrics and the access log. */
import { type Clock, Context } from "effect"
import type * as Answer from "../Answer.ts"

export interface Exchange {
  readonly correlationId: string
  readonly method: string
  /** The declared path (`/:ownerName/:modelName`), or `unmatched`; never the path of the request. */
  readonly route: string
  readonly status: number
  /** From the arrival of the headers until the answer was handed to the socket, ms. */
  readonly durationMs: number
}

/** The status reported when the client left before its answer, as in nginx. */
export const clientClosed = 499

/** The `route` of an exchange without a declared route. */
export const unmatched = "unmatched"

/** The exchange that is being answered: one service instead of several, because each costs time in every request. */
export interface UnderWay {
  readonly correlationId: string
  /** Called when the declared route is known. */
  readonly found: (path: string) => void
  /** Called when the account is known. */
  readonly admitted: (accountId: string) => void
  /** Called with headers that the answer has from then on, also the one to an unexpected error. */
  readonly carries: (headers: Answer.Headers) => void
}

export const UnderWay = Context.Reference<UnderWay>("inferlog/src/edges/http/edge/UnderWay", {
  defaultValue: () => ({
    correlationId: "unassigned",
    found: () => {},
    admitted: () => {},
    carries: () => {}
  })
})

/** Called for each answered exchange, thousands of times a second. Must neither wait nor throw. */
export const Exchanges = Context.Reference<(exchange: Exchange) => void>(
  "inferlog/src/edges/http/edge/Exchanges",
  {
    defaultValue: () => () => {}
  }
)

const nanosPerMilli = 1e6

/** Starts a timer. The result returns the ms since then. */
export const timer = (clock: Clock.Clock): (() => number) => {
  const began = clock.monotonicTimeNanosUnsafe()
  return () => Number(clock.monotonicTimeNanosUnsafe() - began) / nanosPerMilli
}
