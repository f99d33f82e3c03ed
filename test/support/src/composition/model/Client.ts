/** One sequence in action: its client's calls and answers, and the behaviour of its runs. */
import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import { status } from "#domain/inference-request/Status.ts"
import type { VisiblePhase } from "#domain/inference-request/VisibleRequest.ts"
import * as PayloadErasing from "#src/features/retention/PayloadErasing.ts"
import { InsufficientBalance, Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { TestAccounts } from "#test/support/TestAccounts.ts"
import * as Offers from "./Offers.ts"
import type { ObservedRun } from "./Runs.ts"
import type { Command, Sequence } from "./Script.ts"
import type { World } from "./World.ts"

/** An acknowledged request, and what its client knows of it. */
export interface Known {
  readonly id: RequestId
  readonly order: Offers.Order
  /** The first reported end. No other end may be reported later. */
  end: VisiblePhase | null
  /** `asked`: an erasure was requested, so it may be erased or not. */
  erasing: "no" | "asked" | "done"
  isStarted: boolean
}

export interface Client {
  readonly accountId: string
  readonly sequence: Sequence
  readonly known: ReadonlyArray<Known>
  /** Requests with an attempt to cancel. */
  readonly cancelAsked: ReadonlySet<RequestId>
  /** Begins the sequence's actions of the round without waiting for them. */
  readonly step: (round: number) => Effect.Effect<void>
}

type Submit = Extract<Command, { readonly _tag: "Submit" }>

export const make = Effect.fnUntraced(function* (world: World, sequence: Sequence, index: number) {
  const accountId = `acc_${index}`
  const { means } = sequence
  const poor = means === null ? undefined : `0.00${means}`
  yield* Effect.flatMap(TestAccounts, ({ open }) => open(accountId, poor))
  const caller = Facts.caller(accountId)
  const known: Array<Known> = []
  const byKey = new Map<string, RequestId>()
  const cancelAsked = new Set<RequestId>()
  /** Holds of unanswered submits. */
  let pending: ReadonlyArray<bigint> = []
  let texts = 0

  const observe = (one: Known, { request }: Snapshot) => {
    const { phase } = request
    // A node may not have seen another node's events yet; at rest all have.
    const isNewest = !world.hadOthers() || isTerminal(phase)
    if (one.end !== null && isNewest)
      assert.deepStrictEqual(phase, one.end, `${one.id} has another end than was told`)
    if (isTerminal(phase)) one.end = phase
    if (!world.hadOthers() && one.isStarted)
      assert.notStrictEqual(status(request), "IN_QUEUE", `${one.id} is told as waiting after its start`)
    one.isStarted ||= status(request) === "IN_PROGRESS"
  }

  const available = Effect.map(world.books, (books) => books.of(accountId).available)

  /** A refusal is right if the balance sufficed at no moment, whatever happened to the others. */
  const checkRefusal = (
    { available: told, required }: InsufficientBalance,
    order: Offers.Order,
    most: bigint,
    others: bigint
  ) => {
    assert.strictEqual(required, Offers.holdOf(order), "what a 402 says is required")
    assert.isTrue(told < required, "a 402 for less than is available")
    assert.isTrue(most - others < required, `${accountId} was refused what it could pay`)
  }

  const submit = Effect.fnUntraced(function* (command: Submit) {
    const { cancelAfterMs, key, startTimeoutMs } = command
    // A repeat under the key has the same text.
    const text = key === null ? `${accountId} ${texts++}` : `${accountId} under ${key}`
    const order: Offers.Order = key === null ? { ...command, text } : { offer: "image", count: 1, text }
    const before = yield* available
    const others = pending.reduce((sum, hold) => sum + hold, 0n)
    pending = [...pending, Offers.holdOf(order)]
    const answer = yield* Effect.exit(
      world.on(
        Effect.flatMap(Requests, (requests) =>
          requests.submit(
            Facts.submission({
              model: Offers.models[order.offer],
              account: accountId,
              input: Offers.inputOf(order),
              deadlines: { startTimeoutMs, cancelAfterMs },
              idempotency: key === null ? null : { key: `key-${key}`, requestHash: "hash" }
            })
          )
        )
      )
    )
    const now = yield* available
    const during = pending.reduce((sum, hold) => sum + hold, 0n) - Offers.holdOf(order)
    pending = pending.toSpliced(pending.indexOf(Offers.holdOf(order)), 1)
    if (Exit.isFailure(answer)) {
      const error = Exit.findErrorOption(answer)
      if (error._tag === "Some" && error.value instanceof InsufficientBalance) {
        assert.isNotNull(means, "an account without limits is refused")
        const most = before < now ? before : now
        checkRefusal(error.value, order, most, others > during ? others : during)
      }
      return
    }
    const { id } = answer.value
    if (key !== null) {
      assert.strictEqual(byKey.get(`${key}`) ?? id, id, "twins under one key are two requests")
      byKey.set(`${key}`, id)
      if (known.some((one) => one.id === id)) return
    }
    known.push({ id, order, end: null, erasing: "no", isStarted: false })
  })

  const cancel = Effect.fnUntraced(function* (one: Known) {
    cancelAsked.add(one.id)
    const model = Offers.models[one.order.offer]
    const options = { caller, id: one.id, endpoint: model.model.endpoint }
    const answer = yield* world.on(Effect.flatMap(Requests, (requests) => requests.cancel(options)))
    observe(one, answer)
    const { cancel, request } = answer
    const { _tag: phase } = request.phase
    assert.notStrictEqual(phase, "Queued", "a cancelled request waits for another run")
    const isOnItsWay = phase === "Dispatched" || phase === "Running"
    const isRemembered = "cancelRequested" in request && request.cancelRequested
    if (isOnItsWay) assert.isTrue(isRemembered, "a cancel was accepted and forgotten")
    if (cancel.accepted) assert.isTrue(isOnItsWay || phase === "Cancelled", "a cancel of what has ended")
  })

  const read = Effect.fnUntraced(function* (one: Known) {
    const get = Effect.flatMap(Requests, (requests) => requests.get({ caller, id: one.id }))
    observe(one, yield* world.on(get))
  })

  const erase = Effect.fnUntraced(function* (one: Known) {
    const wasEnded = one.end !== null
    const erasing = Effect.flatMap(PayloadErasing.make, (erase) => erase({ caller, id: one.id }))
    const exit = yield* Effect.exit(world.on(erasing))
    if (Exit.isSuccess(exit)) one.erasing = "done"
    else if (one.erasing === "no") one.erasing = "asked"
    const error = Exit.findErrorOption(exit)
    if (wasEnded && !world.hadOthers() && error._tag === "Some")
      assert.notStrictEqual(error.value._tag, "RequestNotEnded", "what has ended cannot be erased")
  })

  const pick = (nth: number): Known | undefined => known[nth % Math.max(known.length, 1)]

  const withRun = (
    { nth, run }: { readonly nth: number; readonly run: "newest" | "oldest" },
    use: (observed: ObservedRun) => Effect.Effect<void>
  ) => {
    const one = pick(nth)
    const open = one === undefined ? [] : world.runs.of(one.id).filter(({ isOpen }) => isOpen)
    const observed = run === "newest" ? open.at(-1) : open[0]
    return observed === undefined ? Effect.void : use(observed)
  }

  const withKnown = (nth: number, use: (one: Known) => Effect.Effect<unknown, unknown>) => {
    const one = pick(nth)
    return one === undefined ? Effect.void : world.fork(use(one))
  }

  const perform = (command: Command): Effect.Effect<void> => {
    switch (command._tag) {
      case "Submit":
        return Effect.forEach(Array.from({ length: command.times }), () => world.fork(submit(command)), {
          discard: true
        })
      case "Accept":
        return withRun(command, (observed) =>
          world.runs.report(observed, ({ accepted }) => accepted(`job ${observed.attempt}`))
        )
      case "Start":
        return withRun(command, (observed) => world.runs.report(observed, ({ started }) => started))
      case "Progress":
        return withRun(command, (observed) =>
          world.runs.report(observed, ({ progress }) => progress({ fraction: 0.5, logs: ["half"] }))
        )
      case "End":
        return withRun(command, (observed) => world.runs.end(observed, command.end))
      case "EndWhenStopped":
        return withRun({ ...command, run: "newest" }, (observed) =>
          world.runs.endWhenStopped(observed, command.end)
        )
      case "Cancel":
        return withKnown(command.nth, cancel)
      case "Read":
        return withKnown(command.nth, read)
      case "Erase":
        return withKnown(command.nth, erase)
      case "Look": {
        const one = pick(command.nth)
        return Effect.sync(() => one && world.runs.answerLooks(one.id, command.answer))
      }
      case "Fault":
        return Effect.sync(() => world.faults.add({ ...command, accountId }))
    }
  }

  const client: Client = {
    accountId,
    sequence,
    known,
    cancelAsked,
    step: (round) =>
      Effect.suspend(() => {
        const command = sequence.commands[round]
        return command === undefined ? Effect.void : perform(command)
      })
  }
  return client
})
