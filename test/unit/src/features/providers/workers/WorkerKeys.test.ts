/** Worker keys as operators manage them: in the process that owns the log, and over the admin socket. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { KeyId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { WorkerAuthentication } from "#src/features/providers/workers/WorkerAuthentication.ts"
import { layers, quiet } from "#test/support/src/edges/admin/AdministrationLayers.ts"

const authenticates = Effect.fnUntraced(function* (key: Redacted.Redacted) {
  const { authenticate } = yield* WorkerAuthentication
  return yield* authenticate(`Key ${Redacted.value(key)}`).pipe(
    Effect.as(true),
    Effect.catchTag("Unauthorized", () => Effect.succeed(false))
  )
})

for (const [way, administration] of Object.entries(layers)) {
  const layer = WorkerAuthentication.layer.pipe(Layer.provideMerge(administration), Layer.provide(quiet))

  describe(`Worker keys (${way})`, () => {
    it.live("are issued, listed, rotated and revoked, each with immediate effect", () =>
      Effect.gen(function* () {
        const administration = yield* Administration
        const modelEndpoints = [ModelEndpoint.make("acme/upscale")]
        const expiresAt = (yield* Clock.currentTimeMillis) + 3_600_000
        const issued = yield* administration.issueWorkerKey({ name: "gpu-box", modelEndpoints, expiresAt })
        const other = yield* administration.issueWorkerKey({
          name: "spare",
          modelEndpoints: null,
          expiresAt: null
        })
        const { keyId } = issued
        assert.isTrue(yield* authenticates(issued.key))
        const rotated = yield* administration.rotateWorkerKey({ keyId, graceMs: 60_000 })
        assert.isNotNull(rotated.previousExpiresAt)
        assert.isTrue(yield* authenticates(issued.key))
        assert.isTrue(yield* authenticates(rotated.key))
        yield* administration.revokeWorkerKey({ keyId })
        yield* administration.revokeWorkerKey({ keyId })
        for (const key of [issued.key, rotated.key]) assert.isFalse(yield* authenticates(key))

        const { data: listed } = yield* administration.listWorkerKeys({ after: null })
        assert.deepStrictEqual(
          listed.map((one) => one.keyId),
          [keyId, other.keyId].sort()
        )
        const found = listed.find((one) => one.keyId === keyId)
        assert.deepInclude(found, { name: "gpu-box", modelEndpoints, expiresAt })
        assert.isNotNull(found?.revokedAt)
        assert.isNotNull(found?.rotatedAt)
        assert.deepInclude(
          listed.find((one) => one.keyId === other.keyId),
          { modelEndpoints: null, expiresAt: null, rotatedAt: null, revokedAt: null }
        )
        const [first] = listed
        assert.deepStrictEqual(yield* administration.listWorkerKeys({ after: first?.keyId ?? null }), {
          data: listed.slice(1),
          next: null
        })

        const ended = yield* Effect.flip(administration.rotateWorkerKey({ keyId, graceMs: 0 }))
        assert.strictEqual(ended._tag, "WorkerKeyEnded")
        const nobody = KeyId.make("worker_nobody")
        const revoke = yield* Effect.flip(administration.revokeWorkerKey({ keyId: nobody }))
        assert.strictEqual(revoke._tag, "WorkerKeyNotFound")
        const rotate = yield* Effect.flip(administration.rotateWorkerKey({ keyId: nobody, graceMs: 0 }))
        assert.strictEqual(rotate._tag, "WorkerKeyNotFound")
      }).pipe(Effect.provide(layer))
    )
  })
}
