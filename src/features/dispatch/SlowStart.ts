/**
 * Runs that were under way when their node crashed start again a few at a time: one of them may be what it crashed on, and is
 * not to take all the others with it again. One runs at first; each that ends, or is still alive after some seconds, makes
 * room for one more than it held, so that the number doubles. A request that fails at its next crash runs apart from the
 * others, so that none fails for another's fault.
 */
import * as Crashes from "#domain/inference-request/Crashes.ts"
import type { QueuedRequest } from "#projections/due-work/DueWork.ts"
import { earliest } from "#src/kernel/time/Earliest.ts"

/** A run that is alive for so long is taken not to be what the node crashed on, ms. */
export const survivedMs = 5_000

/** The same of a request that fails at its next crash, towards others of that kind, ms. */
export const lastChanceMs = 60_000

type Row = Pick<QueuedRequest, "crashes">

export interface SlowStart {
  /**
   * The first `limit` of the model's `rows` that may begin now, on the monotonic clock in ms, as every `now` here. Those that
   * are passed over are held back.
   */
  readonly select: <R extends Row>(
    endpoint: string,
    rows: ReadonlyArray<R>,
    limit: number,
    now: number
  ) => ReadonlyArray<R>
  /** A run of the row begins; to be called when it has ended. */
  readonly begin: (row: Row, now: number) => () => void
  /** Rows of the model that were held back when it was last selected from. */
  readonly heldBack: (endpoint: string) => number
  /** In how many ms one of them may begin, if no run ends before; `null` when none was held back. */
  readonly opensIn: (endpoint: string, now: number) => number | null
}

interface Trial {
  readonly since: number
}

const isLastChance = ({ crashes }: Row) => Crashes.isLastChance(crashes)

export const make = (): SlowStart => {
  /** Runs that may be on trial at once. */
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
