/** Removes what has expired and unused clients; ends logins without tokens or with a changed password. */
import { Clock, Context, Effect, Layer, Schedule, Schema } from "effect"
import { AccountId } from "#domain/Ids.ts"
import { rows } from "#projections/ReadModels.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import * as Lifetimes from "./Lifetimes.ts"
import { Logins } from "./Logins.ts"
import { OAuthDatabase } from "./OAuthDatabase.ts"
import { Records } from "./Records.ts"

/** The pause between two rounds. */
const interval = "10 minutes"

/** Other work uses the connection between two statements, so each takes a few ms at most. */
const removedAtOnce = 500

/** Per round. The rest waits for the next round. */
const mostRemovals = 100
const mostPages = 100

/** Limits of the search for ended logins. */
export const CollectionBounds = Context.Reference<{
  /** Logins per statement. */
  readonly page: number
  /** Logins ended per round, so that a wrong clock cannot end every sign-in. */
  readonly ended: number
}>("inferlog/src/edges/oauth/CollectionBounds", { defaultValue: () => ({ page: 200, ended: 100 }) })

/** A new login has this long to get its first tokens. */
const beginningMs = 2 * Lifetimes.interaction * 1_000

const Row = Schema.Struct({
  id: Schema.String,
  accountId: AccountId,
  passwordMark: Schema.NullOr(Schema.String),
  isUnused: Schema.BooleanFromBit
})
const decoded = rows(Row)

/** One round. It continues where the previous one stopped. */
export const make = Effect.gen(function* () {
  const sql = yield* OAuthDatabase
  const records = yield* Records
  const logins = yield* Logins
  const passwords = yield* Passwords
  const bounds = yield* CollectionBounds
  /** The last login that was checked; `""` after the last of all. */
  let lastChecked = ""

  const removeExpired = Effect.yieldNow.pipe(
    Effect.andThen(records.removeExpired(removedAtOnce)),
    Effect.repeat({ while: (removed) => removed === removedAtOnce, times: mostRemovals - 1 })
  )

  /** Records of a refresh that was in progress when its login ended. */
  const removeLeftBehind = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* sql`
      DELETE FROM oauth_records WHERE (model, id) IN (
        SELECT model, id FROM oauth_records AS records
        WHERE model = 'RefreshToken' AND expires_at <= ${now}
          AND NOT EXISTS (SELECT 1 FROM logins WHERE logins.id = records.login_id)
        LIMIT ${removedAtOnce})`
  })

  /** Reads both tables. A used refresh token counts until it is removed: a crash may have lost its successor. */
  const isUnused = (now: number) => sql`
    created_at < ${now - beginningMs} AND NOT EXISTS (
      SELECT 1 FROM oauth_records AS records
      WHERE records.login_id = logins.id AND records.expires_at > ${now} AND (records.model = 'RefreshToken'
        OR records.model IN ('AuthorizationCode', 'AccessToken') AND records.consumed_at IS NULL))`

  const page = Effect.fnUntraced(function* (after: string) {
    const now = yield* Clock.currentTimeMillis
    return yield* decoded(sql`
      SELECT id, account_id AS "accountId", password_mark AS "passwordMark", ${isUnused(now)} AS "isUnused"
      FROM (SELECT * FROM logins WHERE id > ${after} ORDER BY id LIMIT ${bounds.page}) AS logins ORDER BY id`)
  })

  /** Logins whose password has changed. The password is read after the logins. */
  const outdated = Effect.fnUntraced(function* (found: ReadonlyArray<typeof Row.Type>) {
    const accounts = new Set(found.flatMap((login) => (login.passwordMark === null ? [] : [login.accountId])))
    const marks = new Map<AccountId, string | null>()
    for (const accountId of accounts) marks.set(accountId, yield* passwords.mark(accountId))
    const isOutdated = ({ accountId, passwordMark }: typeof Row.Type) =>
      passwordMark !== null && passwordMark !== marks.get(accountId)
    return new Set(found.filter(isOutdated).map(({ id }) => id))
  })

  /** Checks again, because the login may have been used since its page was read. */
  const isStillUnused = Effect.fnUntraced(function* (id: string) {
    const now = yield* Clock.currentTimeMillis
    const found = yield* sql`SELECT 1 FROM logins WHERE id = ${id} AND ${isUnused(now)}`
    return found.length > 0
  })

  const end = (id: string) => Effect.andThen(logins.end(id), records.removeOfLogin(id))

  /** A login that cannot be ended now is tried again in another round. */
  const endIfOver = (id: string, isOutdated: boolean) =>
    (isOutdated ? Effect.succeed(true) : isStillUnused(id)).pipe(
      Effect.tap((isOver) => (isOver ? end(id) : Effect.void)),
      Effect.catch((error) =>
        Effect.as(Effect.logWarning("An ended sign-in could not be removed", error), true)
      )
    )

  /** Ends logins of the page and returns how many, up to `most`. */
  const endOnPage = Effect.fnUntraced(function* (found: ReadonlyArray<typeof Row.Type>, most: number) {
    const ofOtherPassword = yield* outdated(found).pipe(
      Effect.catch((error) =>
        Effect.as(
          Effect.logWarning("Sign-ins by password could not be checked for changed passwords", error),
          new Set<string>()
        )
      )
    )
    let ended = 0
    for (const { id, isUnused } of found) {
      const isOutdated = ofOtherPassword.has(id)
      if ((isUnused || isOutdated) && (yield* endIfOver(id, isOutdated))) ended++
      lastChecked = id
      if (ended === most) break
    }
    return ended
  })

  const endLogins = Effect.gen(function* () {
    let ended = 0
    for (let pages = 0; pages < mostPages; pages++) {
      yield* Effect.yieldNow
      const found = yield* page(lastChecked)
      if (found.length === 0) lastChecked = ""
      else ended += yield* endOnPage(found, bounds.ended - ended)
      if (ended === bounds.ended)
        return yield* Effect.logWarning(
          `${ended} sign-ins were over and have been ended: more may be, and are left for the next round`
        )
      if (lastChecked === "") return
    }
  })

  return removeExpired.pipe(
    Effect.andThen(removeLeftBehind),
    Effect.andThen(endLogins),
    Effect.withSpan("Collection.collect")
  )
})

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const collect = yield* make
    const round = Effect.catchCause(collect, (cause) =>
      Effect.logWarning("Expired records of sign-ins could not be removed", cause)
    )
    // Gives clients whose refresh a crash has cut short time to retry.
    const rounds = Effect.delay(
      Effect.repeat(round, Schedule.spaced(interval)),
      `${Lifetimes.refreshGrace} seconds`
    )
    yield* Effect.forkScoped(rounds)
  })
)
