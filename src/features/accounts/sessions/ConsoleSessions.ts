/** The sessions of the console. They are on the log, so every node knows them and a restart keeps them. */
import * as crypto from "node:crypto"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import type * as Domain from "#domain/console-sessions/ConsoleSessions.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as ApiKey from "../ApiKey.ts"
import { ConsoleSessionActors } from "./ConsoleSessionActors.ts"
import * as SessionCredential from "./SessionCredential.ts"

export interface Opened {
  /** The text of the cookie. */
  readonly token: Redacted.Redacted
  readonly session: Domain.Session
}

/** One session of a holder: an account, or an operator. */
export interface Named {
  readonly holder: string
  readonly sessionId: string
}

export class ConsoleSessions extends Context.Service<
  ConsoleSessions,
  {
    /** @param options.expiresAt Unix time in ms. */
    open(options: {
      readonly holder: string
      readonly opener: Domain.Opener
      /** Name and system. */
      readonly browser: string
      readonly expiresAt: number
    }): Effect.Effect<Opened, EventStoreError>
    /** As of the log. What the session was opened with may have ended. */
    find(presented: SessionCredential.Presented): Effect.Effect<Domain.Session | null, EventStoreError>
    /** The holder's sessions, as of the log. */
    stateOf(holder: string): Effect.Effect<Domain.State, EventStoreError>
    /** Repeating it changes nothing. */
    close(named: Named, reason: Domain.CloseReason): Effect.Effect<void, EventStoreError>
    /** Ends all sessions of the holder but the named one. Repeating it changes nothing. */
    endOthers(named: Named): Effect.Effect<void, EventStoreError>
  }
>()("inferlog/src/features/accounts/sessions/ConsoleSessions") {
  static readonly layer = Layer.effect(
    ConsoleSessions,
    Effect.gen(function* () {
      const actors = yield* ConsoleSessionActors

      const open = Effect.fn("ConsoleSessions.open")(function* ({
        holder,
        ...session
      }: Parameters<ConsoleSessions["Service"]["open"]>[0]) {
        const at = yield* Clock.currentTimeMillis
        const sessionId = crypto.randomBytes(16).toString("base64url")
        const secret = ApiKey.makeSecret()
        const opened = { ...session, sessionId, secretHash: ApiKey.hashSecret(secret) }
        yield* actors.execute(holder, { _tag: "Open", session: { at, ...opened } })
        const token = Redacted.make(SessionCredential.format(holder, sessionId, secret))
        return { token, session: { ...opened, openedAt: at, hasEnded: false } }
      })

      const find = Effect.fnUntraced(function* (presented: SessionCredential.Presented) {
        const { state } = yield* actors.refresh(presented.holder)
        return SessionCredential.find(presented, state, yield* Clock.currentTimeMillis)
      })

      const close = Effect.fn("ConsoleSessions.close")(function* (
        { holder, sessionId }: Named,
        reason: Domain.CloseReason
      ) {
        yield* actors.execute(holder, {
          _tag: "Close",
          at: yield* Clock.currentTimeMillis,
          sessionId,
          reason
        })
      })

      const endOthers = Effect.fn("ConsoleSessions.endOthers")(function* ({ holder, sessionId }: Named) {
        yield* actors.execute(holder, { _tag: "EndOthers", at: yield* Clock.currentTimeMillis, sessionId })
      })

      return ConsoleSessions.of({
        open,
        find,
        stateOf: (holder) => Effect.map(actors.refresh(holder), ({ state }) => state),
        close,
        endOthers
      })
    })
  )
}
