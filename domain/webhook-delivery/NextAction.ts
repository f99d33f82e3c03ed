/** What must happen next to a delivery. A reactor that wakes reads the delivery again and does this. */
import type { Delivery } from "./State.ts"

export type NextAction =
  /** Claim and make the next attempt at or after `dueAt`, Unix time in ms. */
  | { readonly _tag: "Attempt"; readonly dueAt: number }
  /** An attempt of `node` is under way: leave it, or count it as lost if that node is gone. */
  | { readonly _tag: "AwaitAttempt"; readonly attempt: number; readonly node: string }
  | { readonly _tag: "None" }

export const nextAction = ({ isErased, phase }: Delivery): NextAction => {
  switch (phase._tag) {
    case "Pending":
      return isErased ? { _tag: "None" } : { _tag: "Attempt", dueAt: phase.nextAttemptAt }
    case "Delivering":
      return { _tag: "AwaitAttempt", attempt: phase.attempt, node: phase.node }
    case "Delivered":
    case "Failed":
      return { _tag: "None" }
  }
}

/** Whether an attempt may begin at `now`, Unix time in ms. */
export const isDue = (delivery: Delivery, now: number): boolean => {
  const action = nextAction(delivery)
  return action._tag === "Attempt" && action.dueAt <= now
}
