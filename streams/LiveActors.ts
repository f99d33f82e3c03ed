/**
 * The live actors of one category: the state of each stream in memory. It is read from the log, advanced by appends, and
 * follows the events of other writers. Idle actors are passivated.
 */
import { Effect } from "effect"
import type { Aggregate } from "#domain/Aggregate.ts"
import type { DomainEvent } from "#domain/EventCodec.ts"
import type { EventReader, EventStoreError } from "./EventReader.ts"
import type { Version } from "./ExpectedVersion.ts"
import * as GlobalPosition from "./GlobalPosition.ts"
import * as Mailbox from "./Mailbox.ts"
import * as RecentlyUsed from "./RecentlyUsed.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"
import * as StreamName from "./StreamName.ts"

/** The state of an aggregate after its last event. */
export interface Current<State> {
  readonly state: State
  /** `null` for a stream without events. */
  readonly version: Version | null
  /** The number of events up to this state. */
  readonly length: number
}

export interface ActorsOptions {
  /** The most live actors. Recently used ones stay. */
  readonly capacity?: number
  /**
   * Whether `observe` creates an actor at the first event of a stream, so that new streams of other nodes are served from
   * memory. It does not for streams whose actor this node may have dropped.
   */
  readonly startsOnObserve?: boolean
}

export interface Actor<State> {
  readonly stream: StreamName.StreamName
  readonly mailbox: Mailbox.Mailbox
  current: Current<State> | undefined
  /** The number of observed events of the stream. A shorter state is not stored. */
  observed: number
  /** Position of the last event that `current` ever had. Stored only with `startsOnObserve`. */
  position: GlobalPosition.GlobalPosition | null
  /** Commands and reads in progress. An actor in use is not passivated. */
  users: number
}

const defaultCapacity = 10_000

export interface LiveActors<State> {
  /** The state of a stream without events. */
  readonly empty: Current<State>
  /** Counts a user. `release` must follow. */
  readonly acquire: (id: string) => Actor<State>
  readonly release: (id: string, actor: Actor<State>) => void
  /** Acquires the actor while the effect runs. */
  readonly use: <A, E>(id: string, use: (actor: Actor<State>) => Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Stores the result of a read or an append, unless newer events were observed meanwhile. Returns the newest state. */
  readonly update: (
    actor: Actor<State>,
    current: Current<State>,
    position: GlobalPosition.GlobalPosition | undefined
  ) => Current<State>
  /** Reads the events after those that the actor has. */
  readonly catchUp: (actor: Actor<State>) => Effect.Effect<Current<State>, EventStoreError>
  /** The state, read from the log unless it is in memory. */
  readonly load: (actor: Actor<State>) => Effect.Effect<Current<State>, EventStoreError>
  readonly peek: (id: string) => Current<State> | undefined
  readonly readAhead: (ids: ReadonlyArray<string>) => Effect.Effect<void, EventStoreError>
  readonly observe: (events: ReadonlyArray<RecordedEvent>) => void
}

/** Whether the state is the assumed one of a new stream, which was not read from the log. */
export const isEmpty = ({ version }: Current<unknown>): boolean => version === null

export const make = <State, Command, Event extends DomainEvent, Rejection>(
  store: EventReader["Service"],
  { category, codec, decider }: Aggregate<State, Command, Event, Rejection>,
  { capacity = defaultCapacity, startsOnObserve = false }: ActorsOptions
): LiveActors<State> => {
  const empty: Current<State> = { state: decider.initial, version: null, length: 0 }
  const prefix = StreamName.make(category, "")

  /** Position of the newest event that any dropped actor had. */
  let newestDropped = GlobalPosition.beginning
  const noteDropped = ({ position }: Actor<State>) => {
    if (position !== null && GlobalPosition.order(position, newestDropped) > 0) newestDropped = position
  }
  const actors = RecentlyUsed.make<Actor<State>>({
    capacity,
    isPinned: ({ users }) => users > 0,
    ...(startsOnObserve && { onDrop: noteDropped })
  })

  const begin = (id: string): Actor<State> => {
    const actor: Actor<State> = {
      stream: StreamName.make(category, id),
      mailbox: Mailbox.make(),
      current: undefined,
      observed: 0,
      position: null,
      users: 0
    }
    actors.set(id, actor)
    return actor
  }

  const acquire = (id: string): Actor<State> => {
    const actor = actors.get(id) ?? begin(id)
    actor.users++
    return actor
  }

  const release = (id: string, actor: Actor<State>) => {
    actor.users--
    // A stream without events needs no actor.
    if (actor.users > 0 || (actor.current?.version ?? null) !== null) return
    actors.delete(id)
    if (startsOnObserve) noteDropped(actor)
  }

  const use = <A, E>(id: string, work: (actor: Actor<State>) => Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      const actor = acquire(id)
      return Effect.onExitPrimitive(work(actor), () => {
        release(id, actor)
        return undefined
      })
    })

  const evolve = (current: Current<State>, recorded: ReadonlyArray<RecordedEvent>): Current<State> => {
    const last = recorded.at(-1)
    if (last === undefined) return current
    const state = recorded.reduce((state, event) => decider.evolve(state, codec.decode(event)), current.state)
    return { state, version: last.version, length: last.ordinal + 1 }
  }

  /** `undefined` when an event cannot be decoded. A reader of the log gets the error. */
  const evolveReadable = (
    current: Current<State>,
    events: ReadonlyArray<RecordedEvent>
  ): Current<State> | undefined => {
    try {
      return evolve(current, events)
    } catch {
      return undefined
    }
  }

  const update = (
    actor: Actor<State>,
    current: Current<State>,
    position: GlobalPosition.GlobalPosition | undefined
  ): Current<State> => {
    if (actor.current !== undefined && actor.current.length >= current.length) return actor.current
    actor.current = current.length < actor.observed ? undefined : current
    actor.position = position ?? actor.position
    return current
  }

  const catchUp = (actor: Actor<State>) =>
    Effect.suspend(() => {
      const from = actor.current ?? empty
      return Effect.map(store.read(actor.stream, from.version ?? undefined), (recorded) =>
        update(actor, evolve(from, recorded), recorded.at(-1)?.position)
      )
    })

  /** Streams that an actor has meanwhile are left to it, and so is what cannot be decoded. */
  const beginRead = (events: ReadonlyArray<RecordedEvent>) => {
    const first = events[0]
    if (first === undefined) return
    const id = first.stream.slice(prefix.length)
    if (actors.get(id) !== undefined) return
    const current = evolveReadable(empty, events)
    if (current !== undefined) update(begin(id), current, events.at(-1)?.position)
  }

  const readAhead = (ids: ReadonlyArray<string>): Effect.Effect<void, EventStoreError> => {
    const unknown = ids.filter((id) => actors.get(id) === undefined)
    if (store.many === undefined || unknown.length === 0) return Effect.void
    const streams = unknown.map((id) => StreamName.make(category, id))
    return Effect.map(store.many.read(streams), (events) => {
      for (let from = 0, to = 1; to <= events.length; to++) {
        if (events[to]?.stream === events[from]?.stream) continue
        beginRead(events.slice(from, to))
        from = to
      }
    })
  }

  const load = (actor: Actor<State>) =>
    actor.current === undefined ? catchUp(actor) : Effect.succeed(actor.current)

  const beginObserved = (id: string, { ordinal, position }: RecordedEvent): Actor<State> | undefined => {
    if (!startsOnObserve || ordinal > 0 || GlobalPosition.isReached(position, newestDropped)) return undefined
    const actor = begin(id)
    actor.current = empty
    return actor
  }

  const observe = (event: RecordedEvent) => {
    const id = event.stream.slice(prefix.length)
    const actor = actors.get(id) ?? beginObserved(id, event)
    if (actor === undefined) return
    const { ordinal, position } = event
    actor.observed = Math.max(actor.observed, ordinal + 1)
    const { current } = actor
    if (current === undefined || ordinal < current.length) return
    actor.current = ordinal === current.length ? evolveReadable(current, [event]) : undefined
    actor.position = position
  }

  return {
    empty,
    acquire,
    release,
    use,
    update,
    catchUp,
    load,
    peek: (id) => {
      const current = actors.get(id)?.current
      return current === undefined || isEmpty(current) ? undefined : current
    },
    readAhead,
    observe: (events) => {
      for (const event of events) if (event.stream.startsWith(prefix)) observe(event)
    }
  }
}
