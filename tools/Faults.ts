/** Faults to plant by `tools/Mutations.ts`: two or three in each of the twelve files that most depends on. */

export interface Fault {
  readonly file: string
  /** What goes wrong. */
  readonly what: string
  /** Code that is in the file once. */
  readonly from: string
  readonly to: string
}

const inFile = (file: string, ...faults: ReadonlyArray<readonly [what: string, from: string, to: string]>) =>
  faults.map(([what, from, to]): Fault => ({ file, what, from, to }))

export const faults: ReadonlyArray<Fault> = [
  ...inFile(
    "domain/inference-request/InferenceRequest.ts",
    [
      "a request is dispatched before it is due",
      `state.phase._tag !== "Queued" || state.phase.dueAt > command.at`,
      `state.phase._tag !== "Queued"`
    ],
    [
      "a report of an earlier run counts",
      `attempt === state.attempt && (state.phase`,
      `attempt <= state.attempt && (state.phase`
    ],
    [
      "two nodes take over one run",
      `run.jobId !== null && run.node === from && from !== node`,
      `run.jobId !== null && from !== node`
    ]
  ),
  ...inFile(
    "domain/inference-request/RunEnd.ts",
    [
      "a result after the deadline is charged",
      `  if (Deadlines.isPastEnd(state, at)) {
    return [`,
      `  if (Deadlines.isPastEnd(state, at) && at < 0) {
    return [`
    ],
    ["an output that breaks its schema is charged", `violations.length > 0`, `violations.length > 9`],
    ["a third crash in a row is retried", `crashes < Crashes.maxInARow`, `crashes <= Crashes.maxInARow`]
  ),
  ...inFile(
    "domain/webhook-delivery/WebhookDelivery.ts",
    [
      "a receiver that is gone is tried again",
      `result?.error === "gone" || result?.error === "private_address"`,
      `result?.error === "private_address"`
    ],
    [
      "another node's attempt is lost",
      `isUnderWay(state, command.attempt) && state.phase.node === command.node`,
      `isUnderWay(state, command.attempt)`
    ]
  ),
  ...inFile(
    "domain/Pricing.ts",
    ["a charge exceeds its hold", `Money.min(quote.hold, cost(quote, delivered))`, `cost(quote, delivered)`],
    [
      "a run with a price can be free",
      `unitPrice > 0n ? Money.max(minimumCharge, smallest) : minimumCharge`,
      `minimumCharge`
    ]
  ),
  ...inFile(
    "streams/sqlite/Writer.ts",
    [
      "an append is acknowledged before its commit",
      `    underWay.push(batch)
    thread.post`,
      `    underWay.push([])
    end(batch, () => Exit.fail(new EventStoreError({ reason: "lost" })))
    thread.post`
    ],
    [
      "appends go on after a failure",
      `    if (error !== undefined) return end(batch, () => Exit.fail(error))
`,
      ``
    ],
    [
      "positions of a batch are off by one",
      `position: GlobalPosition.trusted(String(result.sequence + index))`,
      `position: GlobalPosition.trusted(String(result.sequence + index + 1))`
    ]
  ),
  ...inFile(
    "streams/Actors.ts",
    [
      "the state of before a failed append is trusted",
      `      actor.current = undefined
      return Effect.fail(error)`,
      `      return Effect.fail(error)`
    ],
    [
      "a payload is stored that no event names",
      `encoded.some(({ data }) => namesPayload(data["payloads"], name, hash))`,
      `encoded.some(({ data }) => namesPayload(data["payloads"], name, hash) || true)`
    ]
  ),
  ...inFile(
    "streams/Verify.ts",
    [
      "a lost tail is not noticed",
      `if (unmet !== undefined) return yield* unmetAt(position, unmet)`,
      `if (unmet !== undefined && position === "") return yield* unmetAt(position, unmet)`
    ],
    [
      "a changed event is not noticed",
      `previous === undefined || EventChain.hash(previous, event) !== event.hash) return index`,
      `previous === undefined) return index`
    ]
  ),
  ...inFile(
    "projections/due-work/DueWorkProjection.ts",
    ["the depth of a queue does not shrink", `if (row.phase === "queued") depth.add(row.model, -1)`, ``],
    ["a failed run goes to the same provider", `if (isReturned) row.provider = null`, `row.provider = null`]
  ),
  ...inFile(
    "src/features/funds/FundsCells.ts",
    [
      "one more is spent than there is",
      `(cell?.available ?? 0n) + creditLimit < hold`,
      `(cell?.available ?? 0n) + creditLimit < hold - 1n`
    ],
    [
      "a charge of last month counts against this one",
      `key.month >= startOf("month", at) ? key.spent : 0n`,
      `key.spent`
    ],
    ["a cancelled reserve stays", `if (hold.reserves === 0) giveBack(requestId, hold)`, ``]
  ),
  ...inFile("src/features/requests/QueuePlaces.ts", [
    "a full queue takes one more",
    `depth.queued + places.size < limit`,
    `depth.queued + places.size <= limit`
  ]),
  ...inFile("src/features/requests/Submitting.ts", [
    "a key runs models that it was not granted",
    `    if (!Grant.allowsModel(submission.caller.grant, submission.endpoint)) {`,
    `    if (submission.endpoint.length === 0) {`
  ]),
  ...inFile(
    "src/features/webhooks/deliveries/Attempts.ts",
    ["a slot is never given back", `slots.giveBack(load, answered)`, ``],
    [
      "an attempt that a stop interrupts is not recorded as lost",
      `return Effect.ignoreCause(lose(id, attempt))
          },`,
      `return Effect.void
          },`
    ]
  ),
  ...inFile(
    "src/edges/http/edge/Admission.ts",
    [
      "a scope is not asked for",
      `grant.scopes.includes(scope)`,
      `grant.scopes.includes(scope) || grant.scopes.length > 0`
    ],
    [
      "a page of any origin may use a key",
      `if (origin !== undefined && !origins.admits(caller.grant, origin, arrival)) {`,
      `if (origin === "" && !origins.admits(caller.grant, origin, arrival)) {`
    ]
  )
]
