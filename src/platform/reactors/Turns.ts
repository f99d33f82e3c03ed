/**
 * Whose turn a due request is. One node at a time is to claim it: first the one that rendezvous hashing names, and as long as
 * it waits, with every grace that passes the next one, round and round. So claims race only where clocks disagree, and no
 * request waits for a node that is gone, stuck or full.
 */
import * as Rendezvous from "#src/platform/cluster/Rendezvous.ts"

/** Each node's turn, ms. */
export const graceMs = 2_000

/** The same of what only the node can run that a worker happens to wait at: nobody is stuck there, the others have no room. */
export const workersGraceMs = 100

/** Rows looked at by one node at once when others claim too, at most. */
const maxRows = 2_048
const spareClaims = 8

/** How many rows to look at for `claims` claims, so that some are the node's own. On the only node every row is. */
export const rowsFor = (claims: number, { length: count }: ReadonlyArray<string>): number =>
  count < 2 ? claims : Math.max(claims, Math.min(2 * count * (claims + spareClaims), maxRows))

/** What is due, at `dueAt` as `now` in Unix time, ms. */
interface Due {
  readonly requestId: string
  readonly dueAt: number
}

export interface Turns<Row> {
  /** Those of this node now, in their order. */
  readonly rows: ReadonlyArray<Row>
  /** When the first of the others is this node's, should it wait that long, Unix time in ms; `null` when there is none. */
  readonly nextAt: number | null
}

/** When the request is `node`'s: `now`, or the beginning of its next turn. */
const turnOf = (
  { dueAt, requestId }: Due,
  node: string,
  nodes: ReadonlyArray<string>,
  now: number,
  grace: number
): number => {
  const turn = Math.max(0, Math.floor((now - dueAt) / grace))
  const count = nodes.length
  const ahead = (Rendezvous.rank(requestId, node, nodes) + count - (turn % count)) % count
  return ahead === 0 ? now : dueAt + (turn + ahead) * grace
}

/** The turns of `node`, one of `nodes`. On the only node everything is its own, and nothing is hashed. */
export const of = <Row extends Due>(
  rows: ReadonlyArray<Row>,
  node: string,
  nodes: ReadonlyArray<string>,
  now: number,
  grace = graceMs
): Turns<Row> => {
  if (nodes.length < 2) return { rows, nextAt: null }
  let nextAt: number | null = null
  const own = rows.filter((row) => {
    const at = turnOf(row, node, nodes, now, grace)
    if (at > now) nextAt = Math.min(at, nextAt ?? at)
    return at <= now
  })
  return { rows: own, nextAt }
}
