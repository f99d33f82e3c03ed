/** What live streams tell of: every change of a request's status, in the order of the log (decisions, "Server-sent events"). */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { Status } from "#domain/inference-request/Status.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { ReadModels, rows } from "../ReadModels.ts"
import * as Queries from "./LiveStatusQueries.ts"

export const StatusChange = Schema.Struct({
  /** Rises with the log without gaps, from 1: the same on every node and after every rebuild. 0 is before the first. */
  change: Schema.Int,
  accountId: AccountId,
  requestId: RequestId,
  model: ModelEndpoint,
  status: Status,
  /** Of the event that changed it. */
  position: GlobalPosition.GlobalPosition,
  /** Of the run whose output is there, ms. As of now, like `error`: they belong to the change that ends the request. */
  inferenceMs: Schema.NullOr(Schema.Int),
  /** What a run was expected to take when the request was accepted, ms; `null` when that was not recorded. */
  expectedMs: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String)
})
export type StatusChange = typeof StatusChange.Type

export class LiveStatus extends Context.Service<
  LiveStatus,
  {
    /** The newest change, of whatever account. */
    readonly newest: Effect.Effect<number, SqlError>
    /** Changes behind `change` in ascending order, of one account or of all; fewer than `limit`: there are no more yet. */
    after(options: Queries.After): Effect.Effect<ReadonlyArray<StatusChange>, SqlError>
    /** The last change of each of an account's requests that have not ended, where it is in (`after`, `through`]; ascending. */
    open(options: Queries.Open): Effect.Effect<ReadonlyArray<StatusChange>, SqlError>
    /** The last change of each of the requests that are known, whoever's they are; ascending. */
    ofRequests(requestIds: ReadonlyArray<RequestId>): Effect.Effect<ReadonlyArray<StatusChange>, SqlError>
    /** Where the change is on the log; its beginning for 0. */
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

      /** Only the backend knows how positions compare, so the changes are halved, not the text of the position. */
      const changeAt = Effect.fn("LiveStatus.changeAt")(function* (position: GlobalPosition.GlobalPosition) {
        let reached = 0
        let beyond = (yield* newest) + 1
        while (beyond - reached > 1) {
          const middle = reached + Math.floor((beyond - reached) / 2)
          const [found] = yield* places(Queries.positionOf(sql, middle))
          if (found !== undefined && GlobalPosition.isReached(found.position, position)) reached = middle
          else beyond = middle
        }
        return reached
      })

      return LiveStatus.of({
        newest,
        positionOf: (change) =>
          Effect.map(
            places(Queries.positionOf(sql, change)),
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
const places = rows(Schema.Struct({ position: GlobalPosition.GlobalPosition }))
