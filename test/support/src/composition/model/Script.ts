/**
 * The script of a model test: sequences of commands, each of a client with its own account and of the provider of its
 * requests. A crowd of them shares one world with its clock, sweeps and crashes.
 */
import * as fc from "fast-check"
import { type End, ends, type Offer, offers } from "./Offers.ts"

/** The index of the sequence's request, from 0; modulo their number. */
type Nth = number

/** Its newest run, or the oldest one still in progress, which may be obsolete. */
type Which = "newest" | "oldest"

export type Command =
  | {
      readonly _tag: "Submit"
      readonly offer: Offer
      readonly count: number
      /** This often at the same time. */
      readonly times: number
      /** One of the sequence's idempotency keys. */
      readonly key: number | null
      readonly startTimeoutMs: number | null
      readonly cancelAfterMs: number | null
    }
  | { readonly _tag: "Accept" | "Start" | "Progress"; readonly nth: Nth; readonly run: Which }
  | { readonly _tag: "End"; readonly nth: Nth; readonly run: Which; readonly end: End }
  /** From now on its run ends in this way when it is stopped. */
  | { readonly _tag: "EndWhenStopped"; readonly nth: Nth; readonly end: End }
  | { readonly _tag: "Cancel" | "Read" | "Erase"; readonly nth: Nth }
  /** The state of its job for looks: `null` for alive, `unknown` for no job. */
  | { readonly _tag: "Look"; readonly nth: Nth; readonly answer: End | "unknown" | null }
  /** The fate of the next append of the sequence with an event of the type. */
  | { readonly _tag: "Fault"; readonly type: string; readonly fate: "refused" | "stored unheard" }

export interface Sequence {
  /** Requests at the lowest price that the account can pay for; `null`: any number. */
  readonly means: number | null
  readonly commands: ReadonlyArray<Command>
}

/** Between the commands of a round and those of the next. */
export type Turn =
  /** Nothing is waited for. */
  | { readonly _tag: "Race" }
  /** Everything proceeds as far as possible without time. */
  | { readonly _tag: "Settle" }
  | { readonly _tag: "Clock"; readonly ms: number }
  | { readonly _tag: "Sweep" }
  /** The node crashes; its last appends may be on the log without its knowledge. Another node replaces it. */
  | { readonly _tag: "Crash"; readonly unheard: number }
  /** The node that crashed last had only been cut off. */
  | { readonly _tag: "Revive" }
  /** Graceful stop. */
  | { readonly _tag: "Restart" }
  /** A crash, followed by this time without a node. */
  | { readonly _tag: "Outage"; readonly ms: number }
  /** Another node beside the current one. */
  | { readonly _tag: "Join" }

export interface Crowd {
  readonly sequences: ReadonlyArray<Sequence>
  readonly turns: ReadonlyArray<Turn>
}

const nth = fc.nat({ max: 2 })
const which = fc.constantFrom<Which>("newest", "newest", "newest", "oldest")

const often = <A>(weights: ReadonlyArray<readonly [weight: number, values: ReadonlyArray<A>]>) =>
  fc.oneof(...weights.map(([weight, values]) => ({ weight, arbitrary: fc.constantFrom(...values) })))

/**
 * Unavailable files keep their requests open for minutes, and files that cannot be stored for six hours, so few
 * worlds have any.
 */
const rare: ReadonlyArray<End> = ["missing file", "unstored file"]

/** A failure shrinks to the first value. */
const end = often<End>([
  [4, ["valid"]],
  [3, ends.filter((end) => !rare.includes(end))],
  [1, ["transport error", "lost", "stopped", "short"]]
])
const endOrMissing = fc.oneof(
  { weight: 15, arbitrary: end },
  { weight: 1, arbitrary: fc.constantFrom<End>("unstored file", ...rare) }
)

const hour = 3_600_000

const submit: fc.Arbitrary<Command> = fc.record({
  _tag: fc.constant("Submit"),
  offer: often<Offer>([
    [6, offers.filter((offer) => offer !== "narrow")],
    [1, ["narrow"]]
  ]),
  count: fc.integer({ min: 1, max: 4 }),
  times: often([
    [5, [1]],
    [1, [2, 3]]
  ]),
  key: often<number | null>([
    [4, [null]],
    [1, [0, 1]]
  ]),
  startTimeoutMs: often<number | null>([
    [6, [null]],
    [1, [100, 5_000]]
  ]),
  cancelAfterMs: often<number | null>([
    [6, [null]],
    [1, [1_000, 60_000, hour]]
  ])
})

const faults = [
  "RequestSubmitted",
  "DispatchStarted",
  "ProviderAccepted",
  "RunTakenOver",
  "RequestStarted",
  "RequestCompleted",
  "RequestRequeued",
  "RequestCancelled",
  "CancelRequested",
  "OutputReceived",
  "MediaStored",
  "SweepRetried",
  "PayloadsErased"
]

const commandOf = (end: fc.Arbitrary<End>): fc.Arbitrary<Command> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ _tag: fc.constant("End"), nth, run: which, end }) },
    { weight: 8, arbitrary: submit },
    { weight: 5, arbitrary: fc.record({ _tag: fc.constant("Cancel"), nth }) },
    {
      weight: 6,
      arbitrary: fc.record({ _tag: fc.constantFrom("Start", "Accept", "Progress"), nth, run: which })
    },
    { weight: 2, arbitrary: fc.record({ _tag: fc.constant("EndWhenStopped"), nth, end }) },
    { weight: 4, arbitrary: fc.record({ _tag: fc.constantFrom("Read", "Read", "Erase"), nth }) },
    {
      weight: 2,
      arbitrary: fc.record({
        _tag: fc.constant("Look"),
        nth,
        answer: fc.constantFrom<End | "unknown" | null>(
          null,
          "unknown",
          "valid",
          "short",
          "model failed",
          "lost"
        )
      })
    },
    {
      weight: 2,
      arbitrary: fc.record({
        _tag: fc.constant("Fault"),
        type: fc.constantFrom(...faults),
        fate: fc.constantFrom("refused", "stored unheard")
      })
    }
  )

const sequenceOf = (end: fc.Arbitrary<End>): fc.Arbitrary<Sequence> =>
  fc
    .record({
      means: often<number | null>([
        [3, [null]],
        [1, [0, 1, 2, 3, 4]]
      ]),
      first: submit,
      rest: fc.array(commandOf(end), { maxLength: 12, size: "max" })
    })
    .map(({ first, means, rest }) => ({ means, commands: [first, ...rest] }))

const ms = often([
  [6, [1, 20, 250, 1_000, 3_000]],
  [3, [10_000, 65_000]],
  [1, [1_800_000]]
])

const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ _tag: "Race" }) },
  { weight: 10, arbitrary: fc.constant({ _tag: "Settle" }) },
  { weight: 10, arbitrary: fc.record({ _tag: fc.constant("Clock"), ms }) },
  { weight: 4, arbitrary: fc.constant({ _tag: "Sweep" }) },
  {
    weight: 2,
    arbitrary: fc.record({ _tag: fc.constant("Crash"), unheard: fc.constantFrom(0, 0, 1, 3) })
  },
  { weight: 2, arbitrary: fc.constant({ _tag: "Revive" }) },
  { weight: 1, arbitrary: fc.constant({ _tag: "Restart" }) },
  {
    weight: 1,
    arbitrary: fc.record({ _tag: fc.constant("Outage"), ms: fc.constantFrom(10_000, hour, 3 * hour) })
  },
  { weight: 1, arbitrary: fc.constantFrom<Turn>({ _tag: "Settle" }, { _tag: "Settle" }, { _tag: "Join" }) }
)

const crowdOf = (end: fc.Arbitrary<End>, size: number): fc.Arbitrary<Crowd> =>
  fc.record({
    sequences: fc.array(sequenceOf(end), { minLength: 1, maxLength: size, size: "max" }),
    turns: fc.array(turn, { maxLength: 14, size: "max" })
  })

/** Up to `size` sequences at a time. */
export const crowd = (size: number): fc.Arbitrary<Crowd> =>
  fc.noBias(
    fc.oneof(
      { weight: 12, arbitrary: crowdOf(end, size) },
      { weight: 1, arbitrary: crowdOf(endOrMissing, size) }
    )
  )
