import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { ListedAction } from "#projections/operators/OperatorViews.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { mostListed } from "#src/edges/admin/Wire.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"

const flags = {
  operator: Flag.String("operator").pipe(
    Flag.withMetavar("op_…"),
    Flag.withDescription("Only actions of this operator; also socket or local"),
    Flag.optional
  ),
  limit: Flags.count("limit", `Most actions to list, from 1 to ${mostListed}`, {
    from: 1,
    to: mostListed,
    byDefault: 20
  }),
  after: Flag.String("after").pipe(
    Flag.withMetavar("action-id"),
    Flag.withDescription("Only actions after this one in the list: `next` of the previous page"),
    Flag.optional
  )
}

const forPrograms = ({ endedAt, startedAt, ...action }: ListedAction) => ({
  ...action,
  startedAt: Output.time(startedAt),
  endedAt: Output.timeOrNull(endedAt)
})

const texts = (targets: ListedAction["targets"]): string =>
  Object.entries(targets)
    .map(([name, text]) => `${name}=${text}`)
    .join(" ")

const forPeople = ({ code, made, result, targets, ...action }: ListedAction) => [
  Output.time(action.startedAt),
  action.operatorName,
  action.operatorId,
  action.action,
  texts({ ...targets, ...made }),
  code === null ? (result ?? "unknown") : `${result}: ${code}`
]

const header = ["TIME", "NAME", "OPERATOR", "ACTION", "TARGETS", "RESULT"]

export const actions = Command.make(
  "actions",
  { ...flags, json: Output.json },
  Effect.fnUntraced(function* ({ after, json, limit, operator }) {
    const { data, next } = yield* (yield* Administration).listActions({
      after: Option.getOrNull(after),
      limit,
      ...(Option.isSome(operator) && { operatorId: operator.value })
    })
    if (json) return yield* Output.printJson({ actions: data.map(forPrograms), next })
    if (data.length === 0) return yield* Console.error("There are no actions.")
    yield* Console.log(Output.table(header, data.map(forPeople)))
    if (next !== null) yield* Console.error(`There are more actions: add --after ${next}`)
  })
).pipe(
  Command.withDescription(
    "List what operators did, newest first. A result that is unknown belongs to an action under way, or to one that was cut off"
  ),
  Command.withShortDescription("List what operators did, newest first"),
  Command.withExamples([
    { command: "inferlog operators actions --operator op_0123456789abcdef" },
    { command: "inferlog operators actions --limit 100 --json", description: "{ actions, next }" }
  ])
)
