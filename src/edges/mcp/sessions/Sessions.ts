/**
 * Sessions as clients see them. Their ids outlive the process, because official clients do not open a new session.
 * An idle session leaves the runtime's memory and is opened again from its stored `initialize` message; only its log
 * level (`logging/setLevel`) returns to the default.
 */
import { Clock, Context, Effect, Fiber, Layer, Schema } from "effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import * as KeyedMutex from "#src/kernel/limits/KeyedMutex.ts"
import * as Capabilities from "../Capabilities.ts"
import { McpEndpoint, sessionHeader, versionHeader } from "../McpEndpoint.ts"
import * as OpenSessions from "./OpenSessions.ts"
import * as SessionId from "./SessionId.ts"
import * as StoredSessions from "./StoredSessions.ts"

/** The caller has no session with that id: it never existed, has ended or expired, or is another caller's. */
export class SessionGone extends Schema.TaggedError<SessionGone>()("SessionGone", {}) {}

/** Size limit of the message that opens a session, since it is stored and in memory. Clients send one or two KiB. */
export const mostInitializeBytes = 8 * 1024

/** The most sessions. */
export const Bounds = Context.Reference<{
  /** Per key. `toGo` chooses which one is replaced. */
  readonly ofKey: number
  /** Stored in total. */
  readonly stored: number
  /** In memory at once. Others are opened again when used. */
  readonly open: OpenSessions.Most
}>("inferlog/src/edges/mcp/sessions/SessionBounds", {
  defaultValue: () => ({ ofKey: 300, stored: 300_000, open: { ofAccount: 300, inAll: 5_000 } })
})

/** Clients call right after opening a session. One without a call by then is probably abandoned. */
const firstCallWithinMs = 10 * 1000
/** The first call is stored, and then one per this many ms of use. */
const writeUseEveryMs = 60 * 60 * 1000
const idleMs = 30 * 60 * 1000
const expiryMs = 30 * 24 * 60 * 60 * 1000

const make = Effect.gen(function* () {
  const endpoint = yield* McpEndpoint
  const bounds = yield* Bounds
  const stored = yield* StoredSessions.make(yield* OAuthDatabase)
  const scope = yield* Effect.scope
  const open = OpenSessions.make()
  const inTurn = KeyedMutex.make()

  const terminate = (sessions: Iterable<OpenSessions.OpenSession>) =>
    Effect.forEach(sessions, ({ inner }) => endpoint.terminate(inner), { discard: true })

  /** An interruption leaves no session half open. */
  const begin = Effect.fnUntraced(function* (caller: Caller, initialize: Uint8Array) {
    let answer: HttpServerResponse | undefined
    const message = { body: initialize, session: null, caller }
    const posted = endpoint.post(message, (response) => Effect.sync(() => void (answer = response)))
    yield* Effect.flatMap(Effect.forkIn(posted, scope), Fiber.join)
    if (answer === undefined) return yield* Effect.die("expected an answer to initialize")
    const { [sessionHeader]: inner, [versionHeader]: protocolVersion } = answer.headers
    return { response: answer, inner, protocolVersion }
  })

  /** Removes sessions from memory and stores the time of their last call. */
  const release = Effect.fnUntraced(function* (sessions: ReadonlyArray<OpenSessions.OpenSession>) {
    yield* terminate(sessions)
    for (const { hash, storedCallAt, usedAt } of sessions) {
      if (storedCallAt !== null && usedAt > storedCallAt) {
        yield* Effect.ignore(stored.touch(hash, usedAt), { log: true })
      }
    }
  })

  const add = (session: OpenSessions.OpenSession) => {
    open.add(session)
    return Effect.as(release(open.takeSurplus(session.accountId, bounds.open)), session)
  }

  const close = (hashes: ReadonlyArray<string>) =>
    Effect.suspend(() => terminate(hashes.flatMap((hash) => open.remove(hash) ?? [])))
  const forget = (hashes: ReadonlyArray<string>) => Effect.andThen(stored.remove(hashes), close(hashes))

  /** Time of the last call, from memory when known there; `null` for a session without calls. */
  const lastCall = ({ calledAt, hash }: StoredSessions.Use) => {
    const session = open.find(hash)
    if (session === undefined) return calledAt
    if (session.calls > 0) return Infinity
    return session.storedCallAt === null ? null : session.usedAt
  }
  /** Sessions that were opened and never called come first, then the least recently used. */
  const toGo = (now: number) => (others: ReadonlyArray<StoredSessions.Use>, surplus: number) =>
    others
      .map((one) => ({ ...one, calledAt: lastCall(one) }))
      .map(({ calledAt, hash, openedAt }) => ({
        hash,
        isLeft: calledAt === null && now - openedAt >= firstCallWithinMs ? 1 : 0,
        usedAt: calledAt ?? openedAt
      }))
      .sort((a, b) => b.isLeft - a.isLeft || a.usedAt - b.usedAt)
      .slice(0, surplus)
      .map(({ hash }) => hash)

  /**
   * Returns an `id` of `null` when the message was refused. The response has the reason.
   *
   * @param initialize at most `mostInitializeBytes`.
   */
  const openOne = Effect.fnUntraced(function* (caller: Caller, initialize: Uint8Array) {
    const { inner, protocolVersion, response } = yield* begin(caller, initialize)
    if (inner === undefined || protocolVersion === undefined) return { response, id: null }
    const { hash, id } = SessionId.make()
    const { accountId, keyId } = caller
    const now = yield* Clock.currentTimeMillis
    const session = { hash, accountId, keyId }
    const text = new TextDecoder().decode(initialize)
    yield* add({ ...session, inner, calls: 0, usedAt: now, storedCallAt: null })
    const toStore = { ...session, protocolVersion, initialize: text, openedAt: now }
    yield* stored.insert(toStore, bounds.ofKey - 1, toGo(now)).pipe(
      Effect.flatMap(close),
      Effect.onError(() => close([hash]))
    )
    return { response: Capabilities.truthful(response), id }
  }, Effect.uninterruptible)

  /** Keeps the session in memory until the call has ended. */
  const enter = (caller: Caller, session: OpenSessions.OpenSession, now: number) => {
    if (!isOwner(caller, session)) return Effect.fail(new SessionGone())
    open.use(session, now)
    session.calls++
    return Effect.succeed(session)
  }

  /** Opens a stored session again. Ends it when the answer differs from the one that the client was given. */
  const reopen = Effect.fnUntraced(function* (caller: Caller, hash: string, now: number) {
    const known = open.find(hash)
    if (known !== undefined) return yield* enter(caller, known, now)
    const found = yield* stored.find(hash)
    if (found === undefined || !isOwner(caller, found)) return yield* new SessionGone()
    const begun = yield* begin(caller, new TextEncoder().encode(found.initialize))
    const { inner, protocolVersion } = begun
    if (begun.response.status >= 500) return yield* Effect.die("expected a session to open again")
    if (inner === undefined || protocolVersion !== found.protocolVersion) {
      if (inner !== undefined) yield* endpoint.terminate(inner)
      yield* stored.remove([hash])
      return yield* new SessionGone()
    }
    const { accountId, calledAt, keyId } = found
    return yield* add({ hash, accountId, keyId, inner, calls: 1, usedAt: now, storedCallAt: calledAt })
  })

  const take = Effect.fnUntraced(function* (caller: Caller, id: string) {
    const hash = SessionId.hashOf(id)
    if (hash === null) return yield* new SessionGone()
    const now = yield* Clock.currentTimeMillis
    const known = open.find(hash)
    const session = yield* known === undefined
      ? inTurn(hash)(reopen(caller, hash, now))
      : enter(caller, known, now)
    if (session.storedCallAt === null || now - session.storedCallAt >= writeUseEveryMs) {
      session.storedCallAt = now
      yield* Effect.ignore(stored.touch(hash, now), { log: true })
    }
    return session
  })

  /** Returns the runtime's name of the session, which stays in memory until the scope closes. */
  const hold = (caller: Caller, id: string) =>
    Effect.map(
      Effect.acquireRelease(take(caller, id), (session) => Effect.sync(() => void session.calls--)),
      ({ inner }) => inner
    )

  /** Ends the session permanently and interrupts its calls. */
  const end = Effect.fnUntraced(function* (caller: Caller, id: string) {
    const hash = SessionId.hashOf(id)
    if (hash === null) return yield* new SessionGone()
    const endIt = Effect.gen(function* () {
      const found = yield* stored.find(hash)
      if (found === undefined || !isOwner(caller, found)) return yield* new SessionGone()
      yield* forget([hash])
    })
    yield* inTurn(hash)(endIt)
  }, Effect.uninterruptible)

  /** Removes sessions from memory that were not used for half an hour. The next call opens them again. */
  const letGo = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* release(open.takeIdle(now - idleMs))
  })

  /** Deletes sessions that were not used for 30 days, exceed the limits, or have no valid key. */
  const expire = Effect.fnUntraced(function* (
    isAlive: (owner: StoredSessions.Owner) => Effect.Effect<boolean>
  ) {
    const now = yield* Clock.currentTimeMillis
    const pruned = yield* stored.prune(now - expiryMs, bounds.stored)
    yield* close(pruned)
    for (const owner of yield* stored.owners) {
      if (yield* isAlive(owner)) continue
      yield* forget((yield* stored.ofKey(owner.keyId)).map(({ hash }) => hash))
    }
  })

  return {
    open: openOne,
    hold,
    end,
    letGo,
    expire,
    /** Sessions in memory. */
    size: open.size
  }
})

export class Sessions extends Context.Service<Sessions, Effect.Success<typeof make>>()(
  "inferlog/src/edges/mcp/sessions/Sessions"
) {
  static readonly layer = Layer.effect(Sessions, make)
}

const isOwner = (caller: Caller, session: StoredSessions.Owner): boolean =>
  caller.accountId === session.accountId && caller.keyId === session.keyId
