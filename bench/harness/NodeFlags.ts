import { Context } from "effect"

/** Flags for the Node process of our own server: those that make a profile. */
export const NodeFlags = Context.Reference<ReadonlyArray<string>>("inferlog/bench/NodeFlags", {
  defaultValue: () => []
})
