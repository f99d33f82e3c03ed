/** Which node this is, and which nodes live. A node is one life of a process: after a restart it is another one. */
import * as crypto from "node:crypto"
import { Context, Layer } from "effect"

export class NodeIdentity extends Context.Service<
  NodeIdentity,
  {
    /** What claims of this node carry. */
    readonly self: string
    /** Whether the node may still be at work on what it claimed. */
    readonly isAlive: (node: string) => boolean
  }
>()("inferlog/src/reactors/NodeIdentity") {
  /** The only node: the data directory's lock says that no other one lives. */
  static readonly layerSingle = Layer.sync(NodeIdentity, () => {
    const self = `node_${crypto.randomBytes(9).toString("base64url")}`
    return NodeIdentity.of({ self, isAlive: (node) => node === self })
  })
}
