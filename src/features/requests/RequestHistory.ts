/** The requests of an account, as lists show them on every transport (decisions, "History"). */
import { Context, Effect, Layer, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { allowsModel } from "#domain/account/Grant.ts"
import type * as Page from "#projections/Page.ts"
import { History } from "#projections/history/History.ts"
import type { Filter, PageKey } from "#projections/history/HistoryFilter.ts"
import { Projections } from "#projections/Projections.ts"
import type { ReadModelBehind } from "#projections/ReadModelError.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { TooManyExpanded } from "./HistoryDetails.ts"
import * as FromHistory from "./FromHistory.ts"
import * as HistoryDetails from "./HistoryDetails.ts"
import type { Expansion, ListedRequest } from "./ListedRequest.ts"
import { ModelNotGranted, type StorageError } from "./Requests.ts"

export class RequestHistory extends Context.Service<
  RequestHistory,
  {
    /**
     * A page of the caller's requests, newest first: page `page`, from 1, or the page after `after`. Shows the log as
     * of the call, or fails after 2 s. A key for some models sees only their requests, and gets `ModelNotGranted` for
     * another model. A page has at most 16 MiB of payloads (`HistoryDetails.mostPayloadBytes`); few pages with payloads
     * are made at a time, one per account, until the scope closes. Fails with `TooManyExpanded` after waiting 10 s.
     */
    list(
      options: Omit<Filter, "accountId" | "models"> &
        Page.PageRequest<PageKey> & { readonly caller: Caller; readonly expand: ReadonlySet<Expansion> }
    ): Effect.Effect<
      Page.PageWithTotal<ListedRequest, PageKey>,
      ModelNotGranted | TooManyExpanded | ReadModelBehind | StorageError | EventStoreError | SqlError,
      Scope.Scope
    >
  }
>()("inferlog/src/features/requests/RequestHistory") {
  static readonly layer = Layer.effect(
    RequestHistory,
    Effect.gen(function* () {
      const history = yield* History
      const projections = yield* Projections
      const details = yield* HistoryDetails.make

      const list: RequestHistory["Service"]["list"] = Effect.fn("RequestHistory.list")(function* ({
        caller: { accountId, grant },
        expand,
        ...query
      }) {
        const { model } = query
        if (model !== undefined && !allowsModel(grant, model)) return yield* new ModelNotGranted()
        yield* projections.current("history")
        const { items, ...page } = yield* history.list({
          ...query,
          accountId,
          ...(grant.modelEndpoints !== null && { models: grant.modelEndpoints })
        })
        const snapshots = items.map(FromHistory.snapshot)
        const described = yield* expand.size === 0
          ? Effect.succeed(snapshots.map((snapshot) => ({ snapshot, payloads: null, bill: null })))
          : details(accountId, snapshots, expand)
        return { ...page, items: described }
      })

      return RequestHistory.of({ list })
    })
  ).pipe(Layer.provide(History.layer))
}
