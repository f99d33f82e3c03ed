/** Erasing an account: part of `Administration`. */
import { type Effect, Schema } from "effect"
import { AccountId } from "#domain/Ids.ts"
import type { AccountNotFound } from "#src/features/accounts/Accounts.ts"
import { Round } from "#src/features/retention/AccountErasing.ts"
import type { AdministrationFailed } from "../Administration.ts"

export const EraseAccount = Schema.Struct({
  accountId: AccountId,
  /** What the step before answered; `null` for the first one. */
  round: Schema.NullOr(Round)
})

export const ErasingStep = Schema.Struct({
  round: Round,
  /** Whether a server goes on by itself when no further step is asked for. */
  goesOn: Schema.Boolean
})

export interface ErasingOperations {
  /**
   * Closes the account, and erases a page of what its requests carried. To be repeated until a round is over that has
   * found nothing.
   */
  eraseAccount(
    options: typeof EraseAccount.Type
  ): Effect.Effect<typeof ErasingStep.Type, AccountNotFound | AdministrationFailed>
}
