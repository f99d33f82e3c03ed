/** Limits the long answers that one key, such as an account, may have at the same time. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as ErrorAnswer from "../ErrorAnswer.ts"

export interface ConcurrentAnswers<Key> {
  /** Counts the answer until it is sent or its connection closes. */
  readonly admit: (
    key: Key,
    request: HttpServerRequest,
    /** Weight of the answer; 1 by default. */
    count?: number
  ) => Effect.Effect<void, ErrorAnswer.ErrorAnswer>
}

/** @param most answers per key, such as an account. */
export const make = <Key extends string>(
  most: number,
  full: ErrorAnswer.ErrorAnswer
): ConcurrentAnswers<Key> => {
  const underWay = new Map<Key, number>()

  const leave = (key: Key, count: number) => {
    const others = (underWay.get(key) ?? 0) - count
    if (others > 0) underWay.set(key, others)
    else underWay.delete(key)
  }

  return {
    admit: (key, request, count = 1) =>
      Effect.suspend(() => {
        const others = underWay.get(key) ?? 0
        if (others + count > most) return Effect.fail(full)
        const response = NodeHttpServerRequest.toServerResponse(request)
        // A destroyed response emits no further `close`.
        if (response.destroyed) return Effect.void
        underWay.set(key, others + count)
        response.once("close", () => leave(key, count))
        return Effect.void
      })
  }
}
