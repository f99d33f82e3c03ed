/** A node as a separate process: prints its name, then the live nodes at each change. */
import { Console, Effect, Layer, Stream } from "effect"
import { Nats } from "#streams/nats/Nats.ts"
import * as NatsNodes from "#src/platform/cluster/NatsNodes.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as ClusterNode from "./ClusterNode.ts"

const [url = "", prefix = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const nodes = yield* Nodes
  yield* Console.log(nodes.self)
  yield* Stream.runForEach(nodes.changes, () => Console.log(nodes.live().join()))
})

void Effect.runPromise(
  program.pipe(
    Effect.provide(
      NatsNodes.layerWith(ClusterNode.quick).pipe(Layer.provide(Nats.layer(ClusterNode.options(url, prefix))))
    )
  )
)
