/** Progress notifications of a long call (MCP 2025-11-25, "Progress"), for clients that sent a progress token. */
import { Effect, Option, Schema } from "effect"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

const isToken = Schema.is(McpSchema.ProgressToken)

/** The progress token of the current call; `null` when it has none. */
const token = Effect.map(Effect.serviceOption(McpSchema.McpServerClient), (client) => {
  const sent = Option.getOrUndefined(client)?.requestMetadata?.["progressToken"]
  return isToken(sent) ? sent : null
})

export interface Progress {
  /** Interval of notifications. */
  readonly everyMs: number
  /** The longest duration of the work. */
  readonly totalMs: number
  readonly message: Effect.Effect<string>
}

const seconds = (millis: number): number => Math.round(millis / 100) / 10

export const make = Effect.map(McpServer.McpServer, ({ notifications }) => {
  const report = Effect.fnUntraced(function* (token: McpSchema.ProgressToken, progress: Progress) {
    const begun = yield* MonotonicTime.millis
    const total = seconds(progress.totalMs)
    while (true) {
      const elapsed = seconds((yield* MonotonicTime.millis) - begun)
      yield* notifications["notifications/progress"]({
        progressToken: token,
        progress: Math.min(elapsed, total),
        total,
        message: yield* progress.message
      })
      yield* Effect.sleep(progress.everyMs)
    }
  })

  /** Reports the elapsed seconds until the work ends. A slow client gets fewer notifications and delays nothing. */
  return <A, E, R>(work: Effect.Effect<A, E, R>, progress: Progress) =>
    Effect.flatMap(token, (token) =>
      token === null ? work : Effect.raceFirst(work, report(token, progress))
    )
})
