/** Lists of operators, and of what they did. */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { ReadModels, rows } from "../ReadModels.ts"
import { ListedAction, ListedOperator } from "./OperatorViews.ts"

export class Operators extends Context.Service<
  Operators,
  {
    /** All operators, including revoked ones, by id, after `after`, at most `limit`. */
    list(options: {
      readonly after: string | null
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<ListedOperator>, SqlError>
    /** How many owners at `now` (Unix time in ms) will stay valid until they are revoked, other than `except`. */
    countOwners(options: { readonly except: string; readonly now: number }): Effect.Effect<number, SqlError>
    /** Newest first, after `after`, at most `limit`. */
    actions(options: {
      readonly operatorId?: string
      readonly action?: string
      readonly after: string | null
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<ListedAction>, SqlError>
  }
>()("inferlog/projections/Operators") {
  static readonly layer = Layer.effect(
    Operators,
    Effect.gen(function* () {
      const sql = yield* ReadModels
      return Operators.of({
        list: Effect.fn("Operators.list")(({ after, limit }) =>
          operators(sql`
            SELECT operator_id AS "operatorId", name, role, created_at AS "createdAt", expires_at AS "expiresAt",
              rotated_at AS "rotatedAt", revoked_at AS "revokedAt"
            FROM operators_operators WHERE operator_id > ${after ?? ""} ORDER BY operator_id LIMIT ${limit}`)
        ),
        countOwners: Effect.fn("Operators.countOwners")(({ except, now }) =>
          Effect.map(
            counts(sql`
              SELECT COUNT(*) AS count FROM operators_operators
              WHERE role = 'owner' AND operator_id <> ${except} AND revoked_at IS NULL
                AND (expires_at IS NULL OR expires_at > ${now})`),
            ([row]) => row?.count ?? 0
          )
        ),
        actions: Effect.fn("Operators.actions")(({ action, after, limit, operatorId }) =>
          actions(sql`
            SELECT action_id AS "actionId", operator_id AS "operatorId", operator_name AS "operatorName", role, action,
              targets, call_id AS "callId", started_at AS "startedAt", result, code, made, ended_at AS "endedAt"
            FROM operators_actions
            WHERE ${operatorId === undefined ? sql`TRUE` : sql`operator_id = ${operatorId}`}
              AND ${action === undefined ? sql`TRUE` : sql`action = ${action}`}
              AND ${after === null ? sql`TRUE` : sql`action_id < ${after}`}
            ORDER BY action_id DESC LIMIT ${limit}`)
        )
      })
    })
  )
}

const operators = rows(ListedOperator)
const counts = rows(Schema.Struct({ count: Schema.Int }))
const targets = Schema.fromJsonString(ListedAction.fields.targets)
const actions = rows(Schema.Struct({ ...ListedAction.fields, targets, made: targets }))
