/**
 * Places in the queues of models with `maxQueued`. A submit takes one before it is appended, so that parallel submits at this
 * node cannot share the last one. Submits at other nodes count when the work queue of this node has them.
 */
import type { RequestId } from "#domain/Ids.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { Depth } from "./QueueDepth.ts"

interface Place {
  /** Submits of the request that are under way: several under one `Idempotency-Key`. */
  takers: number
  /** Where the request is on the log; `null` until it is known to be there. */
  position: GlobalPosition.GlobalPosition | null
}

interface Queue {
  /** The newest that was read of it. An older one no longer fits `places`. */
  depth: Depth
  /** Of requests that `depth` may not count. */
  readonly places: Map<RequestId, Place>
}

/** Synchronous, so that nothing changes between a check and its effect. */
export interface QueuePlaces {
  /** Whether fewer than `limit` requests wait or are about to. `depth`: what was just read of the queue. */
  readonly isFree: (endpoint: string, limit: number, depth: Depth) => boolean
  /** Takes a place if one is free. A request that has a place keeps it. */
  readonly take: (requestId: RequestId, endpoint: string, limit: number, depth: Depth) => boolean
  /** The request is on the log: its place is kept until the work queue counts it. */
  readonly keep: (requestId: RequestId, endpoint: string, position: GlobalPosition.GlobalPosition) => void
  /** The submit has put no request on the log. */
  readonly release: (requestId: RequestId, endpoint: string) => void
}

export const make = (): QueuePlaces => {
  const queues = new Map<string, Queue>()

  /** Places whose requests `depth` counts are given up. */
  const queueAt = (endpoint: string, depth: Depth): Queue => {
    const queue = queues.get(endpoint) ?? { depth, places: new Map<RequestId, Place>() }
    queues.set(endpoint, queue)
    if (!GlobalPosition.isReached(queue.depth.position, depth.position)) return queue
    queue.depth = depth
    for (const [requestId, { position }] of queue.places) {
      if (position !== null && GlobalPosition.isReached(position, depth.position))
        queue.places.delete(requestId)
    }
    return queue
  }

  const isBelow = ({ depth, places }: Queue, limit: number): boolean => depth.queued + places.size < limit

  return {
    isFree: (endpoint, limit, depth) => isBelow(queueAt(endpoint, depth), limit),
    take: (requestId, endpoint, limit, depth) => {
      const queue = queueAt(endpoint, depth)
      const place = queue.places.get(requestId)
      if (place === undefined && !isBelow(queue, limit)) return false
      if (place === undefined) queue.places.set(requestId, { takers: 1, position: null })
      else place.takers++
      return true
    },
    keep: (requestId, endpoint, position) => {
      const place = queues.get(endpoint)?.places.get(requestId)
      if (place !== undefined) place.position = position
    },
    release: (requestId, endpoint) => {
      const places = queues.get(endpoint)?.places
      const place = places?.get(requestId)
      if (place === undefined || place.position !== null) return
      place.takers--
      if (place.takers === 0) places?.delete(requestId)
    }
  }
}
