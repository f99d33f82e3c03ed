/** From an `Authorization` header to the worker behind it. */
import { Clock, Context, Effect, Layer } from "effect"
import type { KeyId } from "#domain/Ids.ts"
import * as WorkerKey from "#domain/worker-key/WorkerKey.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { presentedBy, Unauthorized } from "#src/features/accounts/Authentication.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { WorkerKeyActors } from "./WorkerKeyActors.ts"

export interface Worker {
  readonly keyId: KeyId
  /** Whether it may take jobs of the model. */
  readonly allows: (model: string) => boolean
  /** Whether its key opens anything by now, as far as this node knows: for calls that take a while. */
  readonly isAdmitted: () => boolean
}

/** Compared with when there is no such key, so that an unknown id takes as long as a wrong secret. */
const noSecret = ApiKey.expected(ApiKey.sha256Hex("no such key"))

export class WorkerAuthentication extends Context.Service<
  WorkerAuthentication,
  {
    /** `header` is `Key <keyId>:<secret>` of a worker key, or the same under `Bearer`; an account's key is none. */
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
        // Both, always: how long it takes tells nothing of either.
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
        // What is not in memory has not changed: whatever changes it on this node, or is seen by it, loads it.
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
