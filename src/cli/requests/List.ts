import { Console, Effect, Option, Struct } from "effect"
import { Command, Flag } from "effect/cli"
import { Status } from "#domain/inference-request/Status.ts"
import * as Money from "#domain/Money.ts"
import type { HistoryItem } from "#projections/history/HistoryItem.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { mostListed } from "#src/edges/admin/Wire.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"

const flags = {
  account: Flags.account("Only requests of this account").pipe(Flag.optional),
  model: Flags.model,
  status: Flag.Literals("status", Status.literals).pipe(
    Flag.withDescription("Only requests that have this status now"),
    Flag.optional
  ),
  limit: Flags.count("limit", `Most requests to list, from 1 to ${mostListed}`, {
    from: 1,
    to: mostListed,
    byDefault: 20
  }),
  after: Flag.String("after").pipe(
    Flag.withMetavar("request-id"),
    Flag.withDescription("Only requests after this one in the list: the last one of the previous page"),
    Flag.filterMap(...Flags.requestId),
    Flag.optional
  )
}

/** Duration of the run that ended the request, ms. */
const duration = ({ endedAt, inferenceMs, runStartedAt }: HistoryItem): number | null =>
  inferenceMs ?? (endedAt === null || runStartedAt === null ? null : Math.max(endedAt - runStartedAt, 0))

const forPrograms = (item: HistoryItem) => ({
  ...Struct.pick(item, ["requestId", "accountId", "model", "status", "outcome", "error"]),
  createdAt: Output.time(item.createdAt),
  startedAt: Output.timeOrNull(item.startedAt),
  endedAt: Output.timeOrNull(item.endedAt),
  inferenceMs: duration(item),
  billingStatus: item.billingStatus,
  cost: item.amount === null ? null : Money.format(item.amount),
  metadata: item.metadata
})

const forPeople = (item: HistoryItem) => [
  item.requestId,
  item.model,
  item.accountId,
  item.status,
  item.outcome,
  Output.time(item.createdAt),
  Output.milliseconds(duration(item)),
  item.amount === null ? "-" : `$${Money.format(item.amount)}`
]

const header = ["REQUEST", "MODEL", "ACCOUNT", "STATUS", "OUTCOME", "CREATED", "RUN", "COST"]

export const list = Command.make(
  "list",
  { ...flags, json: Output.json },
  Effect.fnUntraced(function* ({ account, after, json, limit, model, status }) {
    const { data: requests, next } = yield* (yield* Administration).listRequests({
      after: Option.getOrNull(after),
      limit,
      ...(Option.isSome(account) && { accountId: account.value }),
      ...(Option.isSome(model) && { model: model.value }),
      ...(Option.isSome(status) && { status: status.value })
    })
    if (json) return yield* Output.printJson({ requests: requests.map(forPrograms), next })
    if (requests.length === 0) return yield* Console.error("No request matches.")
    yield* Console.log(Output.table(header, requests.map(forPeople)))
    if (next !== null) yield* Console.error(`There are more requests: add --after ${next}`)
  })
).pipe(
  Command.withDescription("List requests of all accounts with their current state, newest first"),
  Command.withShortDescription("List requests, newest first"),
  Command.withExamples([
    { command: "inferlog requests list --status FAILED --limit 50" },
    { command: "inferlog requests list --model sandbox/echo --json" }
  ])
)
