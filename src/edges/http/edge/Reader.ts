/** Measures how fast the client of one connection takes what is sent to it. */
import type { Socket } from "node:net"

/** Why a client is disconnected: it takes nothing, takes too little, or is the slowest when others find no room. */
export type Slowness = "stalled" | "slow" | "pressed"

export interface Pace {
  /** A client with waiting bytes must take some within this time, ms. */
  readonly patience: number
  /** Bytes that it must take in each `longestWait` ms. */
  readonly leastBytes: number
  readonly longestWait: number
  /** After so long without a byte, or below `pressedRate` bytes a second, a client may be disconnected, ms. */
  readonly pressedPatience: number
  readonly pressedRate: number
}

/** The same pace as for uploads: 64 KiB a minute. */
export const usualPace: Pace = {
  patience: 30_000,
  leastBytes: 64 * 1024,
  longestWait: 60_000,
  pressedPatience: 3_000,
  pressedRate: 16 * 1024
}

/** Counters of Node without a public name. Node's own socket timeout uses them. */
interface Counted {
  readonly _bytesDispatched?: number
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

/** Bytes that the operating system has taken so far. It takes them as fast as the client reads. */
export const takenBy = (socket: Socket): number => {
  const { _bytesDispatched: handedOver = 0, _handle: handle } = socket as Counted
  return handedOver - (handle?.writeQueueSize ?? 0)
}

/** What a limit applies to. A client is an account or an unauthenticated address. */
export type Scope = "node" | "client" | "file"

/** The room that one answer has taken. */
export interface Room {
  readonly reader: Reader
  readonly bytes: number
  readonly shares: ReadonlyArray<Share>
}

/** What has been taken of one limit. */
export interface Share {
  readonly name: string
  readonly scope: Scope
  used: number
  readonly rooms: Set<Room>
}

export class Reader {
  readonly socket: Socket
  /** The rooms of its answers. */
  readonly rooms = new Set<Room>()
  readonly #pace: Pace
  #isWaitedFor = false
  #taken = 0
  /** Time since it last took bytes, ms. */
  #stalled = 0
  /** Duration of the current wait, in ms, and the bytes taken before it. */
  #waited = 0
  #before = 0

  constructor(socket: Socket, pace: Pace) {
    this.socket = socket
    this.#pace = pace
  }

  /** Bytes in memory for the client. */
  get outstanding(): number {
    if (this.rooms.size === 0) return this.socket.writableLength
    let bytes = 0
    for (const room of this.rooms) bytes += room.bytes
    return bytes
  }

  /** Time since it last took bytes, ms. */
  get stalled(): number {
    return this.#stalled
  }

  /** Whether it may be disconnected to make room for others. */
  get isPressed(): boolean {
    const { pressedPatience, pressedRate } = this.#pace
    if (this.#stalled >= pressedPatience) return true
    const rate = ((this.#taken - this.#before) * 1_000) / this.#waited
    return this.#waited >= pressedPatience && rate < pressedRate
  }

  /** @param elapsed ms since the last call. */
  look(elapsed: number): "stalled" | "slow" | null {
    if (this.socket.writableLength === 0) {
      this.#isWaitedFor = false
      this.#stalled = 0
      this.#waited = 0
      return null
    }
    const before = this.#taken
    this.#taken = takenBy(this.socket)
    if (!this.#isWaitedFor) {
      this.#isWaitedFor = true
      this.#before = this.#taken
      return null
    }
    this.#waited += elapsed
    this.#stalled = this.#taken > before ? 0 : this.#stalled + elapsed
    const { leastBytes, longestWait, patience } = this.#pace
    if (this.#stalled >= patience) return "stalled"
    if (this.#waited < longestWait) return null
    if (this.#taken - this.#before < leastBytes) return "slow"
    this.#waited = 0
    this.#before = this.#taken
    return null
  }
}
