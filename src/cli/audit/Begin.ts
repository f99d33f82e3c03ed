/** Where an audit begins: at the newest checkpoint from which the whole period can be shown, or at the first event. */
import { Effect } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import type { Resumed } from "#src/features/billing/audit/Auditor.ts"
import * as Period from "#src/features/billing/audit/Period.ts"
import * as Statement from "#src/features/billing/audit/Statement.ts"
import * as StoredState from "#src/features/billing/audit/StoredState.ts"
import * as Checkpoints from "#src/platform/checkpoints/Checkpoints.ts"
import * as Checkpointing from "#src/cli/log/Checkpointing.ts"

export interface Beginning {
  readonly from: Checkpoints.Found
  readonly resumed: Resumed
}

interface Wanted {
  readonly period: Period.Period
  /** Whether each entry of the period is shown, instead of their sums. */
  readonly hasEntries: boolean
}

/** Whether the output needs none of the events that the checkpoint covers, or only their sums. */
const isEnough = ({ hasEntries, period }: Wanted, { latest }: Resumed): boolean => {
  const place = Period.placeOf(period, latest)
  return place === "before" || (place === "within" && !hasEntries)
}

/** `null` to begin at the first event. */
export const find = Effect.fn("Begin.find")(function* (
  place: Checkpoints.Place,
  found: ReadonlyArray<Checkpoints.Found>,
  wanted: Wanted
): Effect.fn.Return<Beginning | null> {
  let isTooLate = false
  for (const from of found.filter(({ facts }) => facts.kind === "audit")) {
    if (from.facts.state?.rules !== StoredState.rules) {
      yield* Checkpoints.refuse(from.name, "this release audits by other rules")
      continue
    }
    const bytes = Checkpoints.readState(place, from)
    const resumed = bytes && StoredState.decode(bytes)
    if (resumed === null) yield* Checkpoints.refuse(from.name, "its state is damaged")
    else if (isEnough(wanted, resumed)) return { from, resumed }
    else isTooLate = true
  }
  yield* Checkpointing.warnOfWhole(
    isTooLate
      ? "the checkpoints have only sums of what the period shows"
      : "there is no usable checkpoint of an audit"
  )
  return null
})

/** The rows of a statement as of the checkpoint. */
export function* rowsOf(
  beginning: Beginning | null,
  period: Period.Period,
  account: AccountId | null
): Iterable<readonly [AccountId, Statement.Row]> {
  if (beginning === null) return
  const { accounts, latest } = beginning.resumed
  const isWithin = Period.placeOf(period, latest) === "within"
  for (const [accountId, facts] of accounts) {
    if (account === null || account === accountId) yield [accountId, Statement.carried(facts, isWithin)]
  }
}
