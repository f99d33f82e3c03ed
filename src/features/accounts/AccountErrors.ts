import { Schema } from "effect"

export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {}) {
  override readonly message = "There is no such account"
}

/** The account was erased and cannot change any more. */
export class AccountClosed extends Schema.TaggedError<AccountClosed>()("AccountClosed", {}) {
  override readonly message = "The account was erased"
}

/** A second payment with the same id and another amount. */
export class PaymentIdReused extends Schema.TaggedError<PaymentIdReused>()("PaymentIdReused", {}) {
  override readonly message = "Another amount was paid in under this payment id"
}
