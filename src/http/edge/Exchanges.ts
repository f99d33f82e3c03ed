/** What becomes of each exchange with a client, for whoever counts and logs them. */
import { Context } from "effect"

export interface Exchange {
  readonly correlationId: string
  readonly method: string
  /** The declared path (`/:ownerName/:modelName`), or `unmatched`. Never the path that was asked for. */
  readonly route: string
  readonly status: number
  /** From the headers' arrival until the answer was handed to the socket, ms. */
  readonly durationMs: number
  /** On routes that are asked thousands of times a second: only some of these are logged. */
  readonly hot: boolean
}

/** What is counted for a client that left before its answer (nginx's word for it). */
export const clientClosed = 499

/** `route` of an exchange that no declared route is for. */
export const unmatched = "unmatched"

/** Told by whoever finds the declared route of the exchange under way. */
export const RouteFound = Context.Reference<(path: string) => void>("inferlog/src/http/RouteFound", {
  defaultValue: () => () => {}
})

/** Called once for each exchange that is answered, on the hot path too: it must neither wait nor throw. */
export const Exchanges = Context.Reference<(exchange: Exchange) => void>("inferlog/src/http/Exchanges", {
  defaultValue: () => () => {}
})
