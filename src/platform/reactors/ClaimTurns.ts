/**
 * Decides which node may claim a due request. The first turn goes to the node that rendezvous hashing ranks first; after each
 * grace time the next node has its turn. Claims race only when clocks disagree, and no request waits
 * for a node that is gone, stuck or full.
 */
import * as Rendezvous from "#src/platform/cluster/Rendezvous.ts"

/** How long the turn of a node lasts, ms. */
export const graceMs = 2_000

/** The same for pull workers, ms. It is short because only the node at which a worker waits can run the request. */
export const workersGraceMs = 100

/** The most rows that one node reads at once when other nodes claim too. */
const maxRows = 2_048
const spareClaims = 8

/** How many rows to read to find about `claims` rows of this node. A single node owns every row. */
export const rowsFor = (claims: number, { length: count }: ReadonlyArray<string>): number =>
  count < 2 ? claims : Math.max(claims, Math.min(2 * count * (claims + spareClaims), maxRows))

/** A due request. `dueAt`, and every `now` here, is Unix time in ms. */
interface Due {
  readonly requestId: string
  readonly dueAt: number
}

export interface ClaimTurns<Row> {
  /** The rows whose turn is this node's now, in their order. */
  readonly rows: ReadonlyArray<Row>
  /** When this node's turn comes at the first of the other rows, Unix time in ms; `null` when there are no other rows. */
  readonly nextAt: number | null
}

/** When `node` may claim the request: `now`, or the beginning of its next turn. */
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

/** Splits the rows into those of `node`, one of `nodes`, and the others. A single node owns all rows without hashing. */
export const of = <Row extends Due>(
  rows: ReadonlyArray<Row>,
  node: string,
  nodes: ReadonlyArray<string>,
  now: number,
  grace = graceMs
): ClaimTurns<Row> => {
  if (nodes.length < 2) return { rows, nextAt: null }
  let nextAt: number | null = null
  const own = rows.filter((row) => {
    const at = turnOf(row, node, nodes, now, grace)
    if (at > now) nextAt = Math.min(at, nextAt ?? at)
    return at <= now
  })
  return { rows: own, nextAt }
}
