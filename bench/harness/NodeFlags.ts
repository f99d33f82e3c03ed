import { Context } from "effect"

/** Profiling flags for the Node process of our own server. */
export const NodeFlags = Context.Reference<ReadonlyArray<string>>("inferlog/bench/NodeFlags", {
  defaultValue: () => []
})
