/** The state after an event as named facts, and which of them the event changed. */
import { moneyText } from "#console/design/data/Money.tsx"
import { statusWord } from "../StatusBadge.tsx"
import type { State } from "./Entry.ts"

export interface StateFact {
  readonly name: string
  readonly value: string
  /** The value before the event, if it was another one; `null` otherwise. */
  readonly before: string | null
}

const phases: Readonly<Record<State["phase"], string>> = {
  queued: "waiting for a run",
  claimed: "handed to the provider",
  running: "running",
  storing: "storing the output",
  ended: "ended"
}

const payload = { none: "none", stored: "known", erased: "erased" } as const

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })
const timeText = (at: string | null) => (at === null ? "–" : clock.format(new Date(at)))

const retriesText = ({ lost, sweep, transport }: State["retries"]): string => {
  const parts = [
    ...(transport > 0 ? [`${transport} after a failed connection`] : []),
    ...(lost > 0 ? [`${lost} after a lost server`] : []),
    ...(sweep > 0 ? [`${sweep} by the regular check`] : [])
  ]
  return parts.length === 0 ? "none" : parts.join(", ")
}

const deliveryText = ({
  attempts,
  lastError,
  lastResponseStatus,
  status
}: State["deliveries"][number]): string => {
  const answer = lastResponseStatus ?? lastError
  return `${status}, ${attempts === 1 ? "1 attempt" : `${attempts} attempts`}${answer === null ? "" : `, last: ${answer}`}`
}

/** All facts, in one order. Those in `usual` are always shown, the others once they say something. */
const factsOf = (state: State): ReadonlyMap<string, string> =>
  new Map([
    ["Status", statusWord(state.status)],
    ["Phase", phases[state.phase]],
    ["Run", state.attempt === 0 ? "none yet" : String(state.attempt)],
    ["Held", moneyText(state.hold)],
    ["Charged", moneyText(state.cost)],
    ["Output", payload[state.output]],
    ["Input", payload[state.input]],
    ["Progress", state.progress === null ? "–" : `${Math.round(state.progress * 100)} %`],
    ["Log lines", String(state.logLines)],
    ["Started", timeText(state.startedAt)],
    ["Due", timeText(state.dueAt)],
    ["Repeated runs", retriesText(state.retries)],
    ["Files", String(state.files)],
    ["Breaches of the schema", String(state.violations)],
    ["Asked to stop", state.cancelRequested ? "yes" : "no"],
    ["Error", state.error ?? "–"],
    ...state.deliveries.map((delivery): [string, string] => [
      `Webhook ${delivery.event}`,
      deliveryText(delivery)
    ])
  ])

const usual = new Set(["Status", "Phase", "Run", "Held", "Charged", "Output", "Log lines"])
const silent = new Set(["–", "0", "no", "none"])

/**
 * @param states of all events, so that the same facts are shown after each of them and nothing jumps.
 * @param index of the event.
 */
export const of = (states: ReadonlyArray<State>, index: number): ReadonlyArray<StateFact> => {
  const state = states[index]
  if (state === undefined) return []
  const all = states.map(factsOf)
  const last = factsOf(state)
  const before = all[index - 1]
  const names = [...new Set(all.flatMap((facts) => [...facts.keys()]))]
  const input = (name: string) => name === "Input" && all.every((facts) => facts.get(name) === payload.stored)
  return names
    .filter((name) => usual.has(name) || all.some((facts) => !silent.has(facts.get(name) ?? "–")))
    .filter((name) => !input(name))
    .map((name) => {
      const value = last.get(name) ?? "–"
      const former = before?.get(name) ?? (before === undefined ? undefined : "–")
      return { name, value, before: former === undefined || former === value ? null : former }
    })
}
