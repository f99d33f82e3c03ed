/** How fast the client of one connection takes what is sent to it. */
import type { Socket } from "node:net"

/** Why a client is dropped: it takes nothing, next to nothing, or is the slowest where others find no room. */
export type Slowness = "stalled" | "slow" | "pressed"

export interface Pace {
  /** ms in which a client that bytes wait for takes some. */
  readonly patience: number
  /** Bytes that it takes in each `longestWait` ms. */
  readonly leastBytes: number
  readonly longestWait: number
  /** ms without a byte, or with less than `pressedRate` bytes a second, after which it gives way to others that find no room. */
  readonly pressedPatience: number
  readonly pressedRate: number
}

/** As uploads have: 64 KiB a minute. */
export const usualPace: Pace = {
  patience: 30_000,
  leastBytes: 64 * 1024,
  longestWait: 60_000,
  pressedPatience: 3_000,
  pressedRate: 16 * 1024
}

/** What Node counts by itself, without a name of its own for it: its own timeout of a socket goes by the same. */
interface Counted {
  readonly _bytesDispatched?: number
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

/** Bytes that the system has taken off the process, as of one moment. It takes them as fast as the client reads. */
export const takenBy = (socket: Socket): number => {
  const { _bytesDispatched: handedOver = 0, _handle: handle } = socket as Counted
  return handedOver - (handle?.writeQueueSize ?? 0)
}

/** Whose limit it is. A client is an account, or an address that nobody has signed in from. */
export type Scope = "node" | "client" | "file"

/** What one answer has. */
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
  /** What its answers take up. */
  readonly rooms = new Set<Room>()
  readonly #pace: Pace
  #isWaitedFor = false
  #taken = 0
  /** ms since it last took something. */
  #stalled = 0
  /** ms of the wait under way, and the bytes taken before it. */
  #waited = 0
  #before = 0

  constructor(socket: Socket, pace: Pace) {
    this.socket = socket
    this.#pace = pace
  }

  /** Bytes that are held for the client. */
  get outstanding(): number {
    if (this.rooms.size === 0) return this.socket.writableLength
    let bytes = 0
    for (const room of this.rooms) bytes += room.bytes
    return bytes
  }

  /** ms, for a comparison with others. */
  get stalled(): number {
    return this.#stalled
  }

  /** Whether it gives way to others. */
  get isPressed(): boolean {
    const { pressedPatience, pressedRate } = this.#pace
    if (this.#stalled >= pressedPatience) return true
    const rate = ((this.#taken - this.#before) * 1_000) / this.#waited
    return this.#waited >= pressedPatience && rate < pressedRate
  }

  /** @param elapsed ms since the last look in which it could take something. */
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
