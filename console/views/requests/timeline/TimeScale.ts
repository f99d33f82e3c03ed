/** A time axis on which long stretches without work are cut short, so that what happens around them can be seen. */

export interface Span {
  /** Unix time in ms, like all times here. */
  readonly from: number
  readonly to: number
}

interface Segment extends Span {
  /** Where it lies on the axis, from 0 to 1. */
  readonly start: number
  readonly end: number
  /** Whether it is drawn shorter than it was. */
  readonly isCut: boolean
}

export type Scale = ReadonlyArray<Segment>

/** The share of the axis that a cut stretch takes. */
const cutShare = 0.05
const mostCuts = 8

const isBusy = (span: Span, busy: ReadonlyArray<Span>) =>
  busy.some(({ from, to }) => from < span.to && to > span.from)

/** The stretches to cut: each is longer than half of all that stays. */
const cutsOf = (spans: ReadonlyArray<Span>, busy: ReadonlyArray<Span>): ReadonlySet<Span> => {
  const cuts = new Set<Span>()
  let rest = spans.reduce((sum, { from, to }) => sum + to - from, 0)
  const idle = spans.filter((span) => !isBusy(span, busy)).toSorted((a, b) => b.to - b.from - (a.to - a.from))
  for (const span of idle) {
    const length = span.to - span.from
    const others = rest - length
    if (cuts.size === mostCuts || length <= others / 2 || others <= 0) break
    cuts.add(span)
    rest = others
  }
  return cuts
}

/** @param times of the events; @param busy when something worked, which is never cut. */
export const make = (times: ReadonlyArray<number>, busy: ReadonlyArray<Span>): Scale => {
  const sorted = [...new Set(times)].toSorted((a, b) => a - b)
  const [first = 0] = sorted
  if (sorted.length < 2) return [{ from: first, to: first + 1, start: 0, end: 1, isCut: false }]
  const spans = sorted.slice(1).map((to, index) => ({ from: sorted[index] ?? first, to }))
  const cuts = cutsOf(spans, busy)
  const whole = spans.reduce((sum, span) => (cuts.has(span) ? sum : sum + span.to - span.from), 0)
  const room = 1 - cuts.size * cutShare
  const segments: Array<Segment> = []
  let start = 0
  for (const span of spans) {
    const isCut = cuts.has(span)
    const end = start + (isCut ? cutShare : (room * (span.to - span.from)) / whole)
    const before = segments.at(-1)
    // Stretches of the same scale are one.
    if (before !== undefined && !isCut && !before.isCut)
      segments[segments.length - 1] = { ...before, to: span.to, end }
    else segments.push({ ...span, start, end, isCut })
    start = end
  }
  return segments
}

/** Where a time lies on the axis, from 0 to 1. */
export const positionOf = (scale: Scale, time: number): number => {
  const segment = scale.find(({ to }) => time <= to) ?? scale.at(-1)
  if (segment === undefined || time <= segment.from) return segment?.start ?? 0
  const share = Math.min((time - segment.from) / (segment.to - segment.from), 1)
  return segment.start + share * (segment.end - segment.start)
}

const steps = [1, 2, 5]

/** The least round number of ms that is at least `ms`. */
const roundStep = (ms: number): number => {
  if (ms > 43_200_000) return Math.ceil(ms / 86_400_000) * 86_400_000
  if (ms > 1_000) {
    const round = [2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200]
    return (round.find((seconds) => seconds * 1_000 >= ms) ?? 43_200) * 1_000
  }
  const power = 10 ** Math.floor(Math.log10(Math.max(ms, 1)))
  return (steps.find((step) => step * power >= ms) ?? 10) * power
}

export interface Tick {
  readonly time: number
  readonly position: number
}

/** Round times since the first, with at least `least` of the axis between two. */
export const ticksOf = (scale: Scale, least: number): ReadonlyArray<Tick> => {
  const origin = scale[0]?.from ?? 0
  const ticks: Array<Tick> = []
  for (const [index, { end, from, isCut, start, to }] of scale.entries()) {
    if (isCut || end <= start) continue
    // The mark of a cut needs room, too.
    const first = scale[index - 1]?.isCut === true ? start + least / 3 : start
    const step = roundStep((least * (to - from)) / (end - start))
    for (let time = origin + Math.ceil((from - origin) / step) * step; time <= to; time += step) {
      const position = positionOf(scale, time)
      const before = ticks.at(-1)
      if (position >= first && (before === undefined || position - before.position >= least))
        ticks.push({ time, position })
    }
  }
  return ticks
}
