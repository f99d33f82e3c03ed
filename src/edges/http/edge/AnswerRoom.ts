/**
 * Bytes of large answers that are held for clients: of all, of each client, and of each file. An answer takes its room before
 * it is begun, and gives it back when it has been sent or its connection is gone.
 */
import type { Reader, Room, Scope, Share } from "./Reader.ts"

/** Bytes. */
export type RoomLimits = Readonly<Record<Scope, number>>

export interface RoomRequest {
  readonly bytes: number
  /** An account, or the address of one that has not signed in. */
  readonly client: string
  /** Where many clients may want the same one. */
  readonly file?: string | undefined
}

export class AnswerRoom {
  readonly #limits: RoomLimits
  readonly #shares = new Map<string, Share>()

  constructor(limits: RoomLimits) {
    this.#limits = limits
  }

  /** Bytes taken of all. */
  get used(): number {
    return this.#shares.get("node")?.used ?? 0
  }

  get limits(): RoomLimits {
    return this.#limits
  }

  /** Narrowest first: an answer that one client or file has too many of costs the others nothing. */
  #wantedOf({ client, file }: RoomRequest): ReadonlyArray<Share> {
    const shares = [this.#share("client", `client ${client}`)]
    if (file !== undefined) shares.push(this.#share("file", `file ${file}`))
    return [...shares, this.#share("node", "node")]
  }

  #share(scope: Scope, name: string): Share {
    return this.#shares.get(name) ?? { name, scope, used: 0, rooms: new Set() }
  }

  /** The first limit that has no room for it, and who has it. One answer always fits into a limit that is not used. */
  fullFor(wanted: RoomRequest): { readonly scope: Scope; readonly rooms: ReadonlySet<Room> } | null {
    return (
      this.#wantedOf(wanted).find(
        ({ scope, used }) => used > 0 && used + wanted.bytes > this.#limits[scope]
      ) ?? null
    )
  }

  /** Whether or not there is some. */
  take(reader: Reader, wanted: RoomRequest): Room {
    const room: Room = { reader, bytes: wanted.bytes, shares: this.#wantedOf(wanted) }
    for (const share of room.shares) {
      share.used += room.bytes
      share.rooms.add(room)
      this.#shares.set(share.name, share)
    }
    reader.rooms.add(room)
    return room
  }

  /** Once for each. A second time nothing happens. */
  giveBack(room: Room): void {
    if (!room.reader.rooms.delete(room)) return
    for (const share of room.shares) {
      share.used -= room.bytes
      share.rooms.delete(room)
      if (share.rooms.size === 0) this.#shares.delete(share.name)
    }
  }
}
