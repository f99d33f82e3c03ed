/**
 * Decides which nodes are alive, from the time of their last heartbeat. Silence counts against a node only while
 * this node's own heartbeats come back: otherwise this node is cut off. All times are ms of one monotonic clock.
 */
export interface Heartbeats {
  /** All live nodes including this one, sorted by name. */
  readonly live: () => ReadonlyArray<string>
  /** While this node is cut off, a node without recent heartbeats may still be alive. */
  readonly isAlive: (node: string, now: number) => boolean
  /** Records a heartbeat of another node. Like the functions below, returns whether the live nodes may have changed. */
  readonly heard: (node: string, now: number) => boolean
  /** Records that the node has announced its end. */
  readonly left: (node: string) => boolean
  /** Records that this node's own heartbeat came back, after everything that the others had sent before. */
  readonly echoed: (now: number) => boolean
  /** Records that all stored heartbeats have been read. From now on an unknown node is not alive. */
  readonly listed: (now: number) => boolean
  /** Records that no heartbeats arrive until `listed`. */
  readonly deafened: () => void
}

export interface HeartbeatsOptions {
  readonly self: string
  /** A node without a heartbeat for this long is dead. */
  readonly deadMs: number
  /** A longer gap between own heartbeats means that this node was cut off or paused. */
  readonly lateMs: number
}

export const make = ({ deadMs, lateMs, self }: HeartbeatsOptions): Heartbeats => {
  const heardAt = new Map<string, number>()
  let live: ReadonlyArray<string> = [self]
  let isListening = false
  let isCertain = false
  let echoedAt = 0

  const arrange = () => {
    live = [self, ...heardAt.keys()].sort()
  }

  const forget = (nodes: ReadonlyArray<string>): boolean => {
    for (const node of nodes) heardAt.delete(node)
    if (nodes.length > 0) arrange()
    return nodes.length > 0
  }

  /** Silence during the gap does not count against any node. */
  const forgive = (now: number) => {
    for (const node of heardAt.keys()) heardAt.set(node, now)
  }

  const becomeCertain = (): boolean => {
    const wasCertain = isCertain
    isCertain = true
    return !wasCertain
  }

  return {
    live: () => live,
    isAlive: (node, now) => node === self || heardAt.has(node) || !isCertain || now - echoedAt > lateMs,
    heard: (node, now) => {
      const isNew = !heardAt.has(node)
      heardAt.set(node, now)
      if (isNew) arrange()
      return isNew
    },
    left: (node) => forget(heardAt.has(node) ? [node] : []),
    echoed: (now) => {
      if (!isListening) return false
      const isLate = now - echoedAt > lateMs
      echoedAt = now
      if (isLate) {
        forgive(now)
        isCertain = false
        return false
      }
      const silent = [...heardAt].filter(([, at]) => now - at >= deadMs).map(([node]) => node)
      const hasForgotten = forget(silent)
      return becomeCertain() || hasForgotten
    },
    listed: (now) => {
      forgive(now)
      isListening = true
      echoedAt = now
      return becomeCertain()
    },
    deafened: () => {
      isListening = false
      isCertain = false
    }
  }
}
