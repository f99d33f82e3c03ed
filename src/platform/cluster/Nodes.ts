/** The name of this node, and the live nodes. A node is one life of a process: after a restart it is another node. */
import * as crypto from "node:crypto"
import { Context, Layer, Stream } from "effect"

export class Nodes extends Context.Service<
  Nodes,
  {
    /** The name in this node's claims. */
    readonly self: string
    /** Whether the node may still be working on its claims. */
    readonly isAlive: (node: string) => boolean
    /** All live nodes including this one, sorted by name. */
    readonly live: () => ReadonlyArray<string>
    /** Emits after a node has come or gone, coalesced. */
    readonly changes: Stream.Stream<void>
  }
>()("inferlog/src/platform/cluster/Nodes") {
  /** A single node: the lock of the data directory guarantees that there is no other. */
  static readonly layerSingle = Layer.sync(Nodes, () => {
    const self = makeName()
    return Nodes.of({
      self,
      isAlive: (node) => node === self,
      live: () => [self],
      changes: Stream.never
    })
  })
}

/** The name of a new node. */
export const makeName = (): string => `node_${crypto.randomBytes(9).toString("base64url")}`
