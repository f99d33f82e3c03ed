/** The operator's administration of worker keys. Secrets are returned once; the log has only their hashes. */
import * as crypto from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { KeyId } from "#domain/Ids.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { WorkerKeyActors } from "./WorkerKeyActors.ts"
import { WorkerKeyNotFound, WorkerKeyEnded } from "./WorkerKeyErrors.ts"

/** A prefix that shows people that it is not an account's key. The code does not rely on it. */
const makeKey = (): ApiKey.ApiKey => ({
  keyId: KeyId.make(`worker_${crypto.randomBytes(8).toString("hex")}`),
  secret: ApiKey.makeSecret()
})

export class WorkerKeys extends Context.Service<
  WorkerKeys,
  {
    /** Creates a key, valid at once. Its secret cannot be read again. */
    issue(options: {
      readonly name: string
      /** `null`: jobs of every model. */
      readonly modelEndpoints: ReadonlyArray<ModelEndpoint> | null
      /** Unix time in ms; `null`: never. */
      readonly expiresAt: number | null
    }): Effect.Effect<ApiKey.ApiKey, EventStoreError>
    /** Replaces the secret at once. The current one stays valid for `graceMs`; the one before it does not. */
    rotate(options: {
      readonly keyId: KeyId
      readonly graceMs: number
    }): Effect.Effect<
      { readonly key: ApiKey.ApiKey; readonly previousExpiresAt: number | null },
      WorkerKeyNotFound | WorkerKeyEnded | EventStoreError
    >
    /** Revokes the key at once. A worker's job with it is lost when its lease expires. Repeating it is safe. */
    revoke(keyId: KeyId): Effect.Effect<void, WorkerKeyNotFound | EventStoreError>
  }
>()("inferlog/src/features/providers/workers/WorkerKeys") {
  static readonly layer = Layer.effect(
    WorkerKeys,
    Effect.gen(function* () {
      const actors = yield* WorkerKeyActors

      const issue = Effect.fn("WorkerKeys.issue")(function* (
        options: Parameters<WorkerKeys["Service"]["issue"]>[0]
      ) {
        const key = makeKey()
        const at = yield* Clock.currentTimeMillis
        const secretHash = ApiKey.hashSecret(key.secret)
        yield* actors
          .create(key.keyId, { _tag: "Issue", key: { at, secretHash, ...options } })
          .pipe(Effect.catchTag(["WorkerKeyNotFound", "WorkerKeyEnded"], Effect.die))
        return key
      })

      const rotate = Effect.fn("WorkerKeys.rotate")(function* ({
        graceMs,
        keyId
      }: Parameters<WorkerKeys["Service"]["rotate"]>[0]) {
        const key = { keyId, secret: ApiKey.makeSecret() }
        const at = yield* Clock.currentTimeMillis
        yield* actors
          .execute(keyId, {
            _tag: "Rotate",
            at,
            secretHash: ApiKey.hashSecret(key.secret),
            previousExpiresAt: at + graceMs
          })
          .pipe(
            Effect.catchTags({
              WorkerKeyNotFound: () => Effect.fail(new WorkerKeyNotFound()),
              WorkerKeyEnded: () => Effect.fail(new WorkerKeyEnded())
            })
          )
        return { key, previousExpiresAt: graceMs === 0 ? null : at + graceMs }
      })

      const revoke = Effect.fn("WorkerKeys.revoke")(function* (keyId: KeyId) {
        yield* actors.execute(keyId, { _tag: "Revoke", at: yield* Clock.currentTimeMillis }).pipe(
          Effect.catchTags({
            WorkerKeyNotFound: () => Effect.fail(new WorkerKeyNotFound()),
            // Revoking never fails for a state of the key.
            WorkerKeyEnded: Effect.die
          })
        )
      })

      return WorkerKeys.of({ issue, rotate, revoke })
    })
  )
}
