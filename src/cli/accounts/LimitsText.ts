/** Limits as commands print them. */
import * as Money from "#domain/Money.ts"
import type { AccountLimits } from "#src/admin/accounts/AccountOperations.ts"
import * as ByteSize from "#src/files/ByteSize.ts"
import * as Output from "../Output.ts"

type Limits = typeof AccountLimits.Type

/** `maxOpenRequests`: `null` for any number. `maxStoredBytes`: `null` for as many as `STORAGE_QUOTA` says. */
export const forPrograms = ({ creditLimit, maxOpenRequests, maxStoredBytes }: Limits) => ({
  creditLimit: Money.format(creditLimit),
  maxOpenRequests,
  maxStoredBytes
})

export const openRequests = ({ maxOpenRequests }: Limits): string =>
  maxOpenRequests === null ? "any number" : Output.count(maxOpenRequests)

export const stored = ({ maxStoredBytes }: Limits): string =>
  maxStoredBytes === null ? "default" : ByteSize.format(maxStoredBytes)
