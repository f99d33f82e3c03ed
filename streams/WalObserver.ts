/** Told once a second how the write-ahead log of `log.sqlite` is, while the log is written. */
import { Context } from "effect"

export interface Wal {
  /** Of the file. */
  readonly bytes: number
  /** Why it cannot be copied into the database: it grows until that works again, or until appends are refused. */
  readonly fault?: string
  /** Whether a reader holds up its reuse, and it has become large. */
  readonly isBlocked: boolean
}

/** It must neither wait nor throw. */
export const WalObserver = Context.Reference<(wal: Wal) => void>("inferlog/streams/WalObserver", {
  defaultValue: () => () => {}
})
