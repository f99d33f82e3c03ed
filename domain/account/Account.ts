/**
 * A customer: keys, limits, payments, password, and the signing secrets of its webhooks. Secrets are on the log as hashes or
 * sealed.
 */
import { HashMap, Option, Result } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import { AccountId, KeyId } from "../Ids.ts"
import type { Command, Rejection } from "./Command.ts"
import { codec, type Event } from "./Event.ts"
import * as Key from "./Key.ts"
import * as KeySet from "./KeySet.ts"
import { isSame } from "./Limits.ts"
import * as SigningSecret from "./SigningSecret.ts"
import { evolve, initial, type Opened, type State } from "./State.ts"

/** The id of a key contains its account's id, so that the key leads to the account's stream without an index. */
const issuedKeyId = /^key_([0-9a-f]{16})_[A-Za-z0-9]{8}$/

/**
 * The account of a key id. A first key that the operator chose (`BOOTSTRAP_API_KEY`) gives the account's id by its hash, so
 * that two nodes that start at the same time open the same account.
 *
 * @param sha256Hex hashes text to hex; the domain computes no hashes itself.
 */
export const accountOf = (keyId: string, sha256Hex: (text: string) => string): AccountId =>
  AccountId.make(
    `acc_${issuedKeyId.exec(keyId)?.[1] ?? sha256Hex(`inferlog account of key ${keyId}`).slice(0, 16)}`
  )

/** Whether the text has the form of an account id, as `accountOf` makes it. */
export const isAccountId = (text: string): text is AccountId => /^acc_[0-9a-f]{16}$/.test(text)

/** The id of a further key of the account. `random` is eight characters of `A-Za-z0-9`. */
export const makeKeyId = (accountId: AccountId, random: string): KeyId =>
  KeyId.make(`key_${accountId.slice("acc_".length)}_${random}`)

type Decided = Result.Result<ReadonlyArray<Event>, Rejection>

type Of<Tag extends Command["_tag"]> = Extract<Command, { readonly _tag: Tag }>

const decide = (command: Command, state: State): Decided => {
  if (state._tag === "NotOpened") {
    return command._tag === "Open" ? Result.succeed(open(command)) : Result.fail({ _tag: "AccountNotFound" })
  }
  const isClosed = state.erasure !== "none"
  switch (command._tag) {
    case "Open":
      return Result.succeed([])
    case "IssueKey":
      return isClosed ? Result.fail({ _tag: "AccountClosed" }) : issue(command, state)
    case "RotateKey":
      return isClosed ? Result.fail({ _tag: "AccountClosed" }) : rotate(command, state)
    case "RevokeKey": {
      const key = KeySet.get(state.keys, command.keyId)
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
      return Result.succeed(
        state.signingSecrets.length > 0
          ? []
          : [SigningSecret.rotate([], { ...command, useless: [], graceMs: SigningSecret.defaultGraceMs })]
      )
    case "RotateSigningSecret":
      if (isClosed) return Result.fail({ _tag: "AccountClosed" })
      return Result.succeed([SigningSecret.rotate(state.signingSecrets, command)])
    case "ChangePassword": {
      const { at, sealed } = command
      if (isClosed) return Result.fail({ _tag: "AccountClosed" })
      return Result.succeed(sealed === state.password ? [] : [{ _tag: "PasswordChanged", at, sealed }])
    }
    case "Erase":
      return Result.succeed(isClosed ? [] : [{ _tag: "AccountErased", at: command.at }])
    case "RecordErased":
      return Result.succeed(
        state.erasure === "under_way" ? [{ _tag: "AccountErasureFinished", at: command.at }] : []
      )
  }
}

const open = ({ at, accountId, name, key, balance }: Of<"Open">): ReadonlyArray<Event> => {
  const events: Array<Event> = [
    { _tag: "AccountOpened", at, accountId, name },
    { _tag: "KeyIssued", at, ...key }
  ]
  if (balance > 0n)
    events.push({ _tag: "BalanceToppedUp", at, amount: balance, reference: "opening balance" })
  return events
}

const issue = ({ at, grant, issuer, key }: Of<"IssueKey">, state: Opened): Decided => {
  const rejection = issuerRejection(grant, issuer, at, state)
  if (rejection !== null) return Result.fail(rejection)
  if (KeySet.get(state.keys, key.keyId) !== undefined) return Result.fail({ _tag: "KeyExists" })
  if (issuer !== null && KeySet.size(state.keys) >= Key.maxEver) return Result.fail({ _tag: "KeysUsedUp" })
  if (KeySet.countValid(state.keys, at) >= Key.maxValid) return Result.fail({ _tag: "TooManyKeys" })
  return Result.succeed([{ _tag: "KeyIssued", at, ...key, ...Key.limitsOf(grant) }])
}

/** The issuer learns the new secret, so it must have every right of the key. */
const rotate = ({ at, graceMs, issuer, keyId, secretHash }: Of<"RotateKey">, state: Opened): Decided => {
  const key = KeySet.get(state.keys, keyId)
  if (key === undefined) return Result.fail({ _tag: "KeyNotFound" })
  if (key.revokedAt !== null) return Result.fail({ _tag: "KeyRevoked" })
  if (!Key.isValid(key, at)) return Result.fail({ _tag: "KeyExpired" })
  const rejection = issuerRejection(key.grant, issuer, at, state)
  if (rejection !== null) return Result.fail(rejection)
  const { expiresAt } = key.grant
  const previousExpiresAt = Math.min(at + graceMs, expiresAt ?? Number.MAX_SAFE_INTEGER)
  return Result.succeed([{ _tag: "KeyRotated", at, keyId, secretHash, previousExpiresAt }])
}

/** Why the key `issuer` may not give `grant` to another key. `null` when it may; the operator (`issuer` null) always may. */
const issuerRejection = (
  grant: Key.Key["grant"],
  issuer: KeyId | null,
  at: number,
  { keys }: Opened
): Rejection | null => {
  if (issuer === null) return null
  const own = KeySet.get(keys, issuer)
  if (own === undefined || !Key.isValid(own, at)) return { _tag: "IssuerNotValid" }
  const fields = Key.exceeding(grant, own.grant)
  return fields.length === 0 ? null : { _tag: "GrantExceeded", fields }
}

const topUp = ({ amount, at, paymentId, reference }: Of<"TopUp">, { payments }: Opened): Decided => {
  const paid = paymentId === null ? undefined : Option.getOrUndefined(HashMap.get(payments, paymentId))
  if (paid !== undefined)
    return paid === amount ? Result.succeed([]) : Result.fail({ _tag: "PaymentIdReused" })
  return Result.succeed([
    { _tag: "BalanceToppedUp", at, amount, reference, ...(paymentId === null ? {} : { paymentId }) }
  ])
}

export const aggregate: Aggregate<State, Command, Event, Rejection> = {
  category: "Account",
  codec,
  decider: { initial, decide, evolve }
}
