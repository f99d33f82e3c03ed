/** Long answers of an account that are under way at once: it cannot take up the places of all. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { AccountId } from "#domain/Ids.ts"
import type * as Refusal from "../Refusal.ts"

export interface AnswersAtOnce {
  /** Counts until the answer has been sent, or its connection is gone. */
  readonly admit: (
    accountId: AccountId,
    request: HttpServerRequest,
    /** As how many it counts; 1 by default. */
    count?: number
  ) => Effect.Effect<void, Refusal.Refusal>
}

/** @param most of one account. */
export const make = (most: number, full: Refusal.Refusal): AnswersAtOnce => {
  const underWay = new Map<AccountId, number>()

  const leave = (accountId: AccountId, count: number) => {
    const others = (underWay.get(accountId) ?? 0) - count
    if (others > 0) underWay.set(accountId, others)
    else underWay.delete(accountId)
  }

  return {
    admit: (accountId, request, count = 1) =>
      Effect.suspend(() => {
        const others = underWay.get(accountId) ?? 0
        if (others + count > most) return Effect.fail(full)
        const response = NodeHttpServerRequest.toServerResponse(request)
        // Of one that is gone nothing would tell.
        if (response.destroyed) return Effect.void
        underWay.set(accountId, others + count)
        response.once("close", () => leave(accountId, count))
        return Effect.void
      })
  }
}
