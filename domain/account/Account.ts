/**
 * A customer: its keys, its limits, what it paid in, and what its webhooks are signed with. Secrets are on the log as
 * hashes only, or sealed.
 */
import { HashMap, Option, Result, Schema, Struct } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import type { Decider } from "../Decider.ts"
import * as EventCodec from "../EventCodec.ts"
import { AccountId, KeyId } from "../Ids.ts"
import { NanoUsd } from "../Money.ts"
import { isSame, Limits, noLimits } from "./Limits.ts"
import * as SigningSecret from "./SigningSecret.ts"

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
  reference: Schema.String,
  /** Of the payment: there is one top-up of each. */
  paymentId: Schema.optionalKey(Schema.String)
})

/** They hold from now on, all of them. */
export const LimitsChanged = Schema.TaggedStruct("LimitsChanged", {
  at,
  ...Limits.fields,
  /** These are younger than the others: `null` where they are absent. */
  maxStoredBytes: Schema.optionalKey(Limits.fields.maxStoredBytes),
  accountRate: Schema.optionalKey(Limits.fields.accountRate),
  keyRate: Schema.optionalKey(Limits.fields.keyRate),
  maxStreams: Schema.optionalKey(Limits.fields.maxStreams)
})

export const KeyIssued = Schema.TaggedStruct("KeyIssued", {
  at,
  keyId: KeyId,
  name: Schema.String,
  /** Hex SHA-256 of the secret, which has 256 random bits. */
  secretHash: Schema.String
})

export const KeyRevoked = Schema.TaggedStruct("KeyRevoked", { at, keyId: KeyId })

/** The account is closed, its keys with it; what its requests carried is to be erased. Its ledger stays. */
export const AccountErased = Schema.TaggedStruct("AccountErased", { at })

/** All its requests have ended, and nothing of what they carried is left. */
export const AccountErasureFinished = Schema.TaggedStruct("AccountErasureFinished", { at })

export const codec = EventCodec.make([
  AccountOpened,
  BalanceToppedUp,
  KeyIssued,
  KeyRevoked,
  LimitsChanged,
  SigningSecret.SigningSecretRotated,
  AccountErased,
  AccountErasureFinished
])
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
  /** Pays in `amount`, which is positive. Repeated under the same payment id it changes nothing. */
  | {
      readonly _tag: "TopUp"
      readonly at: number
      readonly amount: NanoUsd
      readonly reference: string
      readonly paymentId: string | null
    }
  | { readonly _tag: "ChangeLimits"; readonly at: number; readonly limits: Limits }
  /** Gives a secret to an account that has none. One that is closed gets it too: its last webhooks are signed. */
  | { readonly _tag: "EnsureSigningSecret"; readonly at: number; readonly sealed: string }
  /** Puts a new secret in force at once. */
  | {
      readonly _tag: "RotateSigningSecret"
      readonly at: number
      readonly sealed: string
      /** Sealed texts of secrets that nobody can sign with: they go for good, and do not count. */
      readonly useless: ReadonlyArray<string>
    }
  /** Closes the account for good. Repeated it changes nothing. */
  | { readonly _tag: "Erase"; readonly at: number }
  | { readonly _tag: "RecordErased"; readonly at: number }

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
      readonly limits: Limits
      /** What was paid in under each payment id: there may be thousands, so that none is copied for another one. */
      readonly payments: HashMap.HashMap<string, NanoUsd>
      /** Newest first; the first one is in force. */
      readonly signingSecrets: ReadonlyArray<SigningSecret.SigningSecret>
      readonly erasure: "none" | "under_way" | "finished"
    }

export type Rejection =
  | { readonly _tag: "AccountNotFound" }
  | { readonly _tag: "KeyNotFound" }
  | { readonly _tag: "KeyExists" }
  /** The account was erased. */
  | { readonly _tag: "AccountClosed" }
  /** Another amount was paid in under this payment id. */
  | { readonly _tag: "PaymentIdReused" }
  /** As many secrets as may be valid at once are. */
  | { readonly _tag: "TooManySigningSecrets" }

const decide = (command: Command, state: State): Result.Result<ReadonlyArray<Event>, Rejection> => {
  if (state._tag === "NotOpened") {
    return command._tag === "Open" ? Result.succeed(open(command)) : Result.fail({ _tag: "AccountNotFound" })
  }
  const isClosed = state.erasure !== "none"
  switch (command._tag) {
    case "Open":
      return Result.succeed([])
    case "IssueKey":
      if (isClosed) return Result.fail({ _tag: "AccountClosed" })
      return state.keys.has(command.key.keyId)
        ? Result.fail({ _tag: "KeyExists" })
        : Result.succeed([{ _tag: "KeyIssued", at: command.at, ...command.key }])
    case "RevokeKey": {
      const key = state.keys.get(command.keyId)
      if (key === undefined) return Result.fail({ _tag: "KeyNotFound" })
      return Result.succeed(key.revokedAt === null ? [{ ...command, _tag: "KeyRevoked" }] : [])
    }
    case "TopUp":
      return isClosed ? Result.fail({ _tag: "AccountClosed" }) : topUp(command, state)
    case "ChangeLimits":
      if (isClosed) return Result.fail({ _tag: "AccountClosed" })
      return Result.succeed(
        isSame(command.limits, state.limits)
          ? []
          : [{ _tag: "LimitsChanged", at: command.at, ...command.limits }]
      )
    case "EnsureSigningSecret":
      return state.signingSecrets.length > 0
        ? Result.succeed([])
        : SigningSecret.rotate([], { ...command, useless: [] })
    case "RotateSigningSecret":
      if (isClosed) return Result.fail({ _tag: "AccountClosed" })
      return SigningSecret.rotate(state.signingSecrets, command)
    case "Erase":
      return Result.succeed(isClosed ? [] : [{ _tag: "AccountErased", at: command.at }])
    case "RecordErased":
      return Result.succeed(
        state.erasure === "under_way" ? [{ _tag: "AccountErasureFinished", at: command.at }] : []
      )
  }
}

const topUp = (
  { amount, at, paymentId, reference }: Extract<Command, { readonly _tag: "TopUp" }>,
  { payments }: Extract<State, { readonly _tag: "Account" }>
): Result.Result<ReadonlyArray<Event>, Rejection> => {
  const paid = paymentId === null ? undefined : Option.getOrUndefined(HashMap.get(payments, paymentId))
  if (paid !== undefined)
    return paid === amount ? Result.succeed([]) : Result.fail({ _tag: "PaymentIdReused" })
  return Result.succeed([
    { _tag: "BalanceToppedUp", at, amount, reference, ...(paymentId === null ? {} : { paymentId }) }
  ])
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
    const { accountId, name } = event
    return {
      _tag: "Account",
      accountId,
      name,
      keys: new Map(),
      limits: noLimits,
      payments: HashMap.empty(),
      signingSecrets: [],
      erasure: "none"
    }
  }
  if (state._tag === "NotOpened") return state
  switch (event._tag) {
    case "BalanceToppedUp":
      return event.paymentId === undefined
        ? state
        : { ...state, payments: HashMap.set(state.payments, event.paymentId, event.amount) }
    case "LimitsChanged": {
      const limits = Struct.omit(event, ["_tag", "at"])
      return { ...state, limits: { ...noLimits, ...limits } }
    }
    case "SigningSecretRotated":
      return { ...state, signingSecrets: SigningSecret.rotated(state.signingSecrets, event) }
    case "AccountErased":
      return { ...state, erasure: "under_way", keys: allRevoked(state.keys, event.at) }
    case "AccountErasureFinished":
      return { ...state, erasure: "finished" }
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

const allRevoked = (keys: ReadonlyMap<string, Key>, at: number): ReadonlyMap<string, Key> =>
  new Map(Array.from(keys, ([id, key]) => [id, { ...key, revokedAt: key.revokedAt ?? at }]))

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
