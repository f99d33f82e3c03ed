/**
 * Clears away what has expired: codes, tokens, authorizations that nobody decided, clients that nobody uses. A login that has
 * no token left is ended, and its own key with it: nobody can call with it any more.
 */
import { Clock, Effect, Layer, Schedule, Schema } from "effect"
import { rows } from "#projections/ReadModels.ts"
import * as Lifetimes from "./Lifetimes.ts"
import { Logins } from "./Logins.ts"
import { OAuthDatabase } from "./OAuthDatabase.ts"
import { Records } from "./Records.ts"

/** Between two rounds. */
export const interval = "10 minutes"

/** At a time: others use the connection in between. */
const batch = 500

const decoded = rows(Schema.Struct({ id: Schema.String }))

/** One round. */
export const make = Effect.gen(function* () {
  const sql = yield* OAuthDatabase
  const records = yield* Records
  const logins = yield* Logins

  const removeExpired = Effect.yieldNow.pipe(
    Effect.andThen(records.removeExpired(batch)),
    Effect.repeat({ while: (removed) => removed === batch })
  )

  /** Of those that had the time to get tokens. Over both tables of the file. */
  const withoutTokens = Effect.fnUntraced(function* (after: string) {
    const madeBefore = (yield* Clock.currentTimeMillis) - 2 * Lifetimes.interaction * 1_000
    return yield* decoded(sql`
      SELECT id FROM logins WHERE id > ${after} AND created_at < ${madeBefore} AND NOT EXISTS (
        SELECT 1 FROM oauth_records AS records
        WHERE records.login_id = logins.id AND records.consumed_at IS NULL
          AND records.model IN ('AuthorizationCode', 'AccessToken', 'RefreshToken'))
      ORDER BY id LIMIT ${batch}`)
  })

  /** One that cannot be ended now is left for the next round. */
  const end = (id: string) =>
    logins.end(id).pipe(
      Effect.andThen(records.removeOfLogin(id)),
      Effect.catch((error) => Effect.logWarning("A sign-in that is over could not be cleared away", error))
    )

  const endLogins = Effect.fnUntraced(function* () {
    let last = ""
    let found = yield* withoutTokens(last)
    while (found.length > 0) {
      for (const { id } of found) {
        yield* end(id)
        last = id
      }
      found = yield* withoutTokens(last)
    }
  })

  return Effect.andThen(removeExpired, endLogins()).pipe(Effect.withSpan("Collection.collect"))
})

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const collect = yield* make
    const round = Effect.catchCause(collect, (cause) =>
      Effect.logWarning("What has expired of sign-ins could not be cleared away", cause)
    )
    yield* Effect.forkScoped(Effect.repeat(round, Schedule.spaced(interval)))
  })
)
