/**
 * Scenarios of a decider: `given(aggregate, events).when(command).expectEvents(...)`. Every event passes through the
 * aggregate's codec and JSON text, which proves that it can be stored.
 */
import { assert } from "@effect/vitest"
import { Result } from "effect"
import type { Aggregate } from "#domain/Aggregate.ts"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import type { DomainEvent, EventCodec } from "#domain/EventCodec.ts"
import { replay } from "./Replay.ts"

interface Tagged {
  readonly _tag: string
}

export interface Given<State, Command, Event, Rejection extends Tagged> {
  /** The state after the events. */
  readonly state: State
  readonly when: (command: Command) => Then<State, Command, Event, Rejection>
  /** Expects that `look` returns `expected` for the state after the events. */
  readonly expectView: <View>(look: (state: State) => View, expected: View) => void
}

interface Then<State, Command, Event, Rejection extends Tagged> {
  /** The result of the command. */
  readonly state: State
  /** Expects exactly these events. */
  readonly expectEvents: (...events: ReadonlyArray<Event>) => Then<State, Command, Event, Rejection>
  /** Expects events of exactly these types. */
  readonly expectTypes: (
    ...types: ReadonlyArray<Event extends Tagged ? Event["_tag"] : never>
  ) => Then<State, Command, Event, Rejection>
  /** Expects no events: the command had already taken effect. */
  readonly expectNothing: () => Then<State, Command, Event, Rejection>
  readonly expectRejection: (tag: Rejection["_tag"]) => Then<State, Command, Event, Rejection>
  /** Expects that `predicate` holds for the state after the command. */
  readonly expectState: (predicate: (state: State) => boolean) => Then<State, Command, Event, Rejection>
  /** Expects that `look` returns `expected` for the state after the command. */
  readonly expectView: <View>(
    look: (state: State) => View,
    expected: View
  ) => Then<State, Command, Event, Rejection>
  /** Runs a further command after the events of this one. */
  readonly when: (command: Command) => Then<State, Command, Event, Rejection>
}

/** A stream with `events`; without any it does not exist. */
export const given = <State, Command, Event extends DomainEvent, Rejection extends Tagged>(
  aggregate: Aggregate<State, Command, Event, Rejection>,
  events: ReadonlyArray<NoInfer<Event>> = []
): Given<State, Command, Event, Rejection> => {
  const state = replay(aggregate.decider, events.map(stored(aggregate.codec)))
  return {
    state,
    when: (command) => decided(aggregate, state, command),
    expectView: (look, expected) => assert.deepStrictEqual(look(state), expected)
  }
}

const decided = <State, Command, Event extends DomainEvent, Rejection extends Tagged>(
  aggregate: Aggregate<State, Command, Event, Rejection>,
  before: State,
  command: Command
): Then<State, Command, Event, Rejection> => {
  const decision = Result.map(aggregate.decider.decide(command, before), (events) =>
    events.map(stored(aggregate.codec))
  )
  const events = Result.getOrElse(decision, () => [])
  const after = replay(aggregate.decider, events, before)
  const accepted = () => {
    assert.isTrue(Result.isSuccess(decision), `the command is rejected: ${tagOf(decision)}`)
    return events
  }
  const then: Then<State, Command, Event, Rejection> = {
    state: after,
    expectEvents: (...expected) => {
      assert.deepStrictEqual(accepted(), expected)
      return then
    },
    expectTypes: (...types) => {
      assert.deepStrictEqual<ReadonlyArray<string>>(
        accepted().map(({ _tag }) => _tag),
        types
      )
      return then
    },
    expectNothing: () => then.expectEvents(),
    expectRejection: (tag) => {
      assert.strictEqual(tagOf(decision), tag)
      return then
    },
    expectState: (predicate) => {
      assert.isTrue(predicate(after), `unexpected state ${JSON.stringify(after, readable, 2)}`)
      return then
    },
    expectView: (look, expected) => {
      assert.deepStrictEqual(look(after), expected)
      return then
    },
    when: (next) => decided(aggregate, after, next)
  }
  return then
}

/** The event as read back from the log. */
export const stored =
  <Event extends DomainEvent>(codec: EventCodec<Event>) =>
  (event: Event): Event => {
    const { type, time, data } = codec.encode(event)
    return codec.decode({ type, time, data: JSON.parse(CanonicalJson.stringify(data)) })
  }

const tagOf = (decision: Result.Result<unknown, Tagged>): string | null =>
  Result.isFailure(decision) ? decision.failure._tag : null

const readable = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}n` : value)
