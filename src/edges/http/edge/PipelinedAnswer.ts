/** Answers of one connection are sent in the order of their requests. */
import type { ServerResponse } from "node:http"
import { Effect } from "effect"

/** Completes when the answer has the connection; never if the connection closes first. */
export const connected = (response: ServerResponse): Effect.Effect<void> =>
  Effect.suspend(() =>
    response.socket !== null
      ? Effect.void
      : Effect.callback<void>((resume) => {
          const listener = () => resume(Effect.void)
          response.once("socket", listener)
          return Effect.sync(() => response.off("socket", listener))
        })
  )
