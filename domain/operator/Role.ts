/** What an operator may do. The operation says which role it requires. */
import { Schema } from "effect"

/**
 * `viewer` reads, without payloads and secrets. `operator` also changes limits, keys, workers, the catalog and the rest of
 * the running system. `auditor` reads everything that proves the books and the log, and changes nothing. `owner` does
 * everything.
 */
export const Role = Schema.Literals(["viewer", "operator", "auditor", "owner"])
export type Role = typeof Role.Type

/** Whether an operator with `role` may do what requires `required`. Every role may do what a viewer may. */
export const allows = (role: Role, required: Role): boolean =>
  role === "owner" || role === required || required === "viewer"
