/** Told of each read of a payload that is lost, or is not what its event says. */
import { Context } from "effect"

/** It must neither wait nor throw. */
export const PayloadDamage = Context.Reference<() => void>("inferlog/streams/PayloadDamage", {
  defaultValue: () => () => {}
})
