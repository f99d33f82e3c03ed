/** Finds the operator behind an `Authorization` header. */
import { Clock, Context, Effect, Layer } from "effect"
import * as Operator from "#domain/operator/Operator.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { presentedBy, Unauthorized } from "#src/features/accounts/Authentication.ts"
import { ConsoleSessionActors } from "#src/features/accounts/sessions/ConsoleSessionActors.ts"
import * as SessionCredential from "#src/features/accounts/sessions/SessionCredential.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { Operator as Caller } from "./Operator.ts"
import { OperatorActors } from "./OperatorActors.ts"

/** Compared when the operator does not exist, so that an unknown id takes as long as a wrong secret. */
const noSecret = ApiKey.expected(ApiKey.sha256Hex("no such operator"))

const isOperatorId = (id: string): boolean => Operator.OperatorId.makeOption(id)._tag === "Some"

export class OperatorAuthentication extends Context.Service<
  OperatorAuthentication,
  {
    /**
     * `header` is `Key <operatorId>:<secret>` or the same with `Bearer`, or has a session of the console instead. Keys of
     * accounts and workers are refused. As of the log, as far as this node knows: a change on another node is in force when
     * this node has read its event.
     */
    authenticate(header: string | undefined): Effect.Effect<Caller, Unauthorized | EventStoreError>
    /** The operator of a session of the console, which ends with the key's secret. */
    recognize(presented: SessionCredential.Presented): Effect.Effect<Caller, Unauthorized | EventStoreError>
  }
>()("inferlog/src/features/operators/OperatorAuthentication") {
  static readonly layer = Layer.effect(
    OperatorAuthentication,
    Effect.gen(function* () {
      const actors = yield* OperatorActors
      const sessions = yield* ConsoleSessionActors

      const recognize = Effect.fnUntraced(function* (presented: SessionCredential.Presented) {
        const { holder } = presented
        const now = yield* Clock.currentTimeMillis
        const current = sessions.peek(holder)
        // Another node may just have opened the session, with a new key.
        const known =
          current !== undefined && SessionCredential.isKnown(presented, current.state)
            ? current
            : yield* Effect.andThen(actors.refresh(holder), sessions.refresh(holder))
        const opener = SessionCredential.find(presented, known.state, now)?.opener
        const { state } = yield* actors.current(holder)
        if (opener?._tag !== "OperatorKey" || state._tag !== "Operator") return yield* new Unauthorized()
        if (opener.keyHash !== state.secretHash || !Operator.isValid(state, now)) {
          return yield* new Unauthorized()
        }
        return { id: holder, name: state.name, role: state.role }
      })

      return OperatorAuthentication.of({
        authenticate: Effect.fnUntraced(function* (header) {
          const session = SessionCredential.presentedBy(header)
          if (session !== null) return yield* recognize(session)
          const presented = presentedBy(header)
          if (presented === null || !isOperatorId(presented.keyId)) return yield* new Unauthorized()
          const { state } = yield* actors.current(presented.keyId)
          const found = state._tag === "Operator" ? state : null
          const isRight = ApiKey.matches(
            presented,
            found === null ? noSecret : ApiKey.expected(found.secretHash)
          )
          if (found === null || !isRight || !Operator.isValid(found, yield* Clock.currentTimeMillis)) {
            return yield* new Unauthorized()
          }
          return { id: presented.keyId, name: found.name, role: found.role }
        }),
        recognize
      })
    })
  )
}
