/** A log on disk with every movement of money, written by the deciders and the store. */
import { type Array as NonEmpty, Effect, Layer, References } from "effect"
import * as Account from "#domain/account/Account.ts"
import type { Aggregate } from "#domain/Aggregate.ts"
import type { DomainEvent } from "#domain/EventCodec.ts"
import { noLimits } from "#domain/account/Limits.ts"
import { AccountId, KeyId, RequestId } from "#domain/Ids.ts"
import type { Command } from "#domain/inference-request/Command.ts"
import type { RequestSubmitted } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { NanoUsd } from "#domain/Money.ts"
import * as Pricing from "#domain/Pricing.ts"
import * as LedgerProjection from "#projections/ledger/LedgerProjection.ts"
import * as Audit from "#src/features/billing/audit/Audit.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import { Payloads, refOf } from "#streams/Payload.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import { replay } from "#test/support/Replay.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"

export const acme = AccountId.make("acc_00000000000acme0")
export const beta = AccountId.make("acc_00000000000beta0")

/** 2026-01-01T00:00:00Z, Unix time in ms. */
export const t0 = Date.UTC(2026, 0, 1)
export const hour = 60 * 60 * 1_000
export const day = 24 * hour

let eventIds = 0

/** Decides the commands one by one and appends their events, as an actor does. */
const execute = Effect.fnUntraced(function* <State, Command, Event extends DomainEvent, Rejection>(
  { category, codec, decider }: Aggregate<State, Command, Event, Rejection>,
  id: string,
  commands: ReadonlyArray<Command>,
  payloads: ReadonlyArray<SealedPayload> = []
) {
  const store = yield* EventStore
  const stream = StreamName.make(category, id)
  let left = payloads
  for (const command of commands) {
    const before = yield* store.read(stream)
    const state = replay(decider, before.map(codec.decode))
    const events = (yield* Effect.fromResult(decider.decide(command, state))).map((event) => ({
      id: `event-${eventIds++}`,
      ...codec.encode(event)
    }))
    const [first, ...others] = events
    if (first === undefined) return yield* Effect.die(`${id}: nothing was decided`)
    const text = JSON.stringify(events)
    const named = left.filter(({ hash }) => text.includes(hash))
    left = left.filter((payload) => !named.includes(payload))
    const erased = first.type === "PayloadsErased" ? ["input", "output"] : []
    const all: NonEmpty.NonEmptyReadonlyArray<typeof first> = [first, ...others]
    yield* store.append({
      stream,
      expected: ExpectedVersion.Any,
      events: all,
      payloads: named,
      erases: erased
    })
  }
})

const openAccount = (accountId: AccountId, at: number, balance: bigint) =>
  execute(Account.aggregate, accountId, [
    {
      _tag: "Open",
      at,
      accountId,
      name: "an account",
      key: { keyId: KeyId.make(`key of ${accountId}`), name: "first key", secretHash: "hash" },
      balance: NanoUsd.make(balance)
    }
  ])

const topUp = (
  accountId: AccountId,
  at: number,
  amount: bigint,
  paymentId: string | null,
  reference = "paid"
) =>
  execute(Account.aggregate, accountId, [
    { _tag: "TopUp", at, amount: NanoUsd.make(amount), reference, paymentId }
  ])

export const requestId = (name: string): RequestId => RequestId.make(`rq-${name}`.padEnd(21, "-"))

export const streamOf = (name: string): string => `InferenceRequest-${requestId(name)}`

type Refs = Record<"input" | "output" | "result", SealedPayload>

/** A request for four images at 0.002 each, and its further events from `at` on. */
export const request = Effect.fnUntraced(function* (
  name: string,
  at: number,
  life: (refs: Refs) => ReadonlyArray<Command> = () => [],
  submit: Partial<RequestSubmitted> = {}
) {
  const payloads = yield* Payloads
  const id = requestId(name)
  const stream = StreamName.make("InferenceRequest", id)
  const seal = (name: string) => payloads.seal({ owner: acme, stream, name, text: JSON.stringify({ name }) })
  const refs = {
    input: yield* seal("input"),
    output: yield* seal("output"),
    result: yield* seal("result")
  }
  const submitted: Command = {
    _tag: "Submit",
    request: {
      ...Story.request,
      at,
      accountId: acme,
      payloads: { input: refOf(refs.input) },
      ...submit
    }
  }
  yield* execute(InferenceRequest.aggregate, id, [submitted, ...life(refs)], Object.values(refs))
})

/** An expensive request that stays open. */
export const dearRequest = (
  name: string,
  at: number,
  accountId: AccountId,
  { hold, unitPrice }: { readonly hold: bigint; readonly unitPrice: bigint }
) =>
  request(name, at, () => [], {
    accountId,
    quote: { ...Story.quote, unitPrice: NanoUsd.make(unitPrice), hold: NanoUsd.make(hold) }
  })

const succeeded = (refs: Refs, units: number, media = false) => {
  const outcome = media ? Story.deliveredWithMedia(units) : Story.delivered(units)
  return outcome._tag === "Succeeded"
    ? { ...outcome, output: { ...outcome.output, ref: refOf(refs.output) } }
    : outcome
}

/** A run that delivered `units`. */
const delivered = (at: number, units: number) => (refs: Refs) => [
  Story.dispatch(at + 1),
  Story.end(succeeded(refs, units), { at: at + 1_000, startedAt: at + 2 })
]

const ended = (at: number, outcome: Parameters<typeof Story.end>[0]) => (): ReadonlyArray<Command> => [
  Story.dispatch(at + 1),
  Story.end(outcome, { at: at + 1_000, startedAt: at + 2 })
]

const media =
  (at: number, ...rest: ReadonlyArray<Command>) =>
  (refs: Refs): ReadonlyArray<Command> => [
    Story.dispatch(at + 1),
    Story.end(succeeded(refs, 4, true), { at: at + 1_000, startedAt: at + 2 }),
    ...rest.map((command) =>
      command._tag === "RecordMedia" ? { ...command, result: refOf(refs.result) } : command
    )
  ]

/** Retried by the sweep five times, dispatched again each time, and failed after more than six hours. */
const givenUp = (at: number) => (): ReadonlyArray<Command> => [
  ...Array.from({ length: 5 }, (_, index) => [
    Story.dispatch(at + (index + 1) * hour),
    Story.sweepRetry(at + (index + 1) * hour + 1, "lost", index + 1)
  ]).flat(),
  { _tag: "ForceFail", at: at + 7 * hour }
]

const free = Pricing.quote(
  { ...Story.quote, unitPrice: NanoUsd.make(0n), minimumCharge: NanoUsd.make(0n) },
  Story.quote.quantity,
  Story.quote.maxQuantity
)

/** A day later. */
const at = (days: number): number => t0 + days * day

/** Every kind of end, and two open requests. Balances: acme 24.973, of which 0.016 are held, beta 5. */
export const write = Effect.gen(function* () {
  yield* openAccount(acme, at(0), 15_000_000_000n)
  yield* openAccount(beta, at(0), 0n)
  yield* topUp(acme, at(1), 10_000_000_000n, "payment-1", '=HYPERLINK("http://x"), "quoted"')
  yield* topUp(beta, at(1), 5_000_000_000n, "payment-1")
  yield* execute(Account.aggregate, beta, [
    {
      _tag: "ChangeLimits",
      at: at(1),
      limits: { ...noLimits, creditLimit: NanoUsd.make(1_000_000_000n) }
    }
  ])
  yield* request("charged", at(2), delivered(at(2), 4))
  yield* request("partial", at(3), delivered(at(3), 3))
  yield* request("nothing", at(4), delivered(at(4), 0))
  yield* request("invalid", at(5), (refs) => [
    Story.dispatch(at(5) + 1),
    Story.end(
      { ...Story.outcomes.invalid, output: { ref: refOf(refs.output), violations: Story.violations } },
      { at: at(5) + 1_000 }
    )
  ])
  yield* request("model-failed", at(6), ended(at(6), Story.outcomes.modelFailed))
  yield* request("refused", at(7), ended(at(7), Story.outcomes.refused))
  yield* request("cancelled", at(8), () => [{ _tag: "Cancel", at: at(8) + 5 }])
  yield* request("expired", at(9), () => [{ _tag: "Expire", at: at(9) + 5 }], {
    deadlines: { endBy: at(9) + 5 }
  })
  yield* request("given-up", at(10), givenUp(at(10)))
  yield* request("media", at(11), media(at(11), Story.recordMedia(at(11) + 2_000)))
  yield* request("no-media", at(12), media(at(12), Story.refuseMedia(at(12) + 2_000)))
  yield* request(
    "late",
    at(13),
    () => [
      Story.dispatch(at(13) + 1),
      { _tag: "Expire", at: at(13) + 5 },
      Story.end(Story.outcomes.modelFailed, { at: at(13) + 10 })
    ],
    { deadlines: { endBy: at(13) + 5 } }
  )
  yield* request("erased", at(14), (refs) => [
    ...delivered(at(14), 4)(refs),
    { _tag: "Erase", at: at(14) + hour, reason: "requested" }
  ])
  yield* request("free", at(15), delivered(at(15), 4), { quote: free })
  yield* request("retried", at(16), (refs) => [
    Story.dispatch(at(16) + 1),
    Story.end(Story.outcomes.transportError, { at: at(16) + 10 }),
    Story.dispatch(at(16) + hour),
    Story.end(succeeded(refs, 4), { at: at(16) + hour + 10, attempt: 2 })
  ])
  yield* request("open", at(17))
  yield* request("running", at(18), () => [Story.dispatch(at(18) + 1)])
})

/** The read model of the directory, at the end of its log. */
export const project = (directory: string) =>
  DataDirectory.own(
    directory,
    ReadSide.runOnce(`${directory}/projections.sqlite`, [LedgerProjection.projection]).pipe(
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )

export const silent: Audit.Options = { opened: () => {}, booked: () => {} }

/** The result of an audit of the directory. */
export const audit = (directory: string, options: Audit.Options = silent) =>
  Effect.provide(Audit.run(directory, options), readOnly(directory), { local: true })

const readOnly = (directory: string) =>
  Payloads.layer.pipe(
    Layer.provideMerge(
      Layer.merge(
        SqliteEventReader.layer({ filename: LogFiles.files(directory).log }),
        FileBlobStore.layer({ root: `${directory}/files`, isShared: true })
      )
    )
  )
