import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer } from "effect"
import { RequestId } from "#domain/Ids.ts"
import { ChunkStore } from "#src/features/live-output/ChunkStore.ts"
import * as NatsChunkStore from "#src/features/live-output/NatsChunkStore.ts"
import { Nats } from "#streams/nats/Nats.ts"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import { chunkStoreContract } from "#test/support/src/features/live-output/ChunkStoreContract.ts"

const options = (url: string) =>
  Effect.orDie(Effect.fromResult(NatsOptions.parse(`${url}?prefix=outputs&storage=memory`)))

/** Two nodes at one server. */
const nodes = Layer.unwrap(
  Effect.gen(function* () {
    const { url } = yield* NatsServer.make()
    return NatsChunkStore.layer.pipe(Layer.provide(Nats.layer(yield* options(url))))
  })
)

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("Chunks at NATS servers"), () => {
  chunkStoreContract("NATS", nodes)

  it.live("are announced to other nodes", () =>
    Effect.gen(function* () {
      const { url } = yield* NatsServer.make()
      const nats = Nats.layer(yield* options(url))
      const node = Effect.map(
        Layer.build(Layer.fresh(Layer.provide(NatsChunkStore.layer, nats))),
        Context.get(ChunkStore)
      )
      const id = RequestId.make("rq0000000000000000009")
      const writer = yield* node
      const reader = yield* node
      const news = yield* Deferred.make<void>()
      yield* reader.watch(id, () => Deferred.doneUnsafe(news, Effect.void))
      assert.isNull(yield* reader.read(id, null))
      yield* writer.write([{ requestId: id, run: "1-aaaaaa", first: 1, texts: ["1"], isComplete: false }])
      yield* Deferred.await(news)
      assert.deepStrictEqual((yield* reader.read(id, null))?.texts, ["1"])
    })
  )
})
