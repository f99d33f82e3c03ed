/** Copies of an audited log to tamper with, and the expected findings of an audit. */
import * as fs from "node:fs"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { Invariant } from "#src/features/billing/audit/Invariant.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as AuditedLog from "./AuditedLog.ts"
import * as ForgedLog from "./ForgedLog.ts"

let untouched = ""

/** For a file of tests: the log of which it makes copies, written once. */
export const shareLog = () => {
  const scope = Scope.makeUnsafe()
  beforeAll(() =>
    Effect.gen(function* () {
      untouched = yield* Scope.provide(TempDirectory.make, scope)
      yield* DataDirectory.own(untouched, AuditedLog.write)
      yield* AuditedLog.project(untouched)
    }).pipe(Effect.runPromise)
  )
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
}

/** A copy of the log that the tests of a file share, and of its read model. */
export const copy = Effect.map(TempDirectory.make, (directory) => {
  fs.cpSync(untouched, directory, { recursive: true })
  return directory
})

/** Expects that the audit fails at this place for this reason. */
export const fails = Effect.fnUntraced(function* (
  directory: string,
  position: string,
  invariant: Invariant,
  reason: RegExp
) {
  const failure = yield* Effect.flip(AuditedLog.audit(directory))
  assert.deepInclude(failure, { _tag: "AuditFailed", position, invariant })
  assert.match(failure.message, reason)
})

/**
 * Tests the log after `alter`, written again with correct hashes. `alter` returns the event that the audit must name.
 */
export const forged = (
  what: string,
  alter: (log: ForgedLog.Log) => ForgedLog.Forged,
  invariant: Invariant,
  reason: RegExp
) =>
  it.live(`finds ${what}`, () =>
    Effect.gen(function* () {
      const directory = yield* copy
      const position = ForgedLog.rewrite(directory, alter)
      yield* fails(directory, position, invariant, reason)
    }).pipe(Effect.scoped)
  )

/** The event's stream. */
export const account = (id: string): string => `Account-${id}`

/** Changes the data of an event. */
export const change =
  (type: string, of: string, changes: (data: JsonObject) => JsonObject) => (log: ForgedLog.Log) => {
    const event = ForgedLog.find(log, type, of)
    event.data = { ...event.data, ...changes(event.data) }
    return event
  }

const within = (data: JsonObject, field: string, changes: JsonObject): JsonObject => ({
  [field]: { ...(data[field] as JsonObject), ...changes }
})

export const billed = (of: string, changes: JsonObject) =>
  change("RequestCompleted", of, (data) => within(data, "billing", changes))

export const quoted = (of: string, changes: JsonObject) =>
  change("RequestSubmitted", of, (data) => within(data, "quote", changes))

/** Removes the event of the type from the stream of the request or account. */
export const removed =
  (type: string, of: string, guilty: (log: ForgedLog.Log) => ForgedLog.Forged) => (log: ForgedLog.Log) => {
    const event = guilty(log)
    ForgedLog.remove(log, ForgedLog.find(log, type, of))
    return event
  }
