/** The events of a request as lanes on one time axis: bars for what lasted, marks for the events. */
import { moneyText } from "#console/design/data/Money.tsx"
import { deliveryOf, type Entry, textOf, timeOf } from "./Entry.ts"

type LaneKind = "queue" | "claim" | "run" | "files" | "money" | "delivery"

export interface Bar {
  /** Unix time in ms. */
  readonly from: number
  readonly to: number
  /** Whether it still lasts. */
  readonly isOpen: boolean
  /** `failed`: it ended without what it was for. `again`: a wait for another try. */
  readonly look: "usual" | "failed" | "again" | "held"
  /** What it was, in a few words. */
  readonly label: string
  /** The event that began it. */
  readonly index: number
}

export interface Mark {
  readonly at: number
  readonly index: number
  readonly look: "usual" | "failed" | "good"
}

export interface Lane {
  readonly id: string
  readonly kind: LaneKind
  readonly name: string
  readonly bars: ReadonlyArray<Bar>
  readonly marks: ReadonlyArray<Mark>
}

const kinds = { queued: "queue", claimed: "claim", running: "run", storing: "files" } as const

const names = { queue: "Queue", claim: "Claim", run: "Run", files: "Output files", money: "Money" } as const
const order = ["queue", "claim", "run", "files", "money"] as const

const failures = new Set([
  "RequestRequeued",
  "RequestFailed",
  "RequestForceFailed",
  "SweepRetried",
  "OutputRejected"
])
const isFailure = ({ data, type }: Entry): boolean =>
  failures.has(type) ||
  type === "AttemptFailed" ||
  type === "AttemptLost" ||
  type === "DeliveryFailed" ||
  (type === "RequestCompleted" && data["error"] !== null)
const goods = new Set(["RequestCompleted", "AttemptSucceeded"])

const lookOf = (entry: Entry): Mark["look"] =>
  isFailure(entry) ? "failed" : goods.has(entry.type) ? "good" : "usual"

/** The lane of an event of the request itself. */
const laneOf = ({ state, type }: Entry): Exclude<LaneKind, "delivery"> => {
  if (type === "RequestCompleted" || type === "RequestFailed" || type === "RequestForceFailed") return "money"
  if (type === "OutputReceived" || type === "MediaStored" || type === "OutputRejected") return "files"
  if (type === "PayloadsErased" || type === "ErasedFilesRemoved") return "files"
  if (state === undefined || state.phase === "ended") return "run"
  return kinds[state.phase]
}

const barLabel = (kind: LaneKind, entry: Entry): string => {
  const reason = textOf(entry, "reason")
  const attempt = entry.state?.attempt ?? 0
  if (kind === "run") return `Run ${attempt}`
  if (kind === "claim") return `Run ${attempt} handed over`
  if (kind === "files") return "Storing files"
  return reason === null ? "Waiting" : `Again: ${reason.replaceAll("_", " ")}`
}

interface Numbered {
  readonly entry: Entry
  readonly index: number
}

/** One bar for each time that the request was in a phase. */
const phaseBars = (own: ReadonlyArray<Numbered>, now: number) => {
  const bars: Array<Bar & { readonly kind: keyof typeof names; readonly attempt: number }> = []
  for (const [place, { entry, index }] of own.entries()) {
    const { state } = entry
    if (state === undefined || state.phase === "ended") continue
    const next = own[place + 1]?.entry
    const kind = kinds[state.phase]
    const to = next === undefined ? Math.max(now, timeOf(entry)) : timeOf(next)
    const before = bars.at(-1)
    const isOn =
      before?.kind === kind &&
      before.attempt === state.attempt &&
      before.to === timeOf(entry) &&
      entry.type !== "SweepRetried"
    const isFailed = kind !== "queue" && next !== undefined && isFailure(next)
    const bar = {
      kind,
      attempt: state.attempt,
      to,
      isOpen: next === undefined,
      look: isFailed ? "failed" : kind === "queue" && textOf(entry, "reason") !== null ? "again" : "usual"
    } as const
    if (isOn)
      bars[bars.length - 1] = { ...before, to, isOpen: bar.isOpen, look: isFailed ? "failed" : before.look }
    else bars.push({ ...bar, from: timeOf(entry), label: barLabel(kind, entry), index })
  }
  return bars
}

/** The hold lasts from the submit to the end. */
const moneyBars = (own: ReadonlyArray<Numbered>, now: number): ReadonlyArray<Bar> => {
  const [first] = own
  const hold = first === undefined ? null : textOf(first.entry, "hold")
  if (first === undefined || hold === null || Number(hold) === 0) return []
  const end = own.find(({ entry }) => entry.state?.phase === "ended")
  const from = timeOf(first.entry)
  const to = end === undefined ? Math.max(now, from) : timeOf(end.entry)
  return [
    {
      from,
      to,
      isOpen: end === undefined,
      look: "held",
      label: `${moneyText(hold)} held`,
      index: first.index
    }
  ]
}

const attemptBars = (events: ReadonlyArray<Numbered>, now: number): ReadonlyArray<Bar> =>
  events.flatMap(({ entry, index }, place) => {
    if (entry.type !== "AttemptStarted") return []
    const end = events.slice(place + 1).find(({ entry: { type } }) => type.startsWith("Attempt"))?.entry
    const status = end === undefined ? null : textOf(end, "responseStatus")
    const from = timeOf(entry)
    return [
      {
        from,
        to: end === undefined ? Math.max(now, from) : timeOf(end),
        isOpen: end === undefined,
        look: end !== undefined && isFailure(end) ? ("failed" as const) : ("usual" as const),
        label: `Attempt ${textOf(entry, "attempt") ?? ""}${status === null ? "" : `: ${status}`}`,
        index
      }
    ]
  })

const marksOf = (events: ReadonlyArray<Numbered>): ReadonlyArray<Mark> =>
  events.map(({ entry, index }) => ({ at: timeOf(entry), index, look: lookOf(entry) }))

/** @param now where bars end that still last, Unix time in ms. */
export const of = (entries: ReadonlyArray<Entry>, now: number): ReadonlyArray<Lane> => {
  const all = entries.map((entry, index) => ({ entry, index }))
  const own = all.filter(({ entry }) => deliveryOf(entry) === null)
  const phases = phaseBars(own, now)
  const lanes = order.map((kind): Lane => ({
    id: kind,
    kind,
    name: names[kind],
    bars: kind === "money" ? moneyBars(own, now) : phases.filter((bar) => bar.kind === kind),
    marks: marksOf(own.filter(({ entry }) => laneOf(entry) === kind))
  }))
  const ids = [...new Set(all.flatMap(({ entry }) => deliveryOf(entry) ?? []))]
  const deliveries = ids.map((id): Lane => {
    const events = all.filter(({ entry }) => deliveryOf(entry) === id)
    const event = events.map(({ entry }) => textOf(entry, "event")).find((name) => name !== null)
    return {
      id,
      kind: "delivery",
      name: event === undefined || event === null ? "Webhook" : `Webhook: ${event}`,
      bars: attemptBars(events, now),
      marks: marksOf(events)
    }
  })
  return [...lanes, ...deliveries].filter(({ bars, marks }) => bars.length > 0 || marks.length > 0)
}
