/** The invariants of a world at rest (security, "Invariants after every crash or seed"). */
import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { AccountId } from "#domain/Ids.ts"
import { allProjections } from "#projections/AllProjections.ts"
import type { Columns } from "#projections/batch/Columns.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { Ledger } from "#projections/ledger/Ledger.ts"
import * as LedgerHolds from "#projections/ledger/LedgerHolds.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import * as Verification from "#projections/rebuild/Verification.ts"
import * as Auditor from "#src/features/billing/audit/Auditor.ts"
import * as ReadModel from "#src/features/billing/audit/ReadModel.ts"
import { Funds } from "#src/features/funds/Funds.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as StreamName from "#streams/StreamName.ts"
import { verify } from "#streams/Verify.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import type { Lives } from "./AtRest.ts"
import type { Client, Known } from "./Client.ts"
import * as Legal from "./Legal.ts"
import * as Offers from "./Offers.ts"
import type { World } from "./World.ts"

/** Every run of a cancelled request was stopped, if a node could still know of it. */
export const checkStops = (world: World, lives: Lives) => {
  if (world.hadOthers()) return
  for (const { isOpen, isStopAsked, node, run } of world.runs.all()) {
    const { requestId: id } = run.job
    if (world.faults.wasUnheard(StreamName.make("InferenceRequest", id))) continue
    const events = lives.get(id) ?? []
    const isUnwanted =
      events.some(({ _tag }) => _tag === "CancelRequested") || Facts.terminal(events).length > 0
    if (isOpen && isUnwanted && world.isAlive(node))
      assert.isTrue(isStopAsked, `${id}: its run was not asked to stop`)
  }
}

/** Every acknowledged submit exists, with its input and the first reported end. */
const checkKnown = Effect.fnUntraced(function* (
  world: World,
  { accountId }: Client,
  known: Known,
  lives: Lives
) {
  const { erasing, id, order } = known
  assert.isTrue(lives.has(id), `${id} was acknowledged and is lost`)
  const requests = yield* world.node().on(Requests)
  if (world.hadOthers()) yield* (yield* world.node().on(RequestActors)).refresh(id)
  const snapshot = yield* requests.get({ caller: Facts.caller(accountId), id })
  const { phase } = snapshot.request
  if (known.end !== null) assert.deepStrictEqual(phase, known.end, `${id} has another end than was told`)
  const { input } = yield* requests.payloads(snapshot)
  if (erasing === "done") assert.isNull(input, `${id} was erased`)
  if (erasing === "no" || input !== null)
    assert.deepStrictEqual(input, Offers.inputOf(order), `${id}: its input`)
})

const checkLives = (world: World, clients: ReadonlyArray<Client>, lives: Lives) => {
  const orders = new Map(clients.flatMap(({ known }) => known.map(({ id, order }) => [id, order])))
  const cancelled = new Set(clients.flatMap(({ cancelAsked }) => [...cancelAsked]))
  for (const [id, events] of lives) {
    const runs = world.runs.of(id)
    const order = orders.get(id) ?? runs[0]?.order ?? null
    const told = world.runs.told(id)
    const { isAlive } = world
    Legal.check({ id, events, runs, told, order, isAlive, isCancelAsked: cancelled.has(id) })
  }
  const begun = new Set(world.runs.all().map(({ run }) => run.job.requestId))
  for (const id of begun) assert.isTrue(lives.has(id), `${id} was run and is not on the log`)
}

/** Four sums of the log agree: the auditor's, the read model's, the funds' and our own books. */
const checkMoney = Effect.fnUntraced(function* (world: World) {
  const store = yield* EventStore
  const events = yield* Stream.runCollect(store.readAll(GlobalPosition.beginning))
  const auditor = Auditor.make({ opened: () => {}, booked: () => {} })
  for (const event of events) auditor.pass(event)
  assert.strictEqual(auditor.state.books.sum(), 0n, "all postings together")
  const own = yield* world.books
  assert.strictEqual(auditor.state.books.balance("revenue"), own.revenue(), "what was earned")

  const node = world.node()
  const ledger = yield* node.on(Effect.flatMap(Ledger, ({ state }) => state))
  assert.strictEqual(ledger.position, yield* store.head, "the ledger is behind")
  const sql = yield* node.on(ReadModels)
  const holds = (yield* sql.unsafe<Columns>(LedgerHolds.statement)).map(LedgerHolds.read)
  assert.isNull(ReadModel.difference({ _tag: "Found", ledger, holds }, auditor.state))
  const funds = yield* node.on(Funds)
  for (const accountId of own.accounts()) {
    const { available, held, least, open } = own.of(accountId)
    assert.deepStrictEqual({ held, open }, { held: 0n, open: 0 }, `${accountId} has holds at rest`)
    assert.isTrue(world.wasShared() || least >= 0n, `${accountId} had ${least}`)
    const { limits: _, ...cell } = funds.of(AccountId.make(accountId))
    assert.deepStrictEqual(cell, { available, held, open }, `what ${accountId} may spend`)
  }
})

/** Nothing is unfinished: the work queue has no claims, waits, deadlines or files. */
const checkQueue = Effect.fnUntraced(function* (world: World) {
  const queue = yield* world.node().on(DueWork)
  const page = { now: Number.MAX_SAFE_INTEGER, after: null, limit: 10 }
  assert.deepStrictEqual(yield* queue.claims(page), [], "claims are left")
  assert.deepStrictEqual(yield* queue.finalizing(page), [], "files are left")
  assert.deepStrictEqual(yield* queue.overdue(page), [], "overdue runs are left")
  assert.deepStrictEqual(yield* queue.deadlines(page), [], "deadlines are left")
  assert.deepStrictEqual(yield* queue.dueModels(page.now), [], "requests wait")
  for (const { run, isOpen } of world.runs.all()) assert.isFalse(isOpen, `${run.job.requestId} still runs`)
})

/** The actors agree with the log. */
const checkActors = Effect.fnUntraced(function* (world: World, lives: Lives) {
  if (world.hadOthers()) return
  const actors = yield* world.node().on(RequestActors)
  for (const id of lives.keys()) {
    const kept = actors.peek(id)
    if (kept !== undefined) assert.deepStrictEqual(kept, yield* actors.refresh(id), `${id}: its actor`)
  }
})

/** Rebuilt read models equal the ones updated along the way. */
const checkRebuilt = Effect.fnUntraced(function* (world: World) {
  const base = yield* world.node().on(Effect.flatMap(Projections, ({ filename }) => filename))
  const verdicts = yield* Effect.scoped(Verification.run({ base, projections: allProjections }))
  for (const { difference, position, projection, result } of verdicts) {
    assert.strictEqual(result, "equal", `${projection.name}: ${JSON.stringify(difference)}`)
    assert.strictEqual(position, yield* (yield* EventStore).head, `${projection.name} is behind`)
  }
})

/** `isThorough`: includes the chain and rebuilt read models. */
export const check = Effect.fnUntraced(function* (
  world: World,
  clients: ReadonlyArray<Client>,
  lives: Lives,
  isThorough: boolean
) {
  checkLives(world, clients, lives)
  for (const client of clients)
    for (const known of client.known) yield* checkKnown(world, client, known, lives)
  yield* checkMoney(world)
  yield* checkQueue(world)
  yield* checkActors(world, lives)
  if (!isThorough) return
  const { events } = yield* Effect.provideService(world.node().on(verify()), EventReader, yield* EventReader)
  assert.strictEqual(String(events), yield* (yield* EventStore).head, "verified events")
  yield* checkRebuilt(world)
})
