/** The wire form of a balance (decisions, "Platform routes"). */
import { Schema } from "effect"
import { format, type NanoUsd } from "#domain/Money.ts"
import type { AccountBalance } from "../Statements.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as MoneyView from "#src/platform/views/MoneyView.ts"

export const BalanceBody = Schema.Struct({
  balance: MoneyView.Money.annotate({
    description: "Top-ups minus charges, including reservations."
  }),
  reserved: MoneyView.Money.annotate({ description: "Reserved for requests that have not ended." }),
  available: MoneyView.Money.annotate({
    description: "The balance minus reservations. Negative when a credit limit is used."
  }),
  creditLimit: MoneyView.Money.annotate({
    description: "How far below zero `available` may go."
  }),
  currency: MoneyView.Currency,
  updatedAt: Schema.NullOr(DateTime.DateTime).annotate({
    description: "Of the last billing event; null without one."
  })
}).annotate({
  identifier: "Balance",
  description: "What the account has.",
  examples: [
    {
      balance: "24.9875",
      reserved: "0.002",
      available: "24.9855",
      creditLimit: "0",
      currency: "USD",
      updatedAt: "2026-01-05T12:00:00.000Z"
    },
    { balance: "0", reserved: "0", available: "0", creditLimit: "0", currency: "USD", updatedAt: null }
  ]
})

/** @param creditLimit of the account. */
export const of = (
  { available, balance, reserved, updatedAt }: AccountBalance,
  creditLimit: NanoUsd
): typeof BalanceBody.Type => ({
  balance: format(balance),
  reserved: format(reserved),
  available: format(available),
  creditLimit: format(creditLimit),
  currency: MoneyView.currency,
  updatedAt: DateTime.formatNullable(updatedAt)
})
