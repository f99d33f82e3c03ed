/** Long answers of an account that are under way at once: it cannot take up the places of all. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { AccountId } from "#domain/Ids.ts"
import type * as Refusal from "../Refusal.ts"

export interface AnswersAtOnce {
  /** Counts until the answer has been sent, or its connection is gone. */
  readonly admit: (accountId: AccountId, request: HttpServerRequest) => Effect.Effect<void, Refusal.Refusal>
}

/** @param most of one account. */
export const make = (most: number, full: Refusal.Refusal): AnswersAtOnce => {
  const underWay = new Map<AccountId, number>()

  const leave = (accountId: AccountId) => {
    const others = (underWay.get(accountId) ?? 0) - 1
    if (others > 0) underWay.set(accountId, others)
    else underWay.delete(accountId)
  }

  return {
    admit: (accountId, request) =>
      Effect.suspend(() => {
        const others = underWay.get(accountId) ?? 0
        if (others >= most) return Effect.fail(full)
        const response = NodeHttpServerRequest.toServerResponse(request)
        // Of one that is gone nothing would tell.
        if (response.destroyed) return Effect.void
        underWay.set(accountId, others + 1)
        response.once("close", () => leave(accountId))
        return Effect.void
      })
  }
}
