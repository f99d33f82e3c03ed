/** Splits the concurrency of a model over the live nodes. */
import * as Rendezvous from "#src/platform/cluster/Rendezvous.ts"

export interface Share {
  /** Runs that this node may have at the same time. */
  readonly runs: number
  /** The nodes with a share above zero. Only they claim requests of the model. */
  readonly nodes: ReadonlyArray<string>
}

/** The shares of all nodes add up to `concurrency`. Running runs continue when a node joins, so there may be more. */
export const of = (
  endpoint: string,
  concurrency: number,
  node: string,
  live: ReadonlyArray<string>
): Share => {
  const count = live.length
  if (count < 2) return { runs: concurrency, nodes: live }
  const each = Math.floor(concurrency / count)
  const rest = concurrency % count
  const hasMore = (one: string) => Rendezvous.rank(endpoint, one, live) < rest
  if (!live.includes(node)) return { runs: 0, nodes: live }
  return { runs: each + (hasMore(node) ? 1 : 0), nodes: each > 0 ? live : live.filter(hasMore) }
}
