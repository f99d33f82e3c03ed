/** Receives each read of a payload that is lost or damaged. */
import { Context } from "effect"

/** Must neither wait nor throw. */
export const PayloadDamage = Context.Reference<() => void>("inferlog/streams/PayloadDamage", {
  defaultValue: () => () => {}
})
