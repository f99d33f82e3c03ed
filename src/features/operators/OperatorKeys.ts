/** The administration of operators. Secrets are returned once; the log has only their hashes. */
import * as crypto from "node:crypto"
import { Clock, Context, Effect, Layer, Redacted, Semaphore } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { KeyId } from "#domain/Ids.ts"
import * as Operator from "#domain/operator/Operator.ts"
import type { Role } from "#domain/operator/Role.ts"
import { Operators } from "#projections/operators/Operators.ts"
import { Projections } from "#projections/Projections.ts"
import type { ReadModelBehind } from "#projections/ReadModelError.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { ActingOperator, isOnHost } from "./Operator.ts"
import { OperatorActors } from "./OperatorActors.ts"
import { OperatorNotFound, OperatorEnded, LastOwner } from "./OperatorErrors.ts"

interface Issued {
  readonly operatorId: Operator.OperatorId
  /** `<operatorId>:<secret>` */
  readonly key: Redacted.Redacted
}

/** Unix time in ms; `null`: never. */
type Expiry = number | null

type Guarded = OperatorNotFound | LastOwner | ReadModelBehind | SqlError | EventStoreError

export class OperatorKeys extends Context.Service<
  OperatorKeys,
  {
    /** Valid at once. */
    create(options: {
      readonly name: string
      readonly role: Role
      readonly expiresAt: Expiry
    }): Effect.Effect<Issued, EventStoreError>
    /** In force with the operator's next call. */
    changeRole(options: {
      readonly operatorId: Operator.OperatorId
      readonly role: Role
    }): Effect.Effect<void, OperatorEnded | Guarded>
    /** Replaces the secret at once, also of an operator that has expired. An absent expiry stays as it is. */
    rotate(options: {
      readonly operatorId: Operator.OperatorId
      readonly expiresAt?: Expiry
    }): Effect.Effect<Issued, OperatorNotFound | OperatorEnded | EventStoreError>
    /** At once and for good. Repeating it changes nothing. */
    revoke(operatorId: Operator.OperatorId): Effect.Effect<void, Guarded>
  }
>()("inferlog/src/features/operators/OperatorKeys") {
  static readonly layer = Layer.effect(
    OperatorKeys,
    Effect.gen(function* () {
      const actors = yield* OperatorActors
      const operators = yield* Operators
      const projections = yield* Projections
      /** Two owners of one node must not end each other. */
      const lock = yield* Semaphore.make(1)

      const secretOf = (operatorId: Operator.OperatorId) => {
        const key = { keyId: KeyId.make(operatorId), secret: ApiKey.makeSecret() }
        return {
          secretHash: ApiKey.hashSecret(key.secret),
          issued: { operatorId, key: Redacted.make(ApiKey.format(key)) }
        }
      }

      const execute = (operatorId: Operator.OperatorId, command: Operator.Command) =>
        actors.execute(operatorId, command).pipe(
          Effect.catchTags({
            OperatorNotFound: () => Effect.fail(new OperatorNotFound()),
            OperatorEnded: () => Effect.fail(new OperatorEnded())
          })
        )

      /** Fails for the last owner, without whom no owner could administer over HTTP. */
      const keepsAnOwner = Effect.fnUntraced(function* (operatorId: Operator.OperatorId) {
        const { operator } = yield* ActingOperator
        if (isOnHost(operator)) return
        const now = yield* Clock.currentTimeMillis
        const { state } = yield* actors.refresh(operatorId)
        if (state._tag === "NotCreated" || state.role !== "owner" || !Operator.isValid(state, now)) return
        yield* projections.current("operators")
        if ((yield* operators.countOwners({ except: operatorId, now })) === 0) return yield* new LastOwner()
      })

      const create = Effect.fn("OperatorKeys.create")(function* (
        options: Parameters<OperatorKeys["Service"]["create"]>[0]
      ) {
        const operatorId = Operator.OperatorId.make(`op_${crypto.randomBytes(8).toString("hex")}`)
        const { issued, secretHash } = secretOf(operatorId)
        const at = yield* Clock.currentTimeMillis
        yield* actors
          .create(operatorId, { _tag: "Create", operator: { at, secretHash, ...options } })
          .pipe(Effect.catchTag(["OperatorNotFound", "OperatorEnded"], Effect.die))
        return issued
      })

      const changeRole = Effect.fn("OperatorKeys.changeRole")(function* ({
        operatorId,
        role
      }: Parameters<OperatorKeys["Service"]["changeRole"]>[0]) {
        if (role !== "owner") yield* keepsAnOwner(operatorId)
        yield* execute(operatorId, { _tag: "ChangeRole", at: yield* Clock.currentTimeMillis, role })
      })

      const rotate = Effect.fn("OperatorKeys.rotate")(function* ({
        operatorId,
        ...expiry
      }: Parameters<OperatorKeys["Service"]["rotate"]>[0]) {
        const { issued, secretHash } = secretOf(operatorId)
        yield* execute(operatorId, {
          _tag: "RotateKey",
          at: yield* Clock.currentTimeMillis,
          secretHash,
          ...expiry
        })
        return issued
      })

      const revoke = Effect.fn("OperatorKeys.revoke")(function* (operatorId: Operator.OperatorId) {
        yield* keepsAnOwner(operatorId)
        yield* execute(operatorId, { _tag: "Revoke", at: yield* Clock.currentTimeMillis }).pipe(
          // Revoking never fails for a state of the operator.
          Effect.catchTag("OperatorEnded", Effect.die)
        )
      })

      return OperatorKeys.of({
        create,
        changeRole: (options) => lock.withPermit(changeRole(options)),
        rotate,
        revoke: (operatorId) => lock.withPermit(revoke(operatorId))
      })
    })
  ).pipe(Layer.provide(Operators.layer))
}
