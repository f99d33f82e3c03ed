/** Limits as commands print them. */
import * as Money from "#domain/Money.ts"
import type { AccountLimits } from "#src/admin/accounts/AccountOperations.ts"
import * as Output from "../Output.ts"

type Limits = typeof AccountLimits.Type

/** `maxOpenRequests`: `null` for any number. */
export const forPrograms = ({ creditLimit, maxOpenRequests }: Limits) => ({
  creditLimit: Money.format(creditLimit),
  maxOpenRequests
})

export const openRequests = ({ maxOpenRequests }: Limits): string =>
  maxOpenRequests === null ? "any number" : Output.count(maxOpenRequests)
