/** What the world still owes a delivery: whoever was woken re-reads it and obeys this. */
import type { Delivery } from "./State.ts"

export type NextAction =
  /** Claim the next attempt and make it, not before `dueAt`, Unix time in ms. */
  | { readonly _tag: "Attempt"; readonly dueAt: number }
  /** `node` is at it: leave it alone, or count the attempt as lost when that node is gone. */
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
