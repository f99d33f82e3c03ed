import { Context } from "effect"

/** Profiling flags for the Node process of a subject of ours or a floor. */
export const NodeFlags = Context.Reference<ReadonlyArray<string>>("inferlog/bench/NodeFlags", {
  defaultValue: () => []
})
