/** Balances, limits, passwords and erasing of accounts: part of `Administration`. Amounts are nano-USD. */
import { Redacted, Schema, Struct } from "effect"
import { Rate } from "#domain/account/Limits.ts"
import { AccountId } from "#domain/Ids.ts"
import type { NanoUsd } from "#domain/Money.ts"
import { AccountDetails } from "#projections/keys/KeyViews.ts"
import { AccountClosed, AccountNotFound, PaymentIdReused } from "#src/features/accounts/AccountErrors.ts"
import * as PasswordText from "#src/features/accounts/PasswordText.ts"
import { Round } from "#src/features/retention/ErasingRound.ts"
import * as Operation from "../Operation.ts"
import * as Wire from "../Wire.ts"

const mostUsd = 10n ** 18n

/** From 0 to 1,000,000,000 USD. */
export const isAmount = (amount: NanoUsd): boolean => amount >= 0n && amount <= mostUsd

export const Amount = Wire.Usd.check(
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
  balance: Wire.Usd,
  /** The part of the balance that is reserved for requests that have not ended. */
  reserved: Wire.Usd,
  /** The rest of the balance. */
  available: Wire.Usd,
  /** When the balance last changed, Unix time in ms; `null` before the first payment. */
  updatedAt: Wire.TimeOrNull,
  /** False when the ledger lags or has stopped, so that the latest changes are missing. */
  isCurrent: Schema.Boolean
})
export type Balance = typeof Balance.Type

export const ListedAccount = Schema.Struct({
  ...AccountDetails.fields,
  openedAt: Wire.Time,
  erasedAt: Wire.TimeOrNull,
  creditLimit: Wire.Usd,
  ...Balance.fields
})
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

export const accountOperations = [
  Operation.make("showBalance", {
    route: "GET /accounts/:accountId/balance",
    role: "viewer",
    summary: "The balance of an account",
    description: "Includes everything on the log at the time of the call, if `isCurrent`.",
    payload: { accountId: AccountId },
    success: Balance,
    errors: [AccountNotFound]
  }),
  Operation.make("topUp", {
    route: "POST /accounts/:accountId/payments",
    role: "owner",
    summary: "Pay into an account",
    description:
      "When it returns, the account can spend the payment. A payment that repeats a `paymentId` changes nothing: `applied` is then false.",
    payload: {
      accountId: AccountId,
      amount: Wire.Usd.check(
        Schema.makeFilter(isPayment, { expected: "an amount above 0, at most 1000000000 USD" })
      ),
      /** The purpose of the payment, for the operator. */
      reference: Wire.orElse(
        Schema.String.check(
          Schema.makeFilter(isReference, { expected: "a reference of at most 200 characters" })
        ),
        ""
      ),
      paymentId: Schema.String.check(
        Schema.makeFilter(isPaymentId, { expected: "a payment id of 1 to 100 visible ASCII characters" })
      )
    },
    success: Schema.Struct({ applied: Schema.Boolean, balance: Balance }),
    errors: [AccountNotFound, AccountClosed, PaymentIdReused],
    targets: ["accountId", "paymentId"]
  }),
  Operation.make("listAccounts", {
    route: "GET /accounts",
    role: "viewer",
    summary: "List accounts",
    description: "With their balances, by id, erased accounts included.",
    payload: Wire.paging(AccountId),
    success: Wire.page(ListedAccount, AccountId)
  }),
  Operation.make("showLimits", {
    route: "GET /accounts/:accountId/limits",
    role: "viewer",
    summary: "The limits of an account",
    description: "All limits in force. `null` is no limit, or the server's default.",
    payload: { accountId: AccountId },
    success: AccountLimits,
    errors: [AccountNotFound]
  }),
  Operation.make("changeLimits", {
    route: "PATCH /accounts/:accountId/limits",
    role: "operator",
    // Credit is money that the account may spend.
    roleOf: ({ creditLimit }) => (creditLimit === undefined ? "operator" : "owner"),
    summary: "Change limits of an account",
    description:
      "An absent limit stays as it is. Returns all limits in force. Running servers apply them within milliseconds. `creditLimit` needs the role owner.",
    payload: { accountId: AccountId, ...Struct.map(AccountLimits.fields, Schema.optionalKey) },
    success: AccountLimits,
    errors: [AccountNotFound, AccountClosed]
  }),
  Operation.make("setPassword", {
    route: "PUT /accounts/:accountId/password",
    role: "operator",
    summary: "Set or remove the password of an account",
    description: "In force at once. It signs in assistants. `null` removes it.",
    payload: { accountId: AccountId, password: Schema.NullOr(Password) },
    errors: [AccountNotFound, AccountClosed]
  }),
  Operation.make("eraseAccount", {
    route: "POST /accounts/:accountId/erase",
    role: "owner",
    summary: "Erase an account, in steps",
    description:
      "Closes the account for good and erases one page of its inputs, outputs and files. Repeat it with the `round` of the answer until a round erases nothing; where `goesOn`, a server continues by itself.",
    /** `round`: the one that the previous step returned; `null` for the first step. */
    payload: { accountId: AccountId, round: Wire.orNull(Round) },
    success: ErasingStep,
    errors: [AccountNotFound]
  })
] as const
