/** Tool calls that are under way at once. They wait more than they work: a thousand that wait take some 90 MiB. */
import { Context } from "effect"

export interface Limits {
  /** A user of many agents has many that wait. */
  readonly ofAccount: number
  /** Of this node, whatever the account. */
  readonly inAll: number
}

export const CallLimits = Context.Reference<Limits>("inferlog/src/edges/mcp/routes/CallLimits", {
  defaultValue: () => ({ ofAccount: 1_200, inAll: 3_000 })
})
