/**
 * One actor per live stream: a mailbox, the replayed state, and decide → append → evolve. Commands of one aggregate never
 * interleave; a conflict with another node means to catch up and to decide again; actors that idle are passivated.
 */
import { Array, Effect, Result } from "effect"
import type { Aggregate } from "#domain/Aggregate.ts"
import type { DomainEvent } from "#domain/EventCodec.ts"
import type { EventStoreError } from "./EventReader.ts"
import { type Appended, EventStore, type WrongExpectedVersion } from "./EventStore.ts"
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

/** An aggregate as of its last event. */
export interface Current<State> {
  readonly state: State
  /** `null` for a stream without events. */
  readonly version: Version | null
  /** How many events the stream has, up to this state. */
  readonly length: number
}

export interface Executed<State, Event> extends Current<State> {
  /** What the command led to; none when it had already taken effect. */
  readonly events: ReadonlyArray<Event>
  /** Of the last of `events`; `null` when there are none. */
  readonly position: GlobalPosition.GlobalPosition | null
}

export interface Actors<State, Command, Event, Rejection> {
  /**
   * Durable when it returns. `payloads` are stored with the events that name them and dropped otherwise; those that a
   * `Tombstone` among the events names are erased. A caller that goes away does not stop a command that has begun.
   * Where others append first again and again it fails with `EventStoreError`, and nothing has changed.
   */
  readonly execute: (
    id: string,
    command: Command,
    payloads?: ReadonlyArray<SealedPayload>
  ) => Effect.Effect<Executed<State, Event>, Rejection | EventStoreError>
  /**
   * `execute` for an id that was made a moment ago: its stream is taken for empty without a look at the log. Were it not,
   * the append would conflict, and the command is decided anew.
   */
  readonly create: Actors<State, Command, Event, Rejection>["execute"]
  readonly current: (id: string) => Effect.Effect<Current<State>, EventStoreError>
  /** What `current` would give, when that takes no read of the log: for paths that are too hot for an effect. */
  readonly peek: (id: string) => Current<State> | undefined
  /** `current`, with every event that is on the log by now, whoever appended it. */
  readonly refresh: (id: string) => Effect.Effect<Current<State>, EventStoreError>
  /**
   * What a follower of the log brings, in the log's order; events that share a version come together. Live actors have
   * seen it when this returns, or read the log at their next use: where an event between was missed, or one cannot be
   * decoded. What they have seen already, of a follower that is behind them, changes nothing. Never throws.
   */
  readonly observe: (events: ReadonlyArray<RecordedEvent>) => void
}

export interface ActorsOptions {
  /** Live actors at most; those that were used lately stay. */
  readonly capacity?: number
  /**
   * Whether `observe` begins an actor with the first event of a stream, so that what is new on other nodes is answered
   * from memory. Not with one that this node may have told more of, and forgotten since.
   */
  readonly startsOnObserve?: boolean
}

interface Actor<State> {
  readonly stream: StreamName.StreamName
  readonly mailbox: Mailbox.Mailbox
  current: Current<State> | undefined
  /** How many events the stream has as far as they were observed: a shorter state is not kept. */
  observed: number
  /** Of the last event that `current` ever had; kept only where actors begin observed. */
  position: GlobalPosition.GlobalPosition | null
  /** Commands and reads under way: an actor in use is not passivated. */
  users: number
}

const defaultCapacity = 10_000

export const make = <State, Command, Event extends DomainEvent, Rejection>(
  { category, codec, decider }: Aggregate<State, Command, Event, Rejection>,
  { capacity = defaultCapacity, startsOnObserve = false }: ActorsOptions = {},
  /** Sees each event that was decided, before it is appended and taken into the state. */
  stamp?: (event: Event) => Event
): Effect.Effect<Actors<State, Command, Event, Rejection>, never, EventStore | IdGenerator> =>
  Effect.gen(function* () {
    const store = yield* EventStore
    const ids = yield* IdGenerator
    const empty: Current<State> = { state: decider.initial, version: null, length: 0 }
    const prefix = StreamName.make(category, "")

    /** Where the newest event stands that a forgotten actor had seen. */
    let forgotten = GlobalPosition.beginning
    const forget = ({ position }: Actor<State>) => {
      if (position !== null && GlobalPosition.order(position, forgotten) > 0) forgotten = position
    }
    const actors = RecentlyUsed.make<Actor<State>>({
      capacity,
      isPinned: ({ users }) => users > 0,
      ...(startsOnObserve && { onDrop: forget })
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
      // A stream that does not exist is not worth a place.
      if (actor.users > 0 || (actor.current?.version ?? null) !== null) return
      actors.delete(id)
      if (startsOnObserve) forget(actor)
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

    /**
     * What a read or an append led to, or what was observed meanwhile when that is newer. A state that is older than what
     * was observed, and by that out of date, is not there for the next use.
     */
    const keep = (
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
          keep(actor, evolve(from, recorded), recorded.at(-1)?.position)
        )
      })

    const load = (actor: Actor<State>) =>
      Effect.suspend(() => (actor.current === undefined ? catchUp(actor) : Effect.succeed(actor.current)))

    const append = (
      actor: Actor<State>,
      version: Version | null,
      events: Array.NonEmptyReadonlyArray<Event>,
      payloads: ReadonlyArray<SealedPayload>
    ): Effect.Effect<Appended, WrongExpectedVersion | EventStoreError> => {
      const encoded = Array.map(events, (event) => ({ id: ids.next(), ...codec.encode(event) }))
      const named = payloads.filter(({ name, hash }) =>
        encoded.some(({ data }) => namesPayload(data["payloads"], name, hash))
      )
      const erases = encoded.flatMap(Tombstone.erasedBy)
      return store.append({
        stream: actor.stream,
        expected: fromVersion(version),
        events: encoded,
        payloads: named,
        ...(erases.length > 0 && { erases })
      })
    }

    /** @param conflicts in a row, of this command. */
    const decide = (
      actor: Actor<State>,
      command: Command,
      payloads: ReadonlyArray<SealedPayload>,
      conflicts = 0
    ): Effect.Effect<Executed<State, Event>, Rejection | EventStoreError> =>
      Effect.flatMap(load(actor), (current) => {
        const decision = decider.decide(command, current.state)
        if (Result.isFailure(decision)) return Effect.fail(decision.failure)
        const events = stamp === undefined ? decision.success : decision.success.map(stamp)
        if (!Array.isReadonlyArrayNonEmpty(events))
          return Effect.succeed({ ...current, events: [], position: null })
        return Effect.matchEffect(append(actor, current.version, events, payloads), {
          onSuccess: ({ version, position }) => {
            const state = events.reduce(decider.evolve, current.state)
            const length = current.length + events.length
            keep(actor, { state, version, length }, position)
            return Effect.succeed({ state, version, length, events, position })
          },
          onFailure: (error): Effect.Effect<Executed<State, Event>, Rejection | EventStoreError> => {
            // What is on disk is not known now: whoever comes next reads it.
            if (error._tag !== "WrongExpectedVersion") actor.current = undefined
            return error._tag === "WrongExpectedVersion"
              ? Effect.andThen(
                  Effect.andThen(Conflicts.wait(conflicts + 1), catchUp(actor)),
                  decide(actor, command, payloads, conflicts + 1)
                )
              : Effect.fail(error)
          }
        })
      })

    /** `undefined` when the event cannot be decoded: whoever reads it from the log is told. */
    const evolveObserved = (current: Current<State>, event: RecordedEvent): Current<State> | undefined => {
      try {
        return evolve(current, [event])
      } catch {
        return undefined
      }
    }

    const beginObserved = (id: string, { ordinal, position }: RecordedEvent): Actor<State> | undefined => {
      if (!startsOnObserve || ordinal > 0 || GlobalPosition.isReached(position, forgotten)) return undefined
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
      execute: (id, command, payloads = []) =>
        withActor(id, (actor) => actor.mailbox.run(Effect.suspend(() => decide(actor, command, payloads)))),
      create: (id, command, payloads = []) =>
        withActor(id, (actor) =>
          actor.mailbox.run(
            Effect.suspend(() => {
              if (actor.observed === 0) actor.current ??= empty
              return decide(actor, command, payloads)
            })
          )
        ),
      current: (id) =>
        withActor(id, (actor) => {
          if (actor.current === undefined) return actor.mailbox.run(load(actor))
          // Not in its turn: who is about to begin the stream may wait for long, and another node has begun it meanwhile.
          return isEmpty(actor.current) ? catchUp(actor) : Effect.succeed(actor.current)
        }),
      peek: (id) => {
        const current = actors.get(id)?.current
        return current === undefined || isEmpty(current) ? undefined : current
      },
      refresh: (id) => withActor(id, (actor) => actor.mailbox.run(catchUp(actor))),
      observe: (events) => {
        for (const event of events) if (event.stream.startsWith(prefix)) observe(event)
      }
    }
  })

/** For `create`, that is what the stream is taken for; nobody has looked. */
const isEmpty = ({ version }: Current<unknown>): boolean => version === null

const namesPayload = (payloads: unknown, name: string, hash: string): boolean =>
  typeof payloads === "object" &&
  payloads !== null &&
  (payloads as Readonly<Record<string, { readonly hash?: unknown }>>)[name]?.hash === hash
