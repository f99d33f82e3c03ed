/**
 * One actor per live stream: a mailbox, the replayed state, and decide → append → evolve. Commands of one aggregate never
 * interleave; a conflict with another node means to catch up and to decide again; actors that idle are passivated.
 */
import { Array, Effect, Result } from "effect"
import type { Aggregate } from "#domain/Aggregate.ts"
import type { DomainEvent } from "#domain/EventCodec.ts"
import type { EventStoreError } from "./EventReader.ts"
import { type Appended, EventStore, type WrongExpectedVersion } from "./EventStore.ts"
import { fromVersion, type Version } from "./ExpectedVersion.ts"
import type { GlobalPosition } from "./GlobalPosition.ts"
import { IdGenerator } from "./IdGenerator.ts"
import * as Mailbox from "./Mailbox.ts"
import type { SealedPayload } from "./Payload.ts"
import * as RecentlyUsed from "./RecentlyUsed.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"
import * as StreamName from "./StreamName.ts"
import * as Tombstone from "./Tombstone.ts"

/** An aggregate as of its last event. */
export interface Current<State> {
  readonly state: State
  /** `null` for a stream without events. */
  readonly version: Version | null
}

export interface Executed<State, Event> extends Current<State> {
  /** What the command led to; none when it had already taken effect. */
  readonly events: ReadonlyArray<Event>
  /** Of the last of `events`; `null` when there are none. */
  readonly position: GlobalPosition | null
}

export interface Actors<State, Command, Event, Rejection> {
  /**
   * Durable when it returns. `payloads` are stored with the events that name them and dropped otherwise; those that a
   * `Tombstone` among the events names are erased. A caller that goes away does not stop a command that has begun.
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
}

export interface ActorsOptions {
  /** Live actors at most; those that were used lately stay. */
  readonly capacity?: number
}

interface Actor<State> {
  readonly stream: StreamName.StreamName
  readonly mailbox: Mailbox.Mailbox
  current: Current<State> | undefined
  /** Commands and reads under way: an actor in use is not passivated. */
  users: number
}

const defaultCapacity = 10_000

export const make = <State, Command, Event extends DomainEvent, Rejection>(
  { category, codec, decider }: Aggregate<State, Command, Event, Rejection>,
  { capacity = defaultCapacity }: ActorsOptions = {}
): Effect.Effect<Actors<State, Command, Event, Rejection>, never, EventStore | IdGenerator> =>
  Effect.gen(function* () {
    const store = yield* EventStore
    const ids = yield* IdGenerator
    const actors = RecentlyUsed.make<Actor<State>>({ capacity, isPinned: ({ users }) => users > 0 })

    const begin = (id: string): Actor<State> => {
      const stream = StreamName.make(category, id)
      const actor: Actor<State> = { stream, mailbox: Mailbox.make(), current: undefined, users: 0 }
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
      if (actor.users === 0 && (actor.current?.version ?? null) === null) actors.delete(id)
    }

    const withActor = <A, E>(id: string, use: (actor: Actor<State>) => Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        const actor = acquire(id)
        return Effect.onExitPrimitive(use(actor), () => {
          release(id, actor)
          return undefined
        })
      })

    const evolve = (current: Current<State>, recorded: ReadonlyArray<RecordedEvent>): Current<State> => ({
      state: recorded.reduce((state, event) => decider.evolve(state, codec.decode(event)), current.state),
      version: recorded.at(-1)?.version ?? current.version
    })

    const catchUp = (actor: Actor<State>) =>
      Effect.suspend(() => {
        const from = actor.current ?? { state: decider.initial, version: null }
        return Effect.map(
          store.read(actor.stream, from.version ?? undefined),
          (recorded) => (actor.current = evolve(from, recorded))
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

    const decide = (
      actor: Actor<State>,
      command: Command,
      payloads: ReadonlyArray<SealedPayload>
    ): Effect.Effect<Executed<State, Event>, Rejection | EventStoreError> =>
      Effect.flatMap(load(actor), (current) => {
        const decision = decider.decide(command, current.state)
        if (Result.isFailure(decision)) return Effect.fail(decision.failure)
        const events = decision.success
        if (!Array.isReadonlyArrayNonEmpty(events))
          return Effect.succeed({ ...current, events: [], position: null })
        return Effect.matchEffect(append(actor, current.version, events, payloads), {
          onSuccess: ({ version, position }) => {
            const state = events.reduce(decider.evolve, current.state)
            actor.current = { state, version }
            return Effect.succeed({ state, version, events, position })
          },
          onFailure: (error): Effect.Effect<Executed<State, Event>, Rejection | EventStoreError> => {
            // What is on disk is not known now: whoever comes next reads it.
            if (error._tag !== "WrongExpectedVersion") actor.current = undefined
            return error._tag === "WrongExpectedVersion"
              ? Effect.andThen(catchUp(actor), decide(actor, command, payloads))
              : Effect.fail(error)
          }
        })
      })

    return {
      execute: (id, command, payloads = []) =>
        withActor(id, (actor) => actor.mailbox.run(Effect.suspend(() => decide(actor, command, payloads)))),
      create: (id, command, payloads = []) =>
        withActor(id, (actor) =>
          actor.mailbox.run(
            Effect.suspend(() => {
              actor.current ??= { state: decider.initial, version: null }
              return decide(actor, command, payloads)
            })
          )
        ),
      current: (id) =>
        withActor(id, (actor) =>
          actor.current === undefined ? actor.mailbox.run(load(actor)) : Effect.succeed(actor.current)
        ),
      peek: (id) => actors.get(id)?.current,
      refresh: (id) => withActor(id, (actor) => actor.mailbox.run(catchUp(actor)))
    }
  })

const namesPayload = (payloads: unknown, name: string, hash: string): boolean =>
  typeof payloads === "object" &&
  payloads !== null &&
  (payloads as Readonly<Record<string, { readonly hash?: unknown }>>)[name]?.hash === hash
