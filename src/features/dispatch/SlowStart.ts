/**
 * Restarts runs that were under way at a crash of their node a few at a time, because one of them may have caused it.
 * At first one runs; each that ends, or survives some seconds, admits two more. A request that would fail at its next
 * crash runs apart from the others, so that none fails because of another.
 */
import * as Crashes from "#domain/inference-request/Crashes.ts"
import type { QueuedRequest } from "#projections/due-work/DueWork.ts"
import { earliest } from "#src/kernel/time/Earliest.ts"

/** A run that survives this long is assumed not to have caused the crash, ms. */
export const survivedMs = 5_000

/** The same for a request that fails at its next crash, towards others of this kind, ms. */
export const lastChanceMs = 60_000

type Row = Pick<QueuedRequest, "crashes">

export interface SlowStart {
  /** The first `limit` of `rows` that may begin now; others are held back. Times are ms of the monotonic clock. */
  readonly select: <R extends Row>(
    endpoint: string,
    rows: ReadonlyArray<R>,
    limit: number,
    now: number
  ) => ReadonlyArray<R>
  /** A run of the row begins; call the result when it has ended. */
  readonly begin: (row: Row, now: number) => () => void
  /** Rows of the model held back at the last selection. */
  readonly heldBack: (endpoint: string) => number
  /** ms until a row that is held back may begin if no run ends; `null` without one. */
  readonly opensIn: (endpoint: string, now: number) => number | null
}

interface Trial {
  readonly since: number
}

const isLastChance = ({ crashes }: Row) => Crashes.isLastChance(crashes)

export const make = (): SlowStart => {
  /** Runs that may be on trial at the same time. */
  let room = 1
  const trials = new Set<Trial>()
  let lastChance: Trial | null = null
  const heldBack = new Map<string, number>()

  const pass = (trial: Trial) => {
    if (trials.delete(trial)) room++
  }

  const passSurvivors = (now: number) => {
    for (const trial of trials) if (now - trial.since >= survivedMs) pass(trial)
    if (lastChance !== null && now - lastChance.since >= lastChanceMs) lastChance = null
  }

  const mayBegin = (row: Row, begun: ReadonlyArray<Row>): boolean => {
    if (row.crashes === 0) return true
    const others = begun.filter(({ crashes }) => crashes > 0)
    const count = trials.size + others.length
    if (isLastChance(row)) return count === 0 && lastChance === null
    return count < room && !others.some(isLastChance) && (lastChance === null || !trials.has(lastChance))
  }

  return {
    select: (endpoint, rows, limit, now) => {
      passSurvivors(now)
      const selected: Array<(typeof rows)[number]> = []
      let passedOver = 0
      for (const row of rows) {
        if (selected.length === limit) break
        if (mayBegin(row, selected)) selected.push(row)
        else passedOver++
      }
      if (passedOver > 0) heldBack.set(endpoint, passedOver)
      else heldBack.delete(endpoint)
      return selected
    },
    begin: (row, now) => {
      if (row.crashes === 0) return () => undefined
      const trial: Trial = { since: now }
      trials.add(trial)
      if (isLastChance(row)) lastChance = trial
      return () => {
        pass(trial)
        if (lastChance === trial) lastChance = null
      }
    },
    heldBack: (endpoint) => heldBack.get(endpoint) ?? 0,
    opensIn: (endpoint, now) => {
      if (!heldBack.has(endpoint)) return null
      let next = lastChance === null ? null : lastChance.since + lastChanceMs
      for (const { since } of trials) next = earliest(next, since + survivedMs)
      return next === null ? null : Math.max(next - now, 0)
    }
  }
}
