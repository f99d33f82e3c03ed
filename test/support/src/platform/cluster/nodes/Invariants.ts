/** The invariants at rest, whatever happened before (security, "Invariants after every crash or seed"). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import type { Node } from "#test/support/Nodes.ts"
import * as Until from "#test/support/Until.ts"
import * as Calls from "./Calls.ts"
import type { Acknowledged } from "./Load.ts"
import * as LogFacts from "./LogFacts.ts"

const attemptsOf = (events: ReadonlyArray<RecordedEvent>, type: string) =>
  events.filter((event) => event.type === type).map(({ data }) => data["attempt"])

/** One end, by the last run; each run is recorded once. */
const checkRequest = (id: string, events: ReadonlyArray<RecordedEvent>) => {
  const ends = events.filter(({ type }) => LogFacts.terminal.has(type))
  assert.strictEqual(ends.length, 1, `${id} has one end`)
  assert.strictEqual(events.filter(({ type }) => type === "RequestSubmitted").length, 1)
  const dispatched = attemptsOf(events, "DispatchStarted")
  assert.deepStrictEqual(
    dispatched,
    dispatched.map((_, index) => index + 1),
    `runs of ${id}`
  )
  for (const type of ["RequestStarted", "OutputReceived", "MediaStored", "LateOutcomeIgnored"]) {
    const attempts = attemptsOf(events, type)
    assert.strictEqual(new Set(attempts).size, attempts.length, `${type} of ${id} once for each run`)
  }
  const [end] = ends
  if (end?.type === "RequestCompleted") {
    assert.strictEqual(end.data["attempt"], dispatched.at(-1), `${id} is ended by its last run`)
  }
}

const chargedOf = (events: ReadonlyArray<RecordedEvent>): bigint =>
  events.reduce((sum, { data, type }) => {
    const billing = data["billing"]
    const isCharge = type === "RequestCompleted" && typeof billing === "object" && billing !== null
    return isCharge && "amount" in billing ? sum + BigInt(String(billing.amount)) : sum
  }, 0n)

/** For the log: nothing is unfinished, and it has exactly what was acknowledged, each charged once. */
export const checkLog = (requests: LogFacts.Requests, acknowledged: ReadonlyArray<Acknowledged>) => {
  for (const [id, events] of requests) checkRequest(id, events)
  for (const { id, work } of acknowledged) {
    const events = requests.get(id) ?? []
    const isCompleted = events.some(({ type }) => type === "RequestCompleted")
    assert.strictEqual(chargedOf(events), isCompleted ? work.cost : 0n, `what ${id} was charged`)
  }
}

const path = (id: string) => `/requests/${id}`

/** Waits until all nodes return the same for the request, and returns it. */
const agreed = async (nodes: ReadonlyArray<Node>, id: string) => {
  const [first, ...others] = await Promise.all(nodes.map((node) => Calls.call(node, path(id))))
  for (const { body } of others) assert.deepStrictEqual(body, first?.body, `what nodes tell of ${id}`)
  return first
}

const checkAnswer = (nodes: ReadonlyArray<Node>) =>
  Effect.fnUntraced(function* ({ id, work }: Acknowledged) {
    const answer = yield* Until.answers(() => agreed(nodes, id), Until.processes)
    const { cost, input, status } = answer?.body ?? {}
    assert.strictEqual(answer?.status, 200)
    assert.deepStrictEqual(input, work.input, `input of ${id}`)
    assert.include<unknown>(work.ends, status, `end of ${id}`)
    assert.strictEqual(nanoUsd(String(cost)), status === "COMPLETED" ? work.cost : 0n, `cost of ${id}`)
  })

/** Parses an amount in USD from an answer. */
export const nanoUsd = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(9, "0"))
}

/** For the answers: all nodes know every request with its input, and report the same end. */
export const checkAnswers = (nodes: ReadonlyArray<Node>, acknowledged: ReadonlyArray<Acknowledged>) =>
  Effect.forEach(acknowledged, checkAnswer(nodes), { concurrency: 8, discard: true })
