/** Erasing an account: part of `Administration`. */
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { AccountId } from "#domain/Ids.ts"
import { AccountNotFound } from "#src/features/accounts/Accounts.ts"
import { Round } from "#src/features/retention/AccountErasing.ts"
import { AdministrationFailed } from "../AdministrationFailed.ts"

const EraseAccount = Schema.Struct({
  accountId: AccountId,
  /** What the step before answered; `null` for the first one. */
  round: Schema.NullOr(Round)
})

export const ErasingStep = Schema.Struct({
  round: Round,
  /** Whether a server goes on by itself when no further step is asked for. */
  goesOn: Schema.Boolean
})

export const erasingOperations = RpcGroup.make(
  /** Closes the account and erases a page of its requests' data. Repeat it until a round finds nothing. */
  Rpc.make("eraseAccount", {
    payload: EraseAccount,
    success: ErasingStep,
    error: Schema.Union([AccountNotFound, AdministrationFailed])
  })
)
