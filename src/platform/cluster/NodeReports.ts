/**
 * What nodes report about themselves with their heartbeats, and signals to all nodes. A report is a few named parts, each
 * of which one room contributes. Nothing durable depends on it: a node that cannot report does its work.
 */
import { Clock, Context, Effect, Layer, type Scope, Stream } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import { Nodes } from "./Nodes.ts"

type Parts = Readonly<Record<string, Json>>

/** A node that was heard of in the last ten minutes. */
export interface HeardNode {
  readonly name: string
  readonly isSelf: boolean
  /** `false` after it has announced its end, or has been silent for too long. */
  readonly isLive: boolean
  /** Unix time in ms; `null` if unknown. */
  readonly startedAt: number | null
  /** When its last heartbeat arrived here, Unix time in ms. */
  readonly heardAt: number
  /** Empty for a node of a release without reports. */
  readonly parts: Parts
}

/** As many of the items, from the first, as fit into `maxBytes` of JSON. */
export const fitting = <Item extends Json>(items: Iterable<Item>, maxBytes: number): ReadonlyArray<Item> => {
  const found: Array<Item> = []
  let bytes = 0
  for (const item of items) {
    bytes += JSON.stringify(item).length + 1
    if (bytes > maxBytes) break
    found.push(item)
  }
  return found
}

interface Reports {
  /** `read` is called at each heartbeat until the scope closes. It reads memory only; a part of which it throws is left out. */
  readonly contribute: (part: string, read: () => Json) => Effect.Effect<void, never, Scope.Scope>
  /** All nodes including this one, sorted by name. */
  readonly heard: () => ReadonlyArray<HeardNode>
  /** Sends a short text to all other live nodes, each of which receives it once, usually within milliseconds. */
  readonly signal: (text: string) => void
  /** Texts from other nodes. */
  readonly signals: Stream.Stream<string>
}

/** Without a layer there are no nodes, as in a command. */
export const NodeReports = Context.Reference<Reports>("inferlog/src/platform/cluster/NodeReports", {
  defaultValue: () => ({
    contribute: () => Effect.void,
    heard: () => [],
    signal: () => undefined,
    signals: Stream.never
  })
})

export interface OwnParts {
  readonly contribute: Reports["contribute"]
  readonly read: () => Parts
}

export const makeOwnParts = (): OwnParts => {
  const sources = new Map<string, () => Json>()
  const read = () => {
    const parts: Record<string, Json> = {}
    for (const [part, source] of sources) {
      try {
        parts[part] = source()
      } catch {
        // A heartbeat does not depend on it.
      }
    }
    return parts
  }
  const contribute = (part: string, source: () => Json) =>
    Effect.acquireRelease(
      Effect.sync(() => void sources.set(part, source)),
      () => Effect.sync(() => void (sources.get(part) === source && sources.delete(part)))
    )
  return { contribute, read }
}

/** For a single node. */
export const layerSingle = Layer.effect(
  NodeReports,
  Effect.gen(function* () {
    const { self } = yield* Nodes
    const clock = yield* Clock.Clock
    const startedAt = yield* Clock.currentTimeMillis
    const own = makeOwnParts()
    return {
      contribute: own.contribute,
      heard: () => [
        {
          name: self,
          isSelf: true,
          isLive: true,
          startedAt,
          heardAt: clock.currentTimeMillisUnsafe(),
          parts: own.read()
        }
      ],
      signal: () => undefined,
      signals: Stream.never
    }
  })
)
