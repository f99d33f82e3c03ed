/** Checks the settings that nodes of a shared log need, before any server is called or file created. */
import { Effect, Layer, Option } from "effect"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import { given } from "#src/kernel/secrets/GivenMasterKey.ts"
import { MasterKey, MasterKeyMissing } from "#src/kernel/secrets/MasterKey.ts"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import { LogServers } from "./LogServers.ts"

export const check = Effect.gen(function* () {
  const { _tag } = yield* eventStore.config
  const key = yield* given
  if (_tag === "Sqlite") return
  if (Option.isNone(key)) return yield* new MasterKeyMissing()
  yield* BlobStorage.checkShared
})

/** Loaded only when there are other nodes. */
const agreed = Effect.gen(function* () {
  const [{ ClusterFacts }, RestoreMark] = yield* Effect.promise(() =>
    Promise.all([import("./ClusterFacts.ts"), import("./RestoreMark.ts")])
  )
  yield* Effect.provide(RestoreMark.check, ClusterFacts.layer)
  const { fingerprint } = yield* MasterKey
  yield* ClusterFacts.check({ fingerprint })
})

/** Checks that this node has the same settings as the other nodes. */
export const layerAgreed = LogServers.choose({ single: Layer.empty, shared: Layer.effectDiscard(agreed) })
