/** A customer: its keys and, later, its money and limits. Secrets are on the log as hashes only. */
import { Result, Schema } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import type { Decider } from "../Decider.ts"
import * as EventCodec from "../EventCodec.ts"
import { AccountId, KeyId } from "../Ids.ts"
import { NanoUsd } from "../Money.ts"

/** Keys issued under an account carry its name, so that a key leads to its account's stream without an index. */
const issuedKeyId = /^key_([0-9a-f]{16})_[A-Za-z0-9]{8}$/

/**
 * The account that a key id belongs to. A first key chosen by the operator (`BOOTSTRAP_API_KEY`) names its account by its
 * hash, so that two nodes that start at once open the same account.
 *
 * @param sha256Hex hashes text to hex; the domain computes no hashes itself.
 */
export const accountOf = (keyId: string, sha256Hex: (text: string) => string): AccountId =>
  AccountId.make(
    `acc_${issuedKeyId.exec(keyId)?.[1] ?? sha256Hex(`inferlog account of key ${keyId}`).slice(0, 16)}`
  )

/** The id of a further key of `accountId`; `random` are eight characters of `A-Za-z0-9`. */
export const makeKeyId = (accountId: AccountId, random: string): KeyId =>
  KeyId.make(`key_${accountId.slice("acc_".length)}_${random}`)

/** Names and fields of the events are the storage format: add cases or optional fields, never rename. */
const at = Schema.Int

export const AccountOpened = Schema.TaggedStruct("AccountOpened", {
  at,
  accountId: AccountId,
  name: Schema.String
})

export const BalanceToppedUp = Schema.TaggedStruct("BalanceToppedUp", {
  at,
  amount: NanoUsd,
  /** Why, in the operator's words. */
  reference: Schema.String
})

export const KeyIssued = Schema.TaggedStruct("KeyIssued", {
  at,
  keyId: KeyId,
  name: Schema.String,
  /** Hex SHA-256 of the secret, which has 256 random bits. */
  secretHash: Schema.String
})

export const KeyRevoked = Schema.TaggedStruct("KeyRevoked", { at, keyId: KeyId })

export const codec = EventCodec.make([AccountOpened, BalanceToppedUp, KeyIssued, KeyRevoked])
export type Event = ReturnType<typeof codec.decode>

export interface NewKey {
  readonly keyId: KeyId
  readonly name: string
  readonly secretHash: string
}

export type Command =
  /** Opens the account with its first key and balance, at once. Repeated it changes nothing. */
  | {
      readonly _tag: "Open"
      readonly at: number
      readonly accountId: AccountId
      readonly name: string
      readonly key: NewKey
      readonly balance: NanoUsd
    }
  | { readonly _tag: "IssueKey"; readonly at: number; readonly key: NewKey }
  | { readonly _tag: "RevokeKey"; readonly at: number; readonly keyId: KeyId }

export interface Key extends NewKey {
  /** Unix time in ms, as all times here. */
  readonly issuedAt: number
  readonly revokedAt: number | null
}

export type State =
  | { readonly _tag: "NotOpened" }
  | {
      readonly _tag: "Account"
      readonly accountId: AccountId
      readonly name: string
      readonly keys: ReadonlyMap<string, Key>
    }

export type Rejection =
  | { readonly _tag: "AccountNotFound" }
  | { readonly _tag: "KeyNotFound" }
  | { readonly _tag: "KeyExists" }

const decide = (command: Command, state: State): Result.Result<ReadonlyArray<Event>, Rejection> => {
  if (state._tag === "NotOpened") {
    return command._tag === "Open" ? Result.succeed(open(command)) : Result.fail({ _tag: "AccountNotFound" })
  }
  switch (command._tag) {
    case "Open":
      return Result.succeed([])
    case "IssueKey":
      return state.keys.has(command.key.keyId)
        ? Result.fail({ _tag: "KeyExists" })
        : Result.succeed([{ _tag: "KeyIssued", at: command.at, ...command.key }])
    case "RevokeKey": {
      const key = state.keys.get(command.keyId)
      if (key === undefined) return Result.fail({ _tag: "KeyNotFound" })
      return Result.succeed(key.revokedAt === null ? [{ ...command, _tag: "KeyRevoked" }] : [])
    }
  }
}

const open = ({ at, accountId, name, key, balance }: Extract<Command, { readonly _tag: "Open" }>) => {
  const events: Array<Event> = [
    { _tag: "AccountOpened", at, accountId, name },
    { _tag: "KeyIssued", at, ...key }
  ]
  if (balance > 0n)
    events.push({ _tag: "BalanceToppedUp", at, amount: balance, reference: "opening balance" })
  return events
}

const evolve = (state: State, event: Event): State => {
  if (event._tag === "AccountOpened") {
    return { _tag: "Account", accountId: event.accountId, name: event.name, keys: new Map() }
  }
  if (state._tag === "NotOpened") return state
  switch (event._tag) {
    case "BalanceToppedUp":
      return state
    case "KeyIssued": {
      const { at, keyId, name, secretHash } = event
      return withKey(state, { keyId, name, secretHash, issuedAt: at, revokedAt: null })
    }
    case "KeyRevoked": {
      const key = state.keys.get(event.keyId)
      return key === undefined ? state : withKey(state, { ...key, revokedAt: event.at })
    }
  }
}

const withKey = (state: Extract<State, { readonly _tag: "Account" }>, key: Key): State => ({
  ...state,
  keys: new Map(state.keys).set(key.keyId, key)
})

const decider: Decider<State, Command, Event, Rejection> = {
  initial: { _tag: "NotOpened" },
  decide,
  evolve
}

export const aggregate: Aggregate<State, Command, Event, Rejection> = { category: "Account", codec, decider }
