/** Finds the worker of an `Authorization` header. */
import { Clock, Context, Effect, Layer } from "effect"
import type { KeyId } from "#domain/Ids.ts"
import * as WorkerKey from "#domain/worker-key/WorkerKey.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { presentedBy, Unauthorized } from "#src/features/accounts/Authentication.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { WorkerKeyActors } from "./WorkerKeyActors.ts"

export interface Worker {
  readonly keyId: KeyId
  /** Whether the worker may take jobs of the model. */
  readonly allows: (model: string) => boolean
  /** Whether the key is still valid, as far as this node knows. For calls that take a while. */
  readonly isAdmitted: () => boolean
  /** What the worker says about itself, for operators. */
  readonly about?: {
    /** `null`: workers with the same key are not told apart. */
    readonly id: string | null
    readonly version: string | null
  }
}

/** Compared when the key does not exist, so that an unknown id takes as long as a wrong secret. */
const noSecret = ApiKey.expected(ApiKey.sha256Hex("no such key"))

export class WorkerAuthentication extends Context.Service<
  WorkerAuthentication,
  {
    /** `header` is `Key <keyId>:<secret>` of a worker key, or the same with `Bearer`. Keys of accounts are refused. */
    authenticate(header: string | undefined): Effect.Effect<Worker, Unauthorized | EventStoreError>
  }
>()("inferlog/src/features/providers/workers/WorkerAuthentication") {
  static readonly layer = Layer.effect(
    WorkerAuthentication,
    Effect.gen(function* () {
      const actors = yield* WorkerKeyActors
      const clock = yield* Clock.Clock

      const judge = (presented: ApiKey.Presented, state: WorkerKey.State) => {
        const now = clock.currentTimeMillisUnsafe()
        const key = state._tag === "WorkerKey" ? state : null
        const previous = key?.previous ?? null
        // Always computes both, so that the time reveals nothing.
        const isInForce = ApiKey.matches(presented, key === null ? noSecret : ApiKey.expected(key.secretHash))
        const isPrevious = ApiKey.matches(
          presented,
          previous === null ? noSecret : ApiKey.expected(previous.secretHash)
        )
        if (key === null || !WorkerKey.isValid(key, now)) return null
        return isInForce || (isPrevious && previous !== null && now < previous.expiresAt) ? key : null
      }

      const workerOf = (presented: ApiKey.Presented, key: WorkerKey.WorkerKey): Worker => ({
        keyId: presented.keyId,
        allows: (model) => WorkerKey.allows(key, model),
        // A key that is not in memory has not changed: every change that this node makes or sees loads it.
        isAdmitted: () => judge(presented, actors.peek(presented.keyId)?.state ?? key) !== null
      })

      return WorkerAuthentication.of({
        authenticate: Effect.fnUntraced(function* (header) {
          const presented = presentedBy(header)
          if (presented === null) return yield* new Unauthorized()
          const { state } = yield* actors.current(presented.keyId)
          const key = judge(presented, state)
          return key === null ? yield* new Unauthorized() : workerOf(presented, key)
        })
      })
    })
  )
}
