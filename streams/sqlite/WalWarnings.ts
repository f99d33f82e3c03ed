/** Warns when the WAL grows and cannot be reused, and logs when it can be again. */
import { Effect } from "effect"
import { type Wal, WalObserver } from "../WalObserver.ts"

export interface WalWarnings {
  readonly update: (wal: Wal) => void
  /** Logs what changed since the last call. */
  readonly warn: Effect.Effect<void>
}

const trouble = ({ bytes, fault, isBlocked }: Wal): string | undefined => {
  if (fault !== undefined)
    return `log.sqlite cannot be written (${fault}): log.sqlite-wal has ${bytes} bytes and grows`
  return isBlocked ? `A reader prevents the reuse of log.sqlite-wal, which has ${bytes} bytes` : undefined
}

export const make: Effect.Effect<WalWarnings> = Effect.gen(function* () {
  const observe = yield* WalObserver
  let latest: Wal = { bytes: 0, isBlocked: false }
  let warned: Wal = latest
  observe(latest)
  return {
    update: (wal) => {
      latest = wal
      observe(wal)
    },
    warn: Effect.suspend(() => {
      const wal = latest
      const isNew = wal.fault !== warned.fault || wal.isBlocked !== warned.isBlocked
      if (!isNew) return Effect.void
      warned = wal
      const message = trouble(wal)
      return message === undefined
        ? Effect.logInfo("log.sqlite-wal is copied into log.sqlite again")
        : Effect.logWarning(message)
    })
  }
})
