/** Which node this is, and which nodes live. A node is one life of a process: after a restart it is another one. */
import * as crypto from "node:crypto"
import { Context, Layer, Stream } from "effect"

export class Nodes extends Context.Service<
  Nodes,
  {
    /** What claims of this node carry. */
    readonly self: string
    /** Whether the node may still be at work on what it claimed. */
    readonly isAlive: (node: string) => boolean
    /** All that live, this one among them, in the order of their names. */
    readonly live: () => ReadonlyArray<string>
    /** Emits after a node has come or gone, coalesced. */
    readonly changes: Stream.Stream<void>
  }
>()("inferlog/src/platform/cluster/Nodes") {
  /** The only node: the data directory's lock says that no other one lives. */
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
