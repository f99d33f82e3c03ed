/** Collects what is wrong with a backup, and counts what was read. */
import { Effect } from "effect"
import { BackupDamaged } from "../BackupError.ts"
import type { Piece } from "../format/Manifest.ts"

/** Damages in a report. Later ones are only counted. */
const mostDamages = 100

export interface Findings {
  /** `null` when it fails. What cannot be read counts as damaged, too. */
  readonly collect: <A, R>(
    piece: string,
    check: Effect.Effect<A, { readonly message: string }, R>
  ) => Effect.Effect<A | null, never, R>
  /** Checks a piece that several lists may name. */
  readonly once: <A, R>(
    piece: Piece,
    check: Effect.Effect<A, { readonly message: string }, R>
  ) => Effect.Effect<void, never, R>
  /** Damages until now. */
  readonly count: () => number
  readonly report: () => {
    readonly pieces: number
    readonly bytes: number
    readonly damages: number
    /** The key of a piece at the target, or what it is. */
    readonly damaged: ReadonlyArray<{ readonly piece: string; readonly reason: string }>
  }
}

export const make = (): Findings => {
  const damaged: Array<{ readonly piece: string; readonly reason: string }> = []
  const seen = new Set<string>()
  let damages = 0
  let bytes = 0

  const add = (damage: (typeof damaged)[number]) => {
    damages++
    if (damaged.length < mostDamages) damaged.push(damage)
  }

  const collect: Findings["collect"] = (piece, check) =>
    Effect.catch(check, (error) =>
      Effect.sync(() => {
        add(error instanceof BackupDamaged ? error : { piece, reason: error.message })
        return null
      })
    )

  return {
    collect,
    once: (piece, check) =>
      Effect.suspend(() => {
        // A blob that two lists name with different hashes is checked against both.
        const id = `${piece.key} ${piece.sha256}`
        if (seen.has(id)) return Effect.void
        seen.add(id)
        bytes += piece.size
        return Effect.asVoid(collect(piece.key, check))
      }),
    count: () => damages,
    report: () => ({
      pieces: seen.size,
      bytes,
      damages,
      damaged: damaged.map(({ piece, reason }) => ({ piece, reason }))
    })
  }
}
