/** Answers of one connection go out one after the other: those that are ready before have to wait. */
import type { ServerResponse } from "node:http"
import { Effect } from "effect"

/** Completes when the answer has the connection; never when that is gone before. */
export const of = (response: ServerResponse): Effect.Effect<void> =>
  Effect.suspend(() =>
    response.socket !== null
      ? Effect.void
      : Effect.callback<void>((resume) => {
          const listener = () => resume(Effect.void)
          response.once("socket", listener)
          return Effect.sync(() => response.off("socket", listener))
        })
  )
