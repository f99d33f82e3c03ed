/** All changes of requests' status in the order of the log, for live streams (decisions, "Server-sent events"). */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { Status } from "#domain/inference-request/Status.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { UpstreamError } from "#domain/UpstreamError.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { ReadModels, rows } from "../ReadModels.ts"
import * as Queries from "./LiveStatusQueries.ts"

export const StatusChange = Schema.Struct({
  /** Rises with the log without gaps, from 1. Equal on every node and after every rebuild. 0 is before the first change. */
  change: Schema.Int,
  accountId: AccountId,
  requestId: RequestId,
  model: ModelEndpoint,
  status: Status,
  /** Position of the event that changed the status. */
  position: GlobalPosition.GlobalPosition,
  /**
   * Duration of the run that returned the output, ms. The current value, like `error` and `upstream`: they belong to the
   * change that ends the request.
   */
  inferenceMs: Schema.NullOr(Schema.Int),
  /** The expected duration of a run at the submit, ms. `null` when it was not recorded. */
  expectedMs: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  upstream: Schema.NullOr(Schema.fromJsonString(UpstreamError))
})
export type StatusChange = typeof StatusChange.Type

export class LiveStatus extends Context.Service<
  LiveStatus,
  {
    /** The last change, of any account. */
    readonly newest: Effect.Effect<number, SqlError>
    /**
     * Changes after `change` in ascending order, of one account or of all. Fewer than `limit` means that there are no more
     * yet.
     */
    after(options: Queries.After): Effect.Effect<ReadonlyArray<StatusChange>, SqlError>
    /** The last change of each open request of an account, if it is after `after` and at most `through`; ascending. */
    open(options: Queries.Open): Effect.Effect<ReadonlyArray<StatusChange>, SqlError>
    /** The last change of each known request, of any account; ascending. */
    ofRequests(requestIds: ReadonlyArray<RequestId>): Effect.Effect<ReadonlyArray<StatusChange>, SqlError>
    /** The position of the change on the log. The beginning for 0. */
    positionOf(change: number): Effect.Effect<GlobalPosition.GlobalPosition, SqlError>
    /** The last change at or before the position. */
    changeAt(position: GlobalPosition.GlobalPosition): Effect.Effect<number, SqlError>
  }
>()("inferlog/projections/LiveStatus") {
  static readonly layer = Layer.effect(
    LiveStatus,
    Effect.gen(function* () {
      const sql = yield* ReadModels

      const newest = Effect.map(ids(Queries.newest(sql)), ([found]) => found?.change ?? 0)

      /** A binary search over changes, because positions can be compared but not calculated with. */
      const changeAt = Effect.fn("LiveStatus.changeAt")(function* (position: GlobalPosition.GlobalPosition) {
        let reached = 0
        let beyond = (yield* newest) + 1
        while (beyond - reached > 1) {
          const middle = reached + Math.floor((beyond - reached) / 2)
          const [found] = yield* positions(Queries.positionOf(sql, middle))
          if (found !== undefined && GlobalPosition.isReached(found.position, position)) reached = middle
          else beyond = middle
        }
        return reached
      })

      return LiveStatus.of({
        newest,
        positionOf: (change) =>
          Effect.map(
            positions(Queries.positionOf(sql, change)),
            ([found]) => found?.position ?? GlobalPosition.beginning
          ),
        changeAt,
        after: (options) => changes(Queries.after(sql, options)),
        open: (options) => changes(Queries.open(sql, options)),
        ofRequests: (requestIds) => changes(Queries.ofRequests(sql, requestIds))
      })
    })
  )
}

const changes = rows(StatusChange)
const ids = rows(Schema.Struct({ change: Schema.Int }))
const positions = rows(Schema.Struct({ position: GlobalPosition.GlobalPosition }))
