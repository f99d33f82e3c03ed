/** Requests of all accounts, newest first. A page begins after a given request, so new ones do not shift pages. */
import { Effect, Order, Stream } from "effect"
import type { KeyId, RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { History } from "#projections/history/History.ts"
import type { HistoryItem } from "#projections/history/HistoryItem.ts"
import { Keys } from "#projections/keys/Keys.ts"
import { Projections } from "#projections/Projections.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Pages from "../Pages.ts"
import { mostListed } from "../Wire.ts"
import { type ListRequests, UnknownRequest } from "./RequestOperations.ts"

/** The order of the history. */
const newestFirst: Order.Order<Pick<HistoryItem, "createdAt" | "requestId">> = Order.flip(
  Order.Struct({ createdAt: Order.Number, requestId: Order.String })
)

export const make = Effect.gen(function* () {
  const history = yield* History
  const keys = yield* Keys
  const projections = yield* Projections
  const reader = yield* EventReader

  /** Every account has at least one key, even if it is revoked. */
  const allAccounts = Effect.map(
    Pages.collect((after: KeyId | null) =>
      Pages.read(
        undefined,
        (limit) => keys.list({ after, limit }),
        ({ keyId }) => keyId
      )
    ),
    (all) => new Set(all.map(({ accountId }) => accountId))
  )

  const pageKeyOf = Effect.fnUntraced(function* (requestId: RequestId) {
    const stream = StreamName.make(InferenceRequest.aggregate.category, requestId)
    const [submitted] = yield* reader.read(stream)
    if (submitted === undefined) return yield* new UnknownRequest()
    return { createdAt: submitted.time, requestId }
  })

  return Effect.fnUntraced(function* ({
    accountId,
    after,
    limit = mostListed,
    ...filter
  }: typeof ListRequests.Type) {
    const position = after === null ? null : yield* pageKeyOf(after)
    const head = yield* reader.head
    yield* projections.waitFor(head, { projection: "history" })
    yield* projections.waitFor(head, { projection: "keys" })
    const accounts = accountId === undefined ? yield* allAccounts : [accountId]
    // Reads one request more than the page, to know whether another page follows.
    const first = yield* Stream.fromIterable(accounts).pipe(
      Stream.mapEffect((id) =>
        history.list({ ...filter, accountId: id, page: 1, after: position, limit: limit + 1 })
      ),
      Stream.runFold(
        (): ReadonlyArray<HistoryItem> => [],
        (merged, { items }) => [...merged, ...items].sort(newestFirst).slice(0, limit + 1)
      )
    )
    return Pages.of(first, limit, ({ requestId }) => requestId)
  })
})
