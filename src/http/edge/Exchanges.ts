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

/** Called once for each exchange that is answered, on the hot path too: it must neither wait nor throw. */
export const Exchanges = Context.Reference<(exchange: Exchange) => void>("inferlog/src/http/Exchanges", {
  defaultValue: () => () => {}
})
