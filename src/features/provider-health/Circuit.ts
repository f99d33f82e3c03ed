/** A provider's circuit breaker (Nygard, "Release It!"), as pure functions. Times are ms of a monotonic clock. */

/**
 * What a run's end says about the provider: it `answered`, well or badly, it answered that it `faulted`, as with 500, which may
 * be due to the input, it was `overloaded`, or it `failed` to answer. `null` for an input or request unlike any other.
 */
export type Sign =
  | { readonly _tag: "answered" }
  | {
      readonly _tag: "faulted" | "overloaded" | "failed"
      /** Identifies the input of the run. */
      readonly input: string | null
      /** Identifies the request, whose runs count once. */
      readonly request: string | null
    }

/** What counts once: an input or a request. */
type Inputs = ReadonlyArray<string | null>

interface Closed {
  readonly _tag: "Closed"
  /** When counting began. */
  readonly since: number
  /** The inputs that failed or faulted since the last answer, each once. */
  readonly inARow: Inputs
  /** The newest inputs that failed, which count no second time. */
  readonly failing: Inputs
  readonly answered: number
  readonly failed: number
}

interface Open {
  readonly _tag: "Open"
  readonly until: number
  /** How often it has opened since it was last closed. */
  readonly times: number
  /** The inputs that opened it. */
  readonly inputs: Inputs
}

interface HalfOpen {
  readonly _tag: "HalfOpen"
  /** When the trial run began; `null` without one. */
  readonly probeAt: number | null
  readonly times: number
  readonly inputs: Inputs
}

export type Circuit = (Closed | Open | HalfOpen) & {
  /** Changes with every change of `_tag`, so that runs from before do not count. */
  readonly generation: number
}

/** Inputs that fail or fault without an answer between them, which open it. One input alone never does. */
const mostInARow = 5

/** Inputs that are remembered. */
const mostInputs = 32

/** It also opens if half of at least this many runs failed, each input counted once. */
const fewestForShare = 20

/** Counts are reset after this time, ms. */
const windowMs = 60_000

/** How long it stays open the first time, and at most; doubled each time, ms. */
const shortestMs = 5_000
const longestMs = 10_000

const openMs = (times: number) => Math.min(shortestMs * 2 ** (times - 1), longestMs)

const closed = (now: number, generation: number): Circuit => ({
  _tag: "Closed",
  since: now,
  inARow: [],
  failing: [],
  answered: 0,
  failed: 0,
  generation
})

type Opening = Pick<Open, "times" | "inputs">

const open = (now: number, { inputs, times }: Opening, generation: number): Circuit => ({
  _tag: "Open",
  until: now + openMs(times),
  times,
  inputs,
  generation
})

const has = (inputs: Inputs, input: string | null): boolean => input !== null && inputs.includes(input)

/** The inputs with this one, the newest first. */
const withInput = (inputs: Inputs, input: string | null): Inputs =>
  has(inputs, input) ? inputs : [input, ...inputs].slice(0, mostInputs)

/** For a provider without any runs. */
export const make = (now: number): Circuit => closed(now, 0)

/** Closes after an outage, whatever the state. Runs from before do not count. */
export const reset = ({ generation }: Circuit, now: number): Circuit => closed(now, generation + 1)

/** The state at `now`: an open circuit becomes half-open by itself. */
export const at = (circuit: Circuit, now: number): Circuit =>
  circuit._tag === "Open" && circuit.until <= now
    ? {
        _tag: "HalfOpen",
        probeAt: null,
        times: circuit.times,
        inputs: circuit.inputs,
        generation: circuit.generation + 1
      }
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
      return probed(current, sign, now)
  }
}

/** The trial of an input that is known to fault says nothing about the provider, so another run may be tried. */
const probed = (circuit: HalfOpen & Circuit, sign: Sign | null, now: number): Circuit => {
  const { generation, inputs, times } = circuit
  if (sign === null) return { ...circuit, probeAt: null }
  if (sign._tag === "answered") return closed(now, generation + 1)
  if (sign._tag === "faulted" && has(inputs, sign.input)) return { ...circuit, probeAt: null }
  return open(now, { times: times + 1, inputs: withInput(inputs, sign.input) }, generation + 1)
}

/**
 * An overload is not due to the input. Other failures are if the provider answers other inputs; while it answers none, each
 * request counts, so that equal requests reveal an outage, too.
 */
const keyOf = (sign: Exclude<Sign, { readonly _tag: "answered" }>, { answered }: Closed): string | null => {
  const isOfRequest = sign._tag === "overloaded" || (sign._tag === "failed" && answered === 0)
  return isOfRequest ? sign.request : sign.input
}

const counted = (circuit: Closed & Circuit, sign: Sign, now: number): Circuit => {
  const { generation } = circuit
  const current: Closed & Circuit =
    now - circuit.since < windowMs
      ? circuit
      : { ...circuit, since: now, inARow: [], failing: [], answered: 0, failed: 0 }
  if (sign._tag === "answered") return { ...current, inARow: [], answered: current.answered + 1 }
  const key = keyOf(sign, current)
  const inARow = withInput(current.inARow, key)
  const isCounted = sign._tag !== "faulted" && !has(current.failing, key)
  const failed = current.failed + (isCounted ? 1 : 0)
  const isHalf = current.answered + failed >= fewestForShare && failed >= current.answered
  if (inARow.length >= mostInARow || (isCounted && isHalf))
    return open(now, { times: 1, inputs: inARow }, generation + 1)
  const failing = isCounted ? withInput(current.failing, key) : current.failing
  return { ...current, inARow, failing, failed }
}
