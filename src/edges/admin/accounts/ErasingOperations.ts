/** Erasing an account: part of `Administration`. */
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { AccountId } from "#domain/Ids.ts"
import { AccountNotFound } from "#src/features/accounts/Accounts.ts"
import { Round } from "#src/features/retention/AccountErasing.ts"
import { AdministrationFailed } from "../AdministrationFailed.ts"

export const ErasingStep = Schema.Struct({
  round: Round,
  /** Whether a server continues the erasing without further calls. */
  goesOn: Schema.Boolean
})

export const erasingOperations = RpcGroup.make(
  /**
   * Closes the account, and erases the payloads of one page of its requests. Repeat it until a round ends that found
   * nothing.
   */
  Rpc.make("eraseAccount", {
    /** `round`: the one that the previous step returned; `null` for the first step. */
    payload: { accountId: AccountId, round: Schema.NullOr(Round) },
    success: ErasingStep,
    error: Schema.Union([AccountNotFound, AdministrationFailed])
  })
)
