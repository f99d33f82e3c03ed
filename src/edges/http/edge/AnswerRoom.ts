/**
 * Accounts for the bytes of large answers that are in memory for clients: in total, for each client and for each file.
 * An answer takes its room before it begins, and returns it when it is sent or its connection closes.
 */
import type { Reader, Room, Scope, Share } from "./Reader.ts"

/** Bytes. */
export type RoomLimits = Readonly<Record<Scope, number>>

export interface RoomRequest {
  readonly bytes: number
  /** An account, or the address of an unauthenticated client. */
  readonly client: string
  /** Set where many clients may read the same file. */
  readonly file?: string | undefined
}

export class AnswerRoom {
  readonly #limits: RoomLimits
  readonly #shares = new Map<string, Share>()

  constructor(limits: RoomLimits) {
    this.#limits = limits
  }

  /** Bytes taken in total. */
  get used(): number {
    return this.#shares.get("node")?.used ?? 0
  }

  get limits(): RoomLimits {
    return this.#limits
  }

  /** Narrowest limit first, so that one client or file with too many answers does not take room from others. */
  #wantedOf({ client, file }: RoomRequest): ReadonlyArray<Share> {
    const shares = [this.#share("client", `client ${client}`)]
    if (file !== undefined) shares.push(this.#share("file", `file ${file}`))
    return [...shares, this.#share("node", "node")]
  }

  #share(scope: Scope, name: string): Share {
    return this.#shares.get(name) ?? { name, scope, used: 0, rooms: new Set() }
  }

  /** The first limit without room for the answer, and the answers that use it. An unused limit fits any answer. */
  fullFor(wanted: RoomRequest): { readonly scope: Scope; readonly rooms: ReadonlySet<Room> } | null {
    return (
      this.#wantedOf(wanted).find(
        ({ scope, used }) => used > 0 && used + wanted.bytes > this.#limits[scope]
      ) ?? null
    )
  }

  /** Takes the room even if a limit is exceeded. */
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

  /** Has no effect the second time. */
  giveBack(room: Room): void {
    if (!room.reader.rooms.delete(room)) return
    for (const share of room.shares) {
      share.used -= room.bytes
      share.rooms.delete(room)
      if (share.rooms.size === 0) this.#shares.delete(share.name)
    }
  }
}
