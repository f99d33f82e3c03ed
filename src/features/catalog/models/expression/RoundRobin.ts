/** One turn at a time, round robin over owners: one owner's many evaluations delay the others by one turn each. */
import { Effect } from "effect"
import { EvaluatorBusy } from "./EvaluationFor.ts"

export interface Room {
  /** Those waiting under a limit. */
  readonly inAll: number
  readonly ofOwner: number
}

interface Ticket {
  readonly owner: string
  readonly isBounded: boolean
  hasTurn: boolean
  onTurn: () => void
}

export interface RoundRobin {
  /** `room` limits the wait: beyond it the call fails with `EvaluatorBusy`. `null`: the caller limits itself. */
  run<A, E>(
    owner: string,
    room: Room | null,
    effect: Effect.Effect<A, E>
  ): Effect.Effect<A, E | EvaluatorBusy>
}

export const make = (): RoundRobin => {
  let holder: Ticket | null = null
  /** By owner, never empty; the next owner comes first. */
  const waiting = new Map<string, Array<Ticket>>()
  let bounded = 0

  const give = (ticket: Ticket | null) => {
    holder = ticket
    if (ticket === null) return
    ticket.hasTurn = true
    ticket.onTurn()
  }

  const dequeue = (): Ticket | null => {
    for (const [owner, queue] of waiting) {
      const first = queue.shift()
      waiting.delete(owner)
      if (queue.length > 0) waiting.set(owner, queue)
      if (first?.isBounded === true) bounded--
      return first ?? null
    }
    return null
  }

  const enqueue = (ticket: Ticket, room: Room | null): boolean => {
    const queue = waiting.get(ticket.owner) ?? []
    if (room !== null && (bounded >= room.inAll || queue.length >= room.ofOwner)) return false
    queue.push(ticket)
    waiting.set(ticket.owner, queue)
    if (ticket.isBounded) bounded++
    return true
  }

  const take = (owner: string, room: Room | null) =>
    Effect.suspend(() => {
      const ticket: Ticket = { owner, isBounded: room !== null, hasTurn: false, onTurn: () => {} }
      if (holder === null) give(ticket)
      else if (!enqueue(ticket, room)) return Effect.fail(new EvaluatorBusy())
      return Effect.succeed(ticket)
    })

  const turnOf = (ticket: Ticket) =>
    Effect.callback<void>((resume) => {
      if (ticket.hasTurn) resume(Effect.void)
      else ticket.onTurn = () => resume(Effect.void)
    })

  /** Also after an interruption while waiting. */
  const leave = (ticket: Ticket) =>
    Effect.sync(() => {
      if (holder === ticket) return give(dequeue())
      const queue = waiting.get(ticket.owner) ?? []
      const place = queue.indexOf(ticket)
      if (place === -1) return
      queue.splice(place, 1)
      if (ticket.isBounded) bounded--
      if (queue.length === 0) waiting.delete(ticket.owner)
    })

  return {
    run: (owner, room, effect) =>
      Effect.acquireUseRelease(take(owner, room), (ticket) => Effect.andThen(turnOf(ticket), effect), leave)
  }
}
