/** A provider's circuit breaker (Nygard, "Release It!"), as pure functions. Times are ms of a monotonic clock. */

/** What a run's end says about the provider: it `answered`, well or badly, or it `failed` to answer. */
export type Sign = "answered" | "failed"

interface Closed {
  readonly _tag: "Closed"
  /** When counting began. */
  readonly since: number
  /** Failures since the last answer. */
  readonly inARow: number
  readonly answered: number
  readonly failed: number
}

interface Open {
  readonly _tag: "Open"
  readonly until: number
  /** How often it has opened since it was last closed. */
  readonly times: number
}

interface HalfOpen {
  readonly _tag: "HalfOpen"
  /** When the trial run began; `null` without one. */
  readonly probeAt: number | null
  readonly times: number
}

export type Circuit = (Closed | Open | HalfOpen) & {
  /** Changes with every change of `_tag`, so that runs from before do not count. */
  readonly generation: number
}

/** Consecutive failures that open it. */
const mostInARow = 5

/** It also opens if half of at least this many runs failed. */
const fewestForShare = 20

/** Counts are reset after this time, ms. */
const windowMs = 60_000

/** How long it stays open the first time, and at most; doubled each time, ms. */
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

/** For a provider without any runs. */
export const make = (now: number): Circuit => closed(now, 0)

/** Closes after an outage, whatever the state. Runs from before do not count. */
export const reset = ({ generation }: Circuit, now: number): Circuit => closed(now, generation + 1)

/** The state at `now`: an open circuit becomes half-open by itself. */
export const at = (circuit: Circuit, now: number): Circuit =>
  circuit._tag === "Open" && circuit.until <= now
    ? { _tag: "HalfOpen", probeAt: null, times: circuit.times, generation: circuit.generation + 1 }
    : circuit

/** When another trial may begin, because some runs take hours. */
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

/** When it admits the next run if nothing else happens; `null` if it admits one now. */
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

/** A run from `generation` ends; `null` if its end says nothing. */
export const ended = (circuit: Circuit, generation: number, sign: Sign | null, now: number): Circuit => {
  const current = at(circuit, now)
  if (current.generation !== generation) return current
  switch (current._tag) {
    case "Closed":
      return sign === null ? current : counted(current, sign, now)
    // The circuit has opened since the run began.
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
