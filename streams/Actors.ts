/**
 * One actor per live stream: decide → append → evolve. Commands of one aggregate never interleave. After a conflict with
 * another node, an actor catches up and decides again.
 */
import { Array, Effect, Exit, Result } from "effect"
import type { Aggregate } from "#domain/Aggregate.ts"
import type { DomainEvent } from "#domain/EventCodec.ts"
import type { EventStoreError } from "./EventReader.ts"
import { type Append, type AppendError, type Appended, EventStore } from "./EventStore.ts"
import * as Conflicts from "./Conflicts.ts"
import { fromVersion, type Version } from "./ExpectedVersion.ts"
import type { GlobalPosition } from "./GlobalPosition.ts"
import { IdGenerator } from "./IdGenerator.ts"
import * as LiveActors from "./LiveActors.ts"
import type { Actor, ActorsOptions, Current } from "./LiveActors.ts"
import type { SealedPayload } from "./SealedPayload.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"
import * as Tombstone from "./Tombstone.ts"

export interface Executed<State, Event> extends Current<State> {
  /** The events of the command. Empty when it had already taken effect. */
  readonly events: ReadonlyArray<Event>
  /** Position of the last of `events`. `null` when there are none. */
  readonly position: GlobalPosition | null
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

export const make = <State, Command, Event extends DomainEvent, Rejection>(
  aggregate: Aggregate<State, Command, Event, Rejection>,
  options: ActorsOptions = {},
  /** Changes each decided event before it is appended and applied to the state. */
  stamp?: (event: Event) => Event
): Effect.Effect<Actors<State, Command, Event, Rejection>, never, EventStore | IdGenerator> =>
  Effect.gen(function* () {
    type Ended = Exit.Exit<Executed<State, Event>, Rejection | EventStoreError>

    const store = yield* EventStore
    const ids = yield* IdGenerator
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const { codec, decider } = aggregate
    const live = LiveActors.make(store, aggregate, options)

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
      live.update(actor, { state, version, length }, position)
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
        const caughtUp = Effect.andThen(Conflicts.wait(conflicts + 1), live.catchUp(actor))
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
      Effect.flatMapEager(live.load(actor), (current) =>
        decideFrom(actor, current, command, payloads, conflicts)
      )

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
      live.use(id, (actor) =>
        actor.mailbox.run(() => {
          prepare(actor)
          return decide(actor, command, payloads)
        })
      )

    const prepareNone = () => {}

    const assumeEmpty = (actor: Actor<State>) => {
      if (actor.observed === 0) actor.current ??= live.empty
    }

    /** Decides at once if the state is in memory and no other command is before this one. */
    const send = (
      id: string,
      sent: Command,
      payloads: ReadonlyArray<SealedPayload>,
      onEnd: (exit: Ended) => void,
      prepare: (actor: Actor<State>) => void
    ) => {
      const actor = live.acquire(id)
      prepare(actor)
      const { current, mailbox } = actor
      if (current === undefined || !mailbox.enter()) {
        live.release(id, actor)
        fork(command(id, sent, payloads, prepare)).addObserver(onEnd)
        return
      }
      const end = (exit: Ended) => {
        mailbox.leave()
        live.release(id, actor)
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

    return {
      execute: (id, sent, payloads = []) => command(id, sent, payloads, prepareNone),
      create: (id, sent, payloads = []) => command(id, sent, payloads, assumeEmpty),
      send: (id, sent, payloads, onEnd) => send(id, sent, payloads, onEnd, prepareNone),
      sendNew: (id, sent, payloads, onEnd) => send(id, sent, payloads, onEnd, assumeEmpty),
      current: (id) =>
        live.use(id, (actor) => {
          if (actor.current === undefined) return actor.mailbox.run(() => live.load(actor))
          // Does not wait in the mailbox: a `create` in progress may take long, and another node may have created the stream
          // meanwhile.
          return LiveActors.isEmpty(actor.current) ? live.catchUp(actor) : Effect.succeed(actor.current)
        }),
      peek: live.peek,
      readAhead: live.readAhead,
      refresh: (id) => live.use(id, (actor) => actor.mailbox.run(() => live.catchUp(actor))),
      observe: live.observe
    }
  })

const exitOf = <A>(run: () => A): Exit.Exit<A> => {
  try {
    return Exit.succeed(run())
  } catch (defect) {
    return Exit.die(defect)
  }
}

const namesPayload = (payloads: unknown, name: string, hash: string): boolean =>
  typeof payloads === "object" &&
  payloads !== null &&
  (payloads as Readonly<Record<string, { readonly hash?: unknown }>>)[name]?.hash === hash
