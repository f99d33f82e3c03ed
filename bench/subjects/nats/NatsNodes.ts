/** Several nodes of our server on this machine that share one log on a NATS server and one blob folder. */
import { Array, Effect } from "effect"
import * as ScratchDirectory from "../../harness/ScratchDirectory.ts"
import * as Inferlog from "../Inferlog.ts"
import type { Broker, Sync } from "./Broker.ts"

const masterKey = "5d".repeat(32)

/** The log's address on the NATS server. */
export const logAt = ({ url }: Pick<Broker, "url">, sync: Sync = "default"): string =>
  `${url}?prefix=bench${sync === "always" ? "&sync=always" : ""}`

export interface Options {
  readonly broker: Broker
  readonly sync: Sync
  /** At least one. */
  readonly nodes: number
  /** Arguments of Node. */
  readonly command: ReadonlyArray<string>
}

/** Starts the nodes in sequence, because the first one creates the shared streams. */
export const serve = Effect.fnUntraced(function* ({ broker, command, nodes, sync }: Options) {
  const blobs = yield* ScratchDirectory.make
  const settings = {
    EVENT_STORE: logAt(broker, sync),
    MASTER_KEY: masterKey,
    BLOB_STORE: `file://${blobs}`
  }
  return yield* Effect.forEach(
    Array.makeBy(nodes, () => undefined),
    () => Effect.flatMap(ScratchDirectory.make, (directory) => Inferlog.serveIn(directory, command, settings))
  )
})
