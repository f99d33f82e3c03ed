/** Long answers of an account that are under way at once: it cannot take up the places of all. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as Refusal from "../Refusal.ts"

export interface AnswersAtOnce<Key> {
  /** Counts until the answer has been sent, or its connection is gone. */
  readonly admit: (
    key: Key,
    request: HttpServerRequest,
    /** As how many it counts; 1 by default. */
    count?: number
  ) => Effect.Effect<void, Refusal.Refusal>
}

/** @param most of one key, such as an account. */
export const make = <Key extends string>(most: number, full: Refusal.Refusal): AnswersAtOnce<Key> => {
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
        // Of one that is gone nothing would tell.
        if (response.destroyed) return Effect.void
        underWay.set(key, others + count)
        response.once("close", () => leave(key, count))
        return Effect.void
      })
  }
}
