/**
 * One actor per live stream: a mailbox, the replayed state, and decide → append → evolve. Commands of one aggregate never
 * interleave. After a conflict with another node, an actor catches up and decides again. Idle actors are passivated.
 */
import { Array, Effect, Exit, Result } from "effect"
import type { Aggregate } from "#domain/Aggregate.ts"
import type { DomainEvent } from "#domain/EventCodec.ts"
import type { EventStoreError } from "./EventReader.ts"
import { type Append, type AppendError, type Appended, EventStore } from "./EventStore.ts"
import * as Conflicts from "./Conflicts.ts"
import { fromVersion, type Version } from "./ExpectedVersion.ts"
import * as GlobalPosition from "./GlobalPosition.ts"
import { IdGenerator } from "./IdGenerator.ts"
import * as Mailbox from "./Mailbox.ts"
import type { SealedPayload } from "./SealedPayload.ts"
import * as RecentlyUsed from "./RecentlyUsed.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"
import * as StreamName from "./StreamName.ts"
import * as Tombstone from "./Tombstone.ts"

/** The state of an aggregate after its last event. */
export interface Current<State> {
  readonly state: State
  /** `null` for a stream without events. */
  readonly version: Version | null
  /** The number of events up to this state. */
  readonly length: number
}

export interface Executed<State, Event> extends Current<State> {
  /** The events of the command. Empty when it had already taken effect. */
  readonly events: ReadonlyArray<Event>
  /** Position of the last of `events`. `null` when there are none. */
  readonly position: GlobalPosition.GlobalPosition | null
}

export interface Actors<State, Command, Event, Rejection> {
  /**
   * Durable when it returns. `payloads` that an event names are stored with it, others are dropped; payloads that a
   * `Tombstone` among the events names are erased. Interrupting the caller does not stop a command that has begun. If other
   * writers append first repeatedly, it fails with `EventStoreError` and nothing has changed.
   */
  readonly execute: (
    id: string,
    command: Command,
    payloads?: ReadonlyArray<SealedPayload>
  ) => Effect.Effect<Executed<State, Event>, Rejection | EventStoreError>
  /**
   * `execute` for a new id: the stream is assumed to be empty, without a read of the log. If it is not, the append
   * conflicts, and the command is decided again.
   */
  readonly create: Actors<State, Command, Event, Rejection>["execute"]
  /**
   * `execute` for callers that have no fiber. `onEnd` is called once, possibly before this returns. The appends of all
   * commands that are sent in one turn of the event loop are committed together.
   */
  readonly send: (
    id: string,
    command: Command,
    payloads: ReadonlyArray<SealedPayload>,
    onEnd: (exit: Exit.Exit<Executed<State, Event>, Rejection | EventStoreError>) => void
  ) => void
  /** `send` for a new id, as `create` is `execute` for one. */
  readonly sendNew: Actors<State, Command, Event, Rejection>["send"]
  readonly current: (id: string) => Effect.Effect<Current<State>, EventStoreError>
  /** The result of `current` if it is in memory, for paths that are too hot for an effect. */
  readonly peek: (id: string) => Current<State> | undefined
  /** Reads the states of those that are not in memory at once, if the log can. A state may be dropped before its use. */
  readonly readAhead: (ids: ReadonlyArray<string>) => Effect.Effect<void, EventStoreError>
  /** `current` after reading all new events of the stream, from any writer. */
  readonly refresh: (id: string) => Effect.Effect<Current<State>, EventStoreError>
  /**
   * Takes events from a follower of the log, in log order; events that share a version come together. When this returns,
   * live actors include the events, or will read the log at their next use because an event was missed or cannot be decoded.
   * Events that an actor already has change nothing. Never throws.
   */
  readonly observe: (events: ReadonlyArray<RecordedEvent>) => void
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

interface Actor<State> {
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

export const make = <State, Command, Event extends DomainEvent, Rejection>(
  { category, codec, decider }: Aggregate<State, Command, Event, Rejection>,
  { capacity = defaultCapacity, startsOnObserve = false }: ActorsOptions = {},
  /** Changes each decided event before it is appended and applied to the state. */
  stamp?: (event: Event) => Event
): Effect.Effect<Actors<State, Command, Event, Rejection>, never, EventStore | IdGenerator> =>
  Effect.gen(function* () {
    type Ended = Exit.Exit<Executed<State, Event>, Rejection | EventStoreError>

    const store = yield* EventStore
    const ids = yield* IdGenerator
    const fork = Effect.runForkWith(yield* Effect.context<never>())
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

    const withActor = <A, E>(id: string, use: (actor: Actor<State>) => Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        const actor = acquire(id)
        return Effect.onExitPrimitive(use(actor), () => {
          release(id, actor)
          return undefined
        })
      })

    const evolve = (current: Current<State>, recorded: ReadonlyArray<RecordedEvent>): Current<State> => {
      const last = recorded.at(-1)
      if (last === undefined) return current
      const state = recorded.reduce(
        (state, event) => decider.evolve(state, codec.decode(event)),
        current.state
      )
      return { state, version: last.version, length: last.ordinal + 1 }
    }

    /** Stores the result of a read or an append, unless newer events were observed meanwhile. */
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
      const current = exitOf(() => evolve(empty, events))
      if (Exit.isFailure(current)) return
      update(begin(id), current.value, events.at(-1)?.position)
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

    const appendOf = (
      { stream }: Actor<State>,
      version: Version | null,
      events: Array.NonEmptyReadonlyArray<Event>,
      payloads: ReadonlyArray<SealedPayload>
    ): Append => {
      const encoded = Array.map(events, (event) => ({ id: ids.next(), ...codec.encode(event) }))
      const named = payloads.filter(({ name, hash }) =>
        encoded.some(({ data }) => namesPayload(data["payloads"], name, hash))
      )
      const erases = encoded.flatMap(Tombstone.erasedBy)
      return {
        stream,
        expected: fromVersion(version),
        events: encoded,
        payloads: named,
        ...(erases.length > 0 && { erases })
      }
    }

    /** The result of a command whose events are on the log. */
    const appended = (
      actor: Actor<State>,
      before: Current<State>,
      events: ReadonlyArray<Event>,
      { position, version }: Appended
    ): Executed<State, Event> => {
      const state = events.reduce(decider.evolve, before.state)
      const length = before.length + events.length
      update(actor, { state, version, length }, position)
      return { state, version, length, events, position }
    }

    /** After a failed append: decides again if another writer was first. */
    const notAppended = (
      actor: Actor<State>,
      command: Command,
      payloads: ReadonlyArray<SealedPayload>,
      conflicts: number,
      error: AppendError
    ): Effect.Effect<Executed<State, Event>, Rejection | EventStoreError> => {
      if (error._tag === "WrongExpectedVersion") {
        const caughtUp = Effect.andThen(Conflicts.wait(conflicts + 1), catchUp(actor))
        return Effect.flatMap(caughtUp, () => decide(actor, command, payloads, conflicts + 1))
      }
      // The content of the disk is unknown now, so the next command reads it.
      actor.current = undefined
      return Effect.fail(error)
    }

    /** `null` when the command has already taken effect. */
    const eventsOf = (
      command: Command,
      state: State
    ): Result.Result<Array.NonEmptyReadonlyArray<Event> | null, Rejection> => {
      const decision = decider.decide(command, state)
      if (Result.isFailure(decision)) return Result.fail(decision.failure)
      const events = stamp === undefined ? decision.success : decision.success.map(stamp)
      return Result.succeed(Array.isReadonlyArrayNonEmpty(events) ? events : null)
    }

    /** @param conflicts number of conflicts of this command in a row. */
    const decide = (
      actor: Actor<State>,
      command: Command,
      payloads: ReadonlyArray<SealedPayload>,
      conflicts = 0
    ): Effect.Effect<Executed<State, Event>, Rejection | EventStoreError> =>
      Effect.flatMapEager(load(actor), (current) => decideFrom(actor, current, command, payloads, conflicts))

    const decideFrom = (
      actor: Actor<State>,
      current: Current<State>,
      command: Command,
      payloads: ReadonlyArray<SealedPayload>,
      conflicts: number
    ): Effect.Effect<Executed<State, Event>, Rejection | EventStoreError> => {
      const decision = eventsOf(command, current.state)
      if (Result.isFailure(decision)) return Effect.fail(decision.failure)
      const events = decision.success
      if (events === null) return Effect.succeed({ ...current, events: [], position: null })
      return Effect.matchEffect(store.append(appendOf(actor, current.version, events, payloads)), {
        onSuccess: (result) => Effect.succeed(appended(actor, current, events, result)),
        onFailure: (error) => notAppended(actor, command, payloads, conflicts, error)
      })
    }

    /** @param prepare called when it is the command's turn. */
    const command = (
      id: string,
      command: Command,
      payloads: ReadonlyArray<SealedPayload>,
      prepare: (actor: Actor<State>) => void
    ) =>
      withActor(id, (actor) =>
        actor.mailbox.run(() => {
          prepare(actor)
          return decide(actor, command, payloads)
        })
      )

    const prepareNone = () => {}

    const assumeEmpty = (actor: Actor<State>) => {
      if (actor.observed === 0) actor.current ??= empty
    }

    /** Decides at once if the state is in memory and no other command is before this one. */
    const send = (
      id: string,
      sent: Command,
      payloads: ReadonlyArray<SealedPayload>,
      onEnd: (exit: Ended) => void,
      prepare: (actor: Actor<State>) => void
    ) => {
      const actor = acquire(id)
      prepare(actor)
      const { current, mailbox } = actor
      if (current === undefined || !mailbox.enter()) {
        release(id, actor)
        fork(command(id, sent, payloads, prepare)).addObserver(onEnd)
        return
      }
      const end = (exit: Ended) => {
        mailbox.leave()
        release(id, actor)
        onEnd(exit)
      }
      try {
        sendFrom(actor, current, sent, payloads, end)
      } catch (defect) {
        end(Exit.die(defect))
      }
    }

    /** `decideFrom` without a fiber. Throws before it appends anything. */
    const sendFrom = (
      actor: Actor<State>,
      current: Current<State>,
      sent: Command,
      payloads: ReadonlyArray<SealedPayload>,
      onEnd: (exit: Ended) => void
    ) => {
      const decision = eventsOf(sent, current.state)
      if (Result.isFailure(decision)) return onEnd(Exit.fail(decision.failure))
      const events = decision.success
      if (events === null) return onEnd(Exit.succeed({ ...current, events: [], position: null }))
      store.send(appendOf(actor, current.version, events, payloads), (exit) => {
        if (Exit.isSuccess(exit)) {
          return onEnd(exitOf(() => appended(actor, current, events, exit.value)))
        }
        const retried = Effect.catch(Exit.failCause(exit.cause), (error) =>
          notAppended(actor, sent, payloads, 0, error)
        )
        fork(retried).addObserver(onEnd)
      })
    }

    /** `undefined` when the event cannot be decoded. A reader of the log gets the error. */
    const evolveObserved = (current: Current<State>, event: RecordedEvent): Current<State> | undefined => {
      try {
        return evolve(current, [event])
      } catch {
        return undefined
      }
    }

    const beginObserved = (id: string, { ordinal, position }: RecordedEvent): Actor<State> | undefined => {
      if (!startsOnObserve || ordinal > 0 || GlobalPosition.isReached(position, newestDropped))
        return undefined
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
      actor.current = ordinal === current.length ? evolveObserved(current, event) : undefined
      actor.position = position
    }

    return {
      execute: (id, sent, payloads = []) => command(id, sent, payloads, prepareNone),
      create: (id, sent, payloads = []) => command(id, sent, payloads, assumeEmpty),
      send: (id, sent, payloads, onEnd) => send(id, sent, payloads, onEnd, prepareNone),
      sendNew: (id, sent, payloads, onEnd) => send(id, sent, payloads, onEnd, assumeEmpty),
      current: (id) =>
        withActor(id, (actor) => {
          if (actor.current === undefined) return actor.mailbox.run(() => load(actor))
          // Does not wait in the mailbox: a `create` in progress may take long, and another node may have created the stream
          // meanwhile.
          return isEmpty(actor.current) ? catchUp(actor) : Effect.succeed(actor.current)
        }),
      peek: (id) => {
        const current = actors.get(id)?.current
        return current === undefined || isEmpty(current) ? undefined : current
      },
      readAhead,
      refresh: (id) => withActor(id, (actor) => actor.mailbox.run(() => catchUp(actor))),
      observe: (events) => {
        for (const event of events) if (event.stream.startsWith(prefix)) observe(event)
      }
    }
  })

const exitOf = <A>(run: () => A): Exit.Exit<A> => {
  try {
    return Exit.succeed(run())
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** The assumed state of `create`, which was not read from the log. */
const isEmpty = ({ version }: Current<unknown>): boolean => version === null

const namesPayload = (payloads: unknown, name: string, hash: string): boolean =>
  typeof payloads === "object" &&
  payloads !== null &&
  (payloads as Readonly<Record<string, { readonly hash?: unknown }>>)[name]?.hash === hash
