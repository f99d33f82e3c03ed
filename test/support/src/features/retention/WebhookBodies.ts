/** Webhook bodies with personal data, and who can still read it. */
import { Effect, Layer, Result } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import { Payloads } from "#streams/Payload.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"

export const secret = "jane.doe@example.com"
export const small = { value: secret }
/** Too large for the log. */
export const large = { value: secret.repeat(inlineLimit / 10) }

export const nodeOptions = { models: [Facts.model], delivers: true }

export const erase = (id: RequestId) => Effect.flatMap(Eraser, (eraser) => eraser.erase(id, "requested"))

/** The parts of the body that can still be read: in memory, on the log, in the blob store. */
export const left = Effect.fnUntraced(function* (id: string) {
  const { scheduled } = yield* Facts.delivery(id)
  const { accountId, payloads: refs } = scheduled
  const stream = Facts.streamOf(id)
  const opened = yield* Effect.result((yield* Payloads).open(stream, "body", refs.body))
  const record = yield* (yield* EventReader).payload(stream, "body")
  const size = yield* (yield* BlobStore).size(`payloads/${accountId}/${stream}/body-${refs.body.hash}`)
  return { opens: Result.isSuccess(opened), isRecorded: record !== null, hasBlob: size !== null }
})

export const nothing = { opens: false, isRecorded: false, hasBlob: false }

/** The blobs of the layer below. Runs an action before the first webhook body is stored. */
export const watchedBlobs = () => {
  const keys: Array<string> = []
  let before: Effect.Effect<unknown> = Effect.void
  const blobs = Layer.effect(
    BlobStore,
    Effect.map(BlobStore, (blobs) =>
      BlobStore.of({
        ...blobs,
        put: (key, body) => {
          if (!key.includes("/WebhookDelivery-")) return blobs.put(key, body)
          keys.push(key)
          const first = keys.length === 1 ? before : Effect.void
          return Effect.andThen(first, blobs.put(key, body))
        }
      })
    )
  )
  const storeLayer = Layer.provideMerge(blobs, TestNode.storeLayer)
  return {
    storeLayer,
    layer: Layer.provideMerge(TestNode.nodeLayer(nodeOptions), storeLayer),
    /** The keys of the stored bodies. */
    keys: () => keys,
    beforeFirst: (effect: Effect.Effect<unknown>) => void (before = effect)
  }
}
