/** Limits of concurrent tool calls. Calls mostly wait: a thousand waiting ones take some 90 MiB. */
import { Context } from "effect"

export interface Limits {
  /** High enough for a user of many agents. */
  readonly ofAccount: number
  /** Of this node, for all accounts. */
  readonly inAll: number
}

export const CallLimits = Context.Reference<Limits>("inferlog/src/edges/mcp/routes/CallLimits", {
  defaultValue: () => ({ ofAccount: 1_200, inAll: 3_000 })
})
