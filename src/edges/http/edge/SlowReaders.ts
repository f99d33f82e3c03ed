/**
 * Protects the server against clients that request much and read little, on every kind of answer. A client that takes
 * nothing, or too little, for some time is disconnected. Large answers take room before they begin: if there is none,
 * the slowest clients are disconnected, or else the answer is refused.
 */
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Clock, Context, Effect } from "effect"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { AnswerRoom, type RoomLimits, type RoomRequest } from "./AnswerRoom.ts"
import { networkOf } from "./ClientAddress.ts"
import { type Pace, Reader, type Room, type Scope, type Slowness } from "./Reader.ts"

/** Answers to GET up to this many bytes are never refused for lack of room. */
export const small = 64 * 1024

/** The most bytes that a streamed answer has in memory: read, checked, and being sent. */
export const window = 512 * 1024

/** For metrics. */
export interface ReaderEvents {
  readonly dropped: (why: Slowness) => void
  readonly refused: (scope: Scope) => void
  /** Bytes that wait for clients, reported once a second. */
  readonly outstanding: (bytes: number) => void
}

export const ReaderEvents = Context.Reference<ReaderEvents>("inferlog/src/edges/http/edge/ReaderEvents", {
  defaultValue: () => ({ dropped: () => {}, refused: () => {}, outstanding: () => {} })
})

export interface AnswerRoomRequest extends Omit<RoomRequest, "client"> {
  /** `null` for an unauthenticated client, which counts by its address. */
  readonly accountId: string | null
  readonly address: () => string
}

/** Why an answer is refused. */
export interface Full {
  readonly scope: Scope
  /** Bytes. */
  readonly limit: number
  /** Whether the client is an account. */
  readonly hasAccount: boolean
}

export interface SlowReaders {
  /** Called once for each answer. Returns `null` if it may be sent, otherwise the limit without room. */
  readonly admit: (response: ServerResponse, request: AnswerRoomRequest) => Full | null
}

/** Without a server to watch there is no limit. */
export const SlowReaders = Context.Reference<SlowReaders>("inferlog/src/edges/http/edge/SlowReaders", {
  defaultValue: () => ({ admit: () => null })
})

export interface SlowReadersOptions {
  readonly pace: Pace
  readonly limits: RoomLimits
  readonly events: ReaderEvents
}

export interface Watch extends SlowReaders {
  /** Called before the server accepts connections. */
  readonly observe: (server: Server) => void
  /** @param elapsed ms since the last call. */
  readonly look: (elapsed: number) => void
}

export const make = ({ events, limits, pace }: SlowReadersOptions): Watch => {
  const readers = new Map<Socket, Reader>()
  const admitted = new WeakSet<ServerResponse>()
  const room = new AnswerRoom(limits)

  const drop = (reader: Reader, why: Slowness) => {
    for (const one of reader.rooms) room.giveBack(one)
    // A reset also discards what the operating system holds for the client.
    reader.socket.resetAndDestroy()
    readers.delete(reader.socket)
    events.dropped(why)
  }

  /** Disconnects the slowest clients until there is room. */
  const fullFor = (wanted: RoomRequest): Scope | null => {
    for (let full = room.fullFor(wanted); full !== null; full = room.fullFor(wanted)) {
      const slowest = slowestOf(full.rooms)
      if (slowest === undefined) return full.scope
      drop(slowest, "pressed")
    }
    return null
  }

  const admit: SlowReaders["admit"] = (response, { accountId, address, bytes, file }) => {
    const { method, socket } = response.req
    const isSmall = bytes <= small
    // The effect has happened, so its answer must be sent: a client without the id of its request would submit again.
    const isRefusable = !isSmall && method === "GET"
    // The usual case: the operating system takes it at once.
    if (isSmall && response.socket !== null && socket.writableLength === 0) return null
    const reader = readers.get(socket)
    if (reader === undefined || admitted.has(response)) return null
    const wanted = { bytes, file, client: accountId ?? networkOf(address()) }
    const full = fullFor(wanted)
    if (full !== null && isRefusable) {
      events.refused(full)
      return { scope: full, limit: limits[full], hasAccount: accountId !== null }
    }
    if (full !== null && (reader.stalled > 0 || room.used > 2 * limits.node)) {
      // It would wait behind answers that its client does not read.
      drop(reader, "pressed")
      return null
    }
    admitted.add(response)
    const taken = room.take(reader, wanted)
    response.once("close", () => room.giveBack(taken))
    return null
  }

  const observe = (server: Server) =>
    void server.on("connection", (socket: Socket) => {
      const reader = new Reader(socket, pace)
      readers.set(socket, reader)
      socket.once("close", () => {
        readers.delete(socket)
        for (const one of reader.rooms) room.giveBack(one)
      })
    })

  const look = (elapsed: number) => {
    let outstanding = 0
    const pressed: Array<Reader> = []
    for (const reader of readers.values()) {
      const why = reader.look(elapsed)
      if (why !== null) drop(reader, why)
      else if (reader.outstanding > 0) {
        outstanding += reader.outstanding
        if (reader.isPressed) pressed.push(reader)
      }
    }
    // Small answers, answers to POST and streams are not refused, so they are limited here.
    pressed.sort((a, b) => b.stalled - a.stalled)
    for (const reader of pressed) {
      if (outstanding <= limits.node) break
      outstanding -= reader.outstanding
      drop(reader, "pressed")
    }
    events.outstanding(outstanding)
  }

  return { admit, observe, look }
}

/** Among the clients that may be disconnected. */
const slowestOf = (rooms: ReadonlySet<Room>): Reader | undefined => {
  let slowest: Reader | undefined
  for (const { reader } of rooms) {
    if (reader.isPressed && (slowest === undefined || reader.stalled > slowest.stalled)) slowest = reader
  }
  return slowest
}

const interval = 1_000

/** Checks every second until it is interrupted. Time in which this process did not run does not count. */
export const watching = ({ look }: Watch): Effect.Effect<void> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    let last = MonotonicTime.millisOf(clock)
    return yield* supervise(
      "Looking for slow readers",
      Effect.forever(
        Effect.delay(
          Effect.sync(() => {
            const now = MonotonicTime.millisOf(clock)
            look(Math.min(now - last, 2 * interval))
            last = now
          }),
          interval
        )
      )
    )
  })
