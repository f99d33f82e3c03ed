/**
 * Schedules a delivery for an event: makes the body from the current request, stores it, and records it under an id
 * derived from request and event, so that it is scheduled once. If a slot is free, the same append contains the claim
 * and it is sent at once.
 */
import { Clock, Effect, Exit } from "effect"
import { isTerminal, type Request } from "#domain/inference-request/State.ts"
import type { Webhook } from "#domain/inference-request/Event.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type { Command } from "#domain/webhook-delivery/Command.ts"
import type { Event } from "#domain/webhook-delivery/Event.ts"
import type { State } from "#domain/webhook-delivery/State.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import type { OwedDelivery } from "#projections/deliveries/DueDeliveries.ts"
import type { Executed } from "#streams/Actors.ts"
import * as Payload from "#streams/Payload.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import * as PayloadText from "#streams/PayloadText.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import * as SnapshotOf from "#src/features/requests/Snapshot.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { DeliveryActors } from "../DeliveryActors.ts"
import * as DeliveryBody from "../DeliveryBody.ts"
import * as DeliveryIds from "#src/features/requests/DeliveryIds.ts"
import type { Claimed, ClaimServices, DeliverySlot } from "./Attempts.ts"
import { type Postponed, patienceMs } from "./Postponed.ts"
import { type Load, whileMade } from "./Slots.ts"

/** Approximate bytes of a body beside input and output. */
const frameBytes = 4 * 1024

/** Bodies kept while the log refuses them. */
const mostUntaken = 10_000

/** A body as of a version of the request. */
interface Frozen {
  readonly version: Snapshot["version"]
  readonly sealed: SealedPayload
  /** Bodies of earlier versions: one may have been stored although its append seemed to fail. */
  readonly others: ReadonlyArray<SealedPayload>
}

interface Owed {
  readonly id: DeliveryId
  readonly event: OwedDelivery["event"]
  readonly snapshot: Snapshot<Request>
  readonly webhook: Webhook
}

/** A delivery that is ready to be recorded. */
interface Prepared {
  readonly owed: Owed
  readonly sealed: SealedPayload
  readonly others: ReadonlyArray<SealedPayload>
  /** `null` if it is not claimed. */
  readonly signed: Claimed["signed"] | null
  readonly command: Extract<Command, { readonly _tag: "Schedule" }>
}

const isDueNow = ({ event }: OwedDelivery, { phase, startedAt }: Request): boolean =>
  event === "completed" ? isTerminal(phase) : startedAt !== null && !isTerminal(phase)

/** Time of the event, Unix time in ms. */
const happenedAt = ({ event, snapshot: { request } }: Owed): number =>
  event === "completed" && isTerminal(request.phase) ? request.phase.at : (request.startedAt ?? 0)

/** The most bytes of its body. */
const sizeOf = ({ event, snapshot: { request } }: Owed): number =>
  request.submitted.payloads.input.size +
  (event === "start" ? 0 : (request.output?.ref.size ?? 0)) +
  frameBytes

const originOf = (url: string): string => URL.parse(url)?.origin ?? ""

export const make = ({ attempts, late, noteNoRoom, slots }: ClaimServices, postponed: Postponed) =>
  Effect.gen(function* () {
    const requestActors = yield* RequestActors
    const requests = yield* Requests
    const actors = yield* DeliveryActors
    const payloads = yield* Payload.Payloads
    const steady = yield* SteadyTime
    const urls = yield* PublicUrls
    const nodes = yield* Nodes
    const clock = yield* Clock.Clock

    /** Large bodies that the log has refused: each try would leave another unreferenced blob. */
    const untaken = RecentlyUsed.make<Frozen>({ capacity: mostUntaken })

    const isScheduled = (id: DeliveryId) => attempts.has(id) || actors.peek(id)?.state._tag === "Delivery"

    /** `null` if nothing is owed: a `start` of an ended request is not sent (contract, rule 1). */
    const look = Effect.fnUntraced(function* (row: OwedDelivery) {
      const { event, requestId } = row
      const known = SnapshotOf.of(requestId, yield* requestActors.current(requestId))
      const snapshot =
        known !== null && isDueNow(row, known.request)
          ? known
          : SnapshotOf.of(requestId, yield* requestActors.refresh(requestId))
      const webhook = snapshot?.request.submitted.webhook
      if (snapshot === null || webhook === undefined || !isDueNow(row, snapshot.request)) return null
      return { id: DeliveryIds.of(requestId, event), event, snapshot, webhook } satisfies Owed
    })

    /** The end of the request is reported even if its payloads cannot be read any more. */
    const payloadsOf = Effect.fnUntraced(function* (owed: Owed) {
      const { snapshot } = owed
      const texts = Effect.flatMap(requests.payloadTexts(snapshot), ({ input, output }) =>
        Effect.all({ input: wholeOf(input), output: wholeOf(output) })
      )
      return yield* Effect.catchTag(
        texts,
        "PayloadUnavailable",
        Effect.fnUntraced(function* (error) {
          if ((yield* steady.now) - happenedAt(owed) <= patienceMs) return yield* error
          yield* Effect.logError(
            "Input or output of a request cannot be read; its webhook omits them",
            error
          ).pipe(Effect.annotateLogs({ request_id: snapshot.id }))
          return { input: null, output: null }
        })
      )
    })

    const freeze = Effect.fnUntraced(function* (owed: Owed) {
      const { event, id, snapshot } = owed
      const { input, output } = yield* payloadsOf(owed)
      const text = DeliveryBody.text(urls, event, snapshot, {
        input,
        output: event === "start" ? null : output
      })
      const owner = snapshot.request.submitted.accountId
      const stream = StreamName.make(WebhookDelivery.aggregate.category, id)
      const before = untaken.get(id)
      if (before?.version === snapshot.version) return { ...before, text }
      const sealed = yield* payloads.seal({ owner, stream, name: WebhookDelivery.bodyName, text })
      const others = before === undefined ? [] : [...before.others, before.sealed]
      const frozen: Frozen = { version: snapshot.version, sealed, others }
      if (sealed.content._tag === "Blob") untaken.set(id, frozen)
      return { ...frozen, text }
    })

    /** Blobs that the log refused, after it has accepted one. */
    const discardOthers = (id: DeliveryId, all: ReadonlyArray<SealedPayload>, state: State) => {
      untaken.delete(id)
      const taken = state._tag === "Delivery" ? state.scheduled.payloads.body.hash : null
      return payloads.discard(all.filter(({ hash }) => hash !== taken))
    }

    /** What an append needs that schedules the delivery, and with a signature claims it. */
    const prepare = Effect.fnUntraced(function* (owed: Owed, isPlaced: boolean) {
      const { event, id, snapshot, webhook } = owed
      const { accountId } = snapshot.request.submitted
      const { others, sealed, text } = yield* freeze(owed)
      // Without a signature it waits for the next pass.
      const signed = isPlaced
        ? yield* Effect.catchTag(attempts.sign(id, accountId, text), "SecretsUnreadable", () => noSignature)
        : null
      const delivery = {
        at: steady.nowOf(clock),
        accountId,
        requestId: snapshot.id,
        event,
        url: webhook.url,
        payloads: { body: Payload.refOf(sealed) }
      }
      const node = signed === null ? null : nodes.self
      return { owed, sealed, others, signed, command: { _tag: "Schedule", delivery, node } as const }
    })

    /** After the append. Returns whether the request was erased meanwhile. */
    const settle = Effect.fnUntraced(function* (
      { others, owed: { id, snapshot }, sealed }: Prepared,
      { events, state }: Executed<State, Event>
    ) {
      yield* discardOthers(id, [...others, sealed], state)
      // A request erased before left nothing in the body.
      const mayBeLate = events.length > 0 && snapshot.request.erasure === null
      return mayBeLate && (yield* late.eraseIfLate(id, snapshot.id))
    })

    /** Later, when the bodies in memory are sent. */
    const scheduleWaiting = Effect.fnUntraced(function* (owed: Owed, load: Load) {
      if (!slots.takeBytes(load)) {
        noteNoRoom()
        return false
      }
      yield* Effect.ensuring(
        Effect.flatMap(prepare(owed, false), (prepared) =>
          actors.create(owed.id, prepared.command, [prepared.sealed]).pipe(
            Effect.flatMap((executed) => settle(prepared, executed)),
            Effect.onError(() => Effect.sync(late.missed))
          )
        ),
        Effect.sync(() => slots.giveBackBytes(load))
      )
      return true
    })

    /** Sends the part of it that is claimed. */
    const sendClaimed = (
      slot: DeliverySlot,
      { signed }: Prepared,
      { events, state }: Executed<State, Event>
    ) => {
      const isClaimed = signed !== null && events.some(({ _tag }) => _tag === "AttemptStarted")
      if (isClaimed && state._tag === "Delivery") attempts.post(slot, { delivery: state, signed })
      else attempts.leave(slot)
    }

    const settleAndSend = Effect.fnUntraced(function* (
      slot: DeliverySlot,
      prepared: Prepared,
      executed: Executed<State, Event>
    ) {
      const { id } = slot
      if (!(yield* settle(prepared, executed))) return sendClaimed(slot, prepared, executed)
      const lost = { _tag: "LoseAttempt", at: steady.nowOf(clock), attempt: 1, node: nodes.self } as const
      yield* actors.execute(id, lost)
      attempts.leave(slot)
    })

    /** Whether nothing is left to settle, as far as it is known without waiting. */
    const isSettled = ({ others, owed, sealed }: Prepared, { state }: Executed<State, Event>) => {
      if (others.length > 0 || state._tag !== "Delivery" || nodes.live().length > 1) return false
      if (state.scheduled.payloads.body.hash !== sealed.hash || sealed.content._tag === "Blob") return false
      const request = requestActors.peek(owed.snapshot.id)?.state
      return request?._tag === "Request" && request.erasure === null
    }

    const claim = (slot: DeliverySlot, prepared: Prepared) => {
      attempts.claiming(slot)
      actors.sendNew(slot.id, prepared.command, [prepared.sealed], (exit) => {
        attempts.claimed(slot)
        if (Exit.isSuccess(exit) && isSettled(prepared, exit.value)) sendClaimed(slot, prepared, exit.value)
        else {
          const settled = Effect.flatMap(exit, (executed) => settleAndSend(slot, prepared, executed))
          attempts.fork(
            slot,
            Effect.onError(settled, () => Effect.sync(late.missed))
          )
        }
      })
    }

    /** True if something was recorded, so that the read model has to catch up. */
    return Effect.fnUntraced(function* (row: OwedDelivery) {
      // A read model may show what has been scheduled since.
      if (isScheduled(DeliveryIds.of(row.requestId, row.event))) return false
      const owed = yield* look(row)
      if (owed === null || isScheduled(owed.id)) return false
      const { accountId } = owed.snapshot.request.submitted
      if (yield* postponed.has(owed.id, accountId)) return false
      const load: Load = { accountId, origin: originOf(owed.webhook.url), bytes: whileMade(sizeOf(owed)) }
      if (!slots.take(load)) return yield* scheduleWaiting(owed, load)
      const slot: DeliverySlot = { id: owed.id, accountId, load }
      attempts.place(slot)
      return yield* attempts.prepare(slot, prepare(owed, true), (prepared) => claim(slot, prepared))
    })
  })

const wholeOf = (
  text: PayloadText.PayloadText<Payload.Unreadable> | null
): Effect.Effect<string | null, Payload.Unreadable> =>
  text === null ? Effect.succeed(null) : PayloadText.whole(text)

const noSignature = Effect.succeed(null)
