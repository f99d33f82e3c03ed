/** What nodes that share a log have to be given: found out before a server is asked or a file is made. */
import { Effect, Layer, Option } from "effect"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import { MasterKey, masterKey, MasterKeyMissing } from "#src/kernel/secrets/MasterKey.ts"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import { LogServers } from "./LogServers.ts"

export const check = Effect.gen(function* () {
  const { _tag } = yield* eventStore.config
  if (_tag === "Sqlite") return
  if (Option.isNone(yield* masterKey.config)) return yield* new MasterKeyMissing()
  yield* BlobStorage.checkShared
})

/** Loaded where there are other nodes only. */
const agreed = Effect.gen(function* () {
  const { ClusterFacts } = yield* Effect.promise(() => import("./ClusterFacts.ts"))
  const { fingerprint } = yield* MasterKey
  yield* ClusterFacts.check({ fingerprint })
})

/** Whether they were given the same as the nodes before them. */
export const layerAgreed = LogServers.choose({ single: Layer.empty, shared: Layer.effectDiscard(agreed) })
