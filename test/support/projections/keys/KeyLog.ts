/** Writes accounts and keys to the log with the domain's events, for tests of their read model. */
import { type Array as NonEmpty, Effect } from "effect"
import { codec, type Event } from "#domain/account/Event.ts"
import type { Grant } from "#domain/account/Grant.ts"
import { type AccountId, KeyId } from "#domain/Ids.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"

export const append = Effect.fnUntraced(function* (
  accountId: AccountId,
  ...[first, ...others]: NonEmpty.NonEmptyReadonlyArray<Event>
) {
  const encode = (event: Event, index: number) => ({
    id: `${accountId}-${event._tag}-${event.at}-${index}`,
    ...codec.encode(event)
  })
  yield* (yield* EventStore).append({
    stream: StreamName.make("Account", accountId),
    expected: ExpectedVersion.Any,
    events: [encode(first, 0), ...others.map(encode)]
  })
})

export const opened = (accountId: AccountId, name: string, at: number): Event => ({
  _tag: "AccountOpened",
  at,
  accountId,
  name
})

export const issued = (keyId: string, at: number, grant: Partial<Grant> = {}): Event => ({
  _tag: "KeyIssued",
  at,
  keyId: KeyId.make(keyId),
  name: `name of ${keyId}`,
  secretHash: "hash",
  ...grant
})

export const revoked = (keyId: string, at: number): Event => ({
  _tag: "KeyRevoked",
  at,
  keyId: KeyId.make(keyId)
})

export const rotated = (keyId: string, at: number): Event => ({
  _tag: "KeyRotated",
  at,
  keyId: KeyId.make(keyId),
  secretHash: "another hash",
  previousExpiresAt: at
})
