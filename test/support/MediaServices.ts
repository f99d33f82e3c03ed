/** File services over a blob store and a log in memory. */
import { Layer } from "effect"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import * as LocalUploadStore from "#src/features/media/storage/local/LocalUploadStore.ts"
import type { NewMedia } from "#src/features/media/Media.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { Payloads } from "#streams/Payload.ts"

/** The maker of a file that a test stores: a request submitted in 2096, so that no test's clock finds it expired. */
export const made = {
  maker: {
    accountId: AccountId.make("acc_0123456789abcdef"),
    requestId: RequestId.make("rq0123456789012345678"),
    submittedAt: 4_000_000_000_000
  },
  kind: "output"
} satisfies Partial<NewMedia>

/** Clients upload to this server. */
const local = LocalUploadStore.layer.pipe(
  Layer.provide(Layer.merge(MasterKey.layerOf(Buffer.alloc(32)), SteadyTime.layer))
)

/** Uses the log, the payloads and the blob store of the test. */
export const store = MediaStore.layer.pipe(Layer.provideMerge(local))

/** Uses the log, the blob store and the public URLs of the test. */
export const onLog = store.pipe(
  Layer.provideMerge(Layer.merge(FileActors.layer, Payloads.layer)),
  Layer.provideMerge(IdGenerator.layer)
)

/** Uses the blob store and the public URLs of the test. */
export const layer = onLog.pipe(Layer.provideMerge(MemoryEventStore.layer))
