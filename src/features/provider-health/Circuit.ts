/**
 * The circuit breaker of a provider (Nygard, "Release It!"): closed, runs begin; open, none does; half-open, one does, to see.
 * Values in, values out. Times are ms of a monotonic clock.
 */

/** How a run ended, as far as it tells of the provider: well or ill the provider `answered`, or it `failed` to. */
export type Sign = "answered" | "failed"

interface Closed {
  readonly _tag: "Closed"
  /** When the signs below began to be counted. */
  readonly since: number
  /** Failures since the last answer. */
  readonly inARow: number
  readonly answered: number
  readonly failed: number
}

interface Open {
  readonly _tag: "Open"
  readonly until: number
  /** How often it has opened since it was closed. */
  readonly times: number
}

interface HalfOpen {
  readonly _tag: "HalfOpen"
  /** When the run that is to show how the provider does began; `null` when there is none. */
  readonly probeAt: number | null
  readonly times: number
}

export type Circuit = (Closed | Open | HalfOpen) & {
  /** Another one with every change of `_tag`: what runs from before it show is of the past. */
  readonly generation: number
}

/** Failures one after the other, without an answer between them, that open it. */
const mostInARow = 5

/** It opens as well when half of at least so many runs failed. */
const fewestForShare = 20

/** What is counted is forgotten after this time, ms. */
const windowMs = 60_000

/** The first time it opens, and at the most; twice as long each time, ms. */
const shortestMs = 5_000
const longestMs = 120_000

const openMs = (times: number) => Math.min(shortestMs * 2 ** (times - 1), longestMs)

const closed = (now: number, generation: number): Circuit => ({
  _tag: "Closed",
  since: now,
  inARow: 0,
  answered: 0,
  failed: 0,
  generation
})

const open = (now: number, times: number, generation: number): Circuit => ({
  _tag: "Open",
  until: now + openMs(times),
  times,
  generation
})

/** Of a provider that nothing is known of yet. */
export const make = (now: number): Circuit => closed(now, 0)

/** Closed, whatever it was: of a provider that was away and has come back. Runs from before show nothing of it. */
export const reset = ({ generation }: Circuit, now: number): Circuit => closed(now, generation + 1)

/** As it is at `now`: an open one becomes half-open by itself. */
export const at = (circuit: Circuit, now: number): Circuit =>
  circuit._tag === "Open" && circuit.until <= now
    ? { _tag: "HalfOpen", probeAt: null, times: circuit.times, generation: circuit.generation + 1 }
    : circuit

/** When a probe that does not end gives way to another one: some runs take hours. */
const nextProbeAt = ({ probeAt, times }: HalfOpen) => (probeAt === null ? -Infinity : probeAt + openMs(times))

/** How many runs may begin at `now`. */
export const admits = (circuit: Circuit, now: number): number => {
  const current = at(circuit, now)
  switch (current._tag) {
    case "Closed":
      return Infinity
    case "Open":
      return 0
    case "HalfOpen":
      return nextProbeAt(current) <= now ? 1 : 0
  }
}

/** When it admits a run that it does not admit now, if nothing happens before; `null` when it admits some. */
export const admitsAt = (circuit: Circuit, now: number): number | null => {
  const current = at(circuit, now)
  if (admits(current, now) > 0) return null
  switch (current._tag) {
    case "Closed":
      return null
    case "Open":
      return current.until
    case "HalfOpen":
      return nextProbeAt(current)
  }
}

/** A run begins. */
export const begun = (circuit: Circuit, now: number): Circuit => {
  const current = at(circuit, now)
  return current._tag === "HalfOpen" ? { ...current, probeAt: now } : current
}

/** A run that began in `generation` ends; `null` when it shows nothing. */
export const ended = (circuit: Circuit, generation: number, sign: Sign | null, now: number): Circuit => {
  const current = at(circuit, now)
  if (current.generation !== generation) return current
  switch (current._tag) {
    case "Closed":
      return sign === null ? current : counted(current, sign, now)
    // It has opened since the run began, and is of another generation.
    case "Open":
      return current
    case "HalfOpen":
      if (sign === null) return { ...current, probeAt: null }
      return sign === "answered" ? closed(now, generation + 1) : open(now, current.times + 1, generation + 1)
  }
}

const counted = (circuit: Closed & Circuit, sign: Sign, now: number): Circuit => {
  const { answered, failed, inARow, since } =
    now - circuit.since < windowMs ? circuit : { since: now, inARow: 0, answered: 0, failed: 0 }
  const { generation } = circuit
  if (sign === "answered") {
    return { _tag: "Closed", since, inARow: 0, answered: answered + 1, failed, generation }
  }
  const failures = failed + 1
  const isHalf = answered + failures >= fewestForShare && failures >= answered
  return inARow + 1 >= mostInARow || isHalf
    ? open(now, 1, generation + 1)
    : { _tag: "Closed", since, inARow: inARow + 1, answered, failed: failures, generation }
}
