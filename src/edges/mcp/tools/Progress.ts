/** Progress of a call that takes its time (MCP 2025-11-25, "Progress"): told to those who have asked for it with a token. */
import { Effect, Option, Schema } from "effect"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

const isToken = Schema.is(McpSchema.ProgressToken)

/** The token of the call that is being answered, `null` when it has none. */
const token = Effect.map(Effect.serviceOption(McpSchema.McpServerClient), (client) => {
  const sent = Option.getOrUndefined(client)?.requestMetadata?.["progressToken"]
  return isToken(sent) ? sent : null
})

export interface Told {
  /** Between two notifications. */
  readonly everyMs: number
  /** The work takes no longer. */
  readonly totalMs: number
  readonly message: Effect.Effect<string>
}

const seconds = (millis: number): number => Math.round(millis / 100) / 10

export const make = Effect.map(McpServer.McpServer, ({ notifications }) => {
  const report = Effect.fnUntraced(function* (token: McpSchema.ProgressToken, told: Told) {
    const begun = yield* MonotonicTime.millis
    const total = seconds(told.totalMs)
    while (true) {
      const elapsed = seconds((yield* MonotonicTime.millis) - begun)
      yield* notifications["notifications/progress"]({
        progressToken: token,
        progress: Math.min(elapsed, total),
        total,
        message: yield* told.message
      })
      yield* Effect.sleep(told.everyMs)
    }
  })

  /**
   * Tells of the work from its begin on, in elapsed seconds, until it ends: nothing is told after it. A client that does
   * not read is told less often, and keeps nothing waiting.
   */
  return <A, E, R>(work: Effect.Effect<A, E, R>, told: Told) =>
    Effect.flatMap(token, (token) => (token === null ? work : Effect.raceFirst(work, report(token, told))))
})
