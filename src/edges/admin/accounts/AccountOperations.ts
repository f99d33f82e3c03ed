/** Balances, limits, passwords and erasing of accounts: part of `Administration`. Amounts are nano-USD. */
import { Redacted, Schema, Struct } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Rate } from "#domain/account/Limits.ts"
import { AccountId } from "#domain/Ids.ts"
import { NanoUsd } from "#domain/Money.ts"
import { AccountDetails } from "#projections/keys/Keys.ts"
import { AccountClosed, AccountNotFound, PaymentIdReused } from "#src/features/accounts/Accounts.ts"
import * as PasswordText from "#src/features/accounts/PasswordText.ts"
import { Round } from "#src/features/retention/AccountErasing.ts"
import { AdministrationFailed } from "../Operations.ts"

const mostUsd = 10n ** 18n

/** From 0 to 1,000,000,000 USD. */
export const isAmount = (amount: NanoUsd): boolean => amount >= 0n && amount <= mostUsd

export const Amount = NanoUsd.check(
  Schema.makeFilter(isAmount, { expected: "an amount from 0 to 1000000000 USD" })
)

/** Above 0, at most 1,000,000,000 USD. */
export const isPayment = (amount: NanoUsd): boolean => amount > 0n && amount <= mostUsd

/** At most 200 characters of any script, without control characters. */
export const isReference = (text: string): boolean => /^\P{Cc}{0,200}$/u.test(text) && text.isWellFormed()

/** 1 to 100 visible ASCII characters, so that ids that look the same are the same. */
export const isPaymentId = (text: string): boolean => /^[\x21-\x7e]{1,100}$/.test(text)

/** Requests that have not ended. With 0, the account cannot submit. */
export const mostOpenRequests = 1_000_000_000

/** 4,096 TiB, in bytes. With 0, the account cannot store files. */
export const mostStoredBytes = 2 ** 52

/** Open event streams. With 0, the account cannot open one. */
export const mostStreams = 1_000_000

export const mostCalls = 1_000_000

/** A day. */
export const longestWindow = 86_400

const isFromOneTo = (most: number, value: number): boolean =>
  Number.isSafeInteger(value) && value >= 1 && value <= most

/** From 1 to 1,000,000 calls in 1 second to 1 day. The token buckets count in integers. */
export const isRate = ({ requests, windowSeconds }: Rate): boolean =>
  isFromOneTo(mostCalls, requests) && isFromOneTo(longestWindow, windowSeconds)

export const Balance = Schema.Struct({
  accountId: AccountId,
  /** Payments less charges. */
  balance: NanoUsd,
  /** The part of the balance that is reserved for requests that have not ended. */
  reserved: NanoUsd,
  /** The rest of the balance. */
  available: NanoUsd,
  /** When the balance last changed, Unix time in ms; `null` before the first payment. */
  updatedAt: Schema.NullOr(Schema.Int),
  /** False when the ledger lags or has stopped, so that the latest changes are missing. */
  isCurrent: Schema.Boolean
})
export type Balance = typeof Balance.Type

export const ListedAccount = Schema.Struct({ ...AccountDetails.fields, ...Balance.fields })
export type ListedAccount = typeof ListedAccount.Type

const RateLimit = Schema.NullOr(
  Rate.check(
    Schema.makeFilter(isRate, {
      expected: `from 1 to ${mostCalls} calls in 1 to ${longestWindow} seconds`
    })
  )
)

const upTo = (maximum: number) => Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum })))

/** `null` means no limit, except for `maxStoredBytes` (`STORAGE_QUOTA`) and `maxStreams` (10,000). */
export const AccountLimits = Schema.Struct({
  creditLimit: Amount,
  maxOpenRequests: upTo(mostOpenRequests),
  maxStoredBytes: upTo(mostStoredBytes),
  /** Calls with all keys together, on each node. */
  accountRate: RateLimit,
  /** Calls with each key, on each node. */
  keyRate: RateLimit,
  maxStreams: upTo(mostStreams)
})

/** The check runs on the redacted value, so that no error shows the password. */
const Password = Schema.RedactedFromValue(Schema.String).check(
  Schema.makeFilter((password: Redacted.Redacted) => PasswordText.isPassword(Redacted.value(password)), {
    expected: PasswordText.expectation
  })
)

export const ErasingStep = Schema.Struct({
  round: Round,
  /** Whether a server continues the erasing without further calls. */
  goesOn: Schema.Boolean
})

const failures = Schema.Union([AccountNotFound, AdministrationFailed])
const failuresOfChanges = Schema.Union([AccountNotFound, AccountClosed, AdministrationFailed])

export const accountOperations = RpcGroup.make(
  /** Includes everything on the log at the time of the call, if `isCurrent`; so do all balances here. */
  Rpc.make("showBalance", { payload: { accountId: AccountId }, success: Balance, error: failures }),
  /** When it returns, the payment is on the log, and a running server lets the account spend it. */
  Rpc.make("topUp", {
    payload: {
      accountId: AccountId,
      amount: NanoUsd.check(
        Schema.makeFilter(isPayment, { expected: "an amount above 0, at most 1000000000 USD" })
      ),
      /** The purpose of the payment, for the operator. */
      reference: Schema.String.check(
        Schema.makeFilter(isReference, { expected: "a reference of at most 200 characters" })
      ),
      /** A top-up that repeats a payment id changes nothing. */
      paymentId: Schema.String.check(
        Schema.makeFilter(isPaymentId, { expected: "a payment id of 1 to 100 visible ASCII characters" })
      )
    },
    /** `applied` is false for a repeated payment id. `balance` is the one after the top-up. */
    success: Schema.Struct({ applied: Schema.Boolean, balance: Balance }),
    error: Schema.Union([AccountNotFound, AccountClosed, PaymentIdReused, AdministrationFailed])
  }),
  /** A page of at most 1,000 accounts in the order of their ids, erased ones included. */
  Rpc.make("listAccounts", {
    /** `after`: the last account of the previous page; `null` for the first page. */
    payload: { after: Schema.NullOr(AccountId) },
    success: Schema.Array(ListedAccount),
    error: AdministrationFailed
  }),
  Rpc.make("showLimits", { payload: { accountId: AccountId }, success: AccountLimits, error: failures }),
  /** Returns all limits in force. A running server applies the change within milliseconds, when it reads the event. */
  Rpc.make("changeLimits", {
    /** An omitted limit stays as it is. */
    payload: { accountId: AccountId, ...Struct.map(AccountLimits.fields, Schema.optionalKey) },
    success: AccountLimits,
    error: failuresOfChanges
  }),
  /** In force at once, on running servers too. `null` removes the password. */
  Rpc.make("setPassword", {
    payload: { accountId: AccountId, password: Schema.NullOr(Password) },
    error: failuresOfChanges
  }),
  /** Closes the account and erases the payloads of one page of its requests. Repeat until a round finds nothing. */
  Rpc.make("eraseAccount", {
    /** `round`: the one that the previous step returned; `null` for the first step. */
    payload: { accountId: AccountId, round: Schema.NullOr(Round) },
    success: ErasingStep,
    error: failures
  })
)
