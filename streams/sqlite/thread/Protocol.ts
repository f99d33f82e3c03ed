/** The messages between the main thread and the log's writing thread: plain data. */
import type { Frame } from "../../archive/Segment.ts"
import type { Commit } from "../../AppendObserver.ts"
import type { ExpectedVersion } from "../../ExpectedVersion.ts"
import type { Head } from "../../LogHead.ts"
import type { SealedPayload } from "../../SealedPayload.ts"
import type { Wal } from "../../WalObserver.ts"
import type { SqliteFailure } from "../SqliteFailure.ts"

export interface EventRow {
  readonly id: string
  readonly type: string
  readonly time: number
  /** Canonical JSON of the data. */
  readonly text: string
}

export interface AppendRows {
  readonly stream: string
  readonly expected: ExpectedVersion
  readonly events: ReadonlyArray<EventRow>
  readonly payloads: ReadonlyArray<SealedPayload>
  readonly erases: ReadonlyArray<string>
}

export interface Written {
  readonly _tag: "Written"
  /** Sequence number and ordinal of its first event. */
  readonly sequence: number
  readonly ordinal: number
  /** The hash of each event. */
  readonly hashes: ReadonlyArray<string>
}

export interface Conflict {
  readonly _tag: "Conflict"
}

export interface Rejected {
  readonly _tag: "Rejected"
  readonly failure: SqliteFailure
}

export type Result = Written | Conflict | Rejected

/** A frame of a durable segment, and the rows of its events. */
export interface ArchiveFrame {
  readonly segment: {
    readonly digest: string
    readonly key: string
    readonly location: string
    /** The number of its frames. */
    readonly frames: number
  }
  readonly frame: Frame
  readonly rows: ReadonlyArray<{
    readonly position: number
    readonly stream: string
    readonly ordinal: number
    readonly hash: string
  }>
}

/** `Settle` and `Close` wipe erased texts from the disk and sync `log.head`. */
export type ToThread =
  | { readonly _tag: "Append"; readonly batch: ReadonlyArray<AppendRows> }
  | { readonly _tag: "Archive"; readonly archived: ArchiveFrame }
  | { readonly _tag: "Settle" }
  | { readonly _tag: "Close" }

/** Batches are answered in order. */
export type FromThread =
  | {
      readonly _tag: "Appended"
      /** The result of each append in the batch. */
      readonly results: ReadonlyArray<Result>
      readonly commits: ReadonlyArray<Commit>
      /** The log's end after the batch. */
      readonly head: Head
    }
  /** `failure`: why the frame was not archived; nothing has changed then. */
  | { readonly _tag: "Archived"; readonly failure: string | null }
  | { readonly _tag: "Settled"; readonly wal: Wal }
  /** Sent before the failed batch's answer: the log takes no more appends. */
  | { readonly _tag: "Failed"; readonly reason: string }

export interface ThreadData {
  readonly filename: string
  readonly headFilename: string
  /** The log's end. */
  readonly head: Head
  /** Whether erased texts may still be on the disk. */
  readonly isTruncationOwed: boolean
}
