/** Receives the state of the write-ahead log of `log.sqlite` once a second while the log is written. */
import { Context } from "effect"

export interface Wal {
  /** Size of the file. */
  readonly bytes: number
  /** Why the WAL cannot be copied into the database. It grows until that works again, or until appends are rejected. */
  readonly fault?: string
  /** Whether a reader prevents the reuse of the WAL and it has become large. */
  readonly isBlocked: boolean
}

/** Must neither wait nor throw. */
export const WalObserver = Context.Reference<(wal: Wal) => void>("inferlog/streams/WalObserver", {
  defaultValue: () => () => {}
})
