/**
 * Which nodes live, judged by when this one last heard them. Only time in which its own heartbeats came back to it tells
 * against the others: who hears nothing at all is cut off himself. All times are of one monotonic clock, ms.
 */
export interface Heartbeats {
  /** All that live, this one among them, in the order of their names. */
  readonly live: () => ReadonlyArray<string>
  /** A node that was never heard, or no longer, may live all the same while this one hears nothing. */
  readonly isAlive: (node: string, now: number) => boolean
  /** Of another node. As below it gives whether there is anything new to know. */
  readonly heard: (node: string, now: number) => boolean
  /** The node has said that it goes. */
  readonly left: (node: string) => boolean
  /** The own heartbeat came back, and with it all that the others had sent before. */
  readonly echoed: (now: number) => boolean
  /** All that live have been heard: of who is unknown from now on it is known that he does not. */
  readonly listed: (now: number) => boolean
  /** Nothing is heard any more, until `listed`. */
  readonly deafened: () => void
}

export interface HeartbeatsOptions {
  readonly self: string
  /** For how long a node is not heard that counts as dead. */
  readonly deadMs: number
  /** An own heartbeat that takes longer to follow the last one says that this node was cut off, or held. */
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

  /** What was not heard in the meantime is nobody's fault. */
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
