/** `GET /admin/v1/accounts/{accountId}/balance/proof`: the events that an account's balance follows from, as lines of JSON. */
import { Effect, Schema, Stream } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { AccountId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as Period from "#src/features/billing/audit/Period.ts"
import { BalanceProof, type Proven } from "#src/features/billing/proof/BalanceProof.ts"
import type { Balance, ProvenEvent } from "#src/features/billing/proof/ProvenBalance.ts"
import type { Operator } from "#src/features/operators/Operator.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { invalid, lines, streamed } from "../log/Lines.ts"
import { permit } from "../Permit.ts"

const endpoint = HttpApiEndpoint.get("admin.proveBalance", "/admin/v1/accounts/:accountId/balance/proof", {
  params: { accountId: Schema.String.annotate({ description: "`acc_…`" }) },
  query: {
    until: ListParameters.text("Ends before the first event after this time; without it, at the end.", {
      type: "string",
      format: "date-time"
    })
  },
  success: lines(
    'First `{ type: "start", entries }`, then a line `{ type: "event", … }` for each event that moved money, with its place, hash and data (`text`, as it was hashed), the events before it in its stream that came with none (`before`), its `entries`, and the money after it. Last `{ type: "result", ok: true, events, position, balance, available, held }`, or `ok: false` with the `position`, the `rule` and the `reason` of the first break.'
  ),
  error: [...CommonResponses.usual, CommonResponses.notFound]
})
  .annotate(OpenApi.Identifier, "proveBalance")
  .annotate(OpenApi.Summary, "Prove the balance of an account event by event")
  .annotate(
    OpenApi.Description,
    "Hashes each event again from the first one of its stream, books it, and compares every entry and the balance with the read model. Which events are the account's comes from the read model; `GET /admin/v1/audit` proves that it leaves none out.\n\nRole: `auditor`."
  )

const line = (value: object): string => `${JSON.stringify(value)}\n`

const linkOf = ({ hash, id, ordinal, position, text, time, type }: RecordedEvent) => ({
  position,
  ordinal,
  id,
  event: type,
  time,
  hash,
  text
})

/** Texts of USD. */
const amountsOf = ({ available, held }: Balance) => ({
  balance: Money.format(Money.NanoUsd.make(available + held)),
  available: Money.format(available),
  held: Money.format(held)
})

const eventLine = (proven: ProvenEvent): string =>
  line({
    type: "event",
    stream: proven.event.stream,
    ...linkOf(proven.event),
    before: proven.before.map(linkOf),
    entries: proven.entries.map(({ amount, credit, debit, kind }) => ({
      kind,
      debit,
      credit,
      amount: Money.format(amount)
    })),
    ...amountsOf(proven)
  })

const textsOf = ({ balance, entries, events }: Proven): Stream.Stream<string> => {
  let count = 0
  let position: string | null = null
  const proven = Stream.map(events, (one) => {
    count++
    position = one.event.position
    return eventLine(one)
  })
  const result = Stream.sync(() =>
    line({ type: "result", ok: true, events: count, position, ...amountsOf(balance()) })
  )
  return Stream.make(line({ type: "start", entries })).pipe(
    Stream.concat(proven),
    Stream.concat(result),
    Stream.catch((error) =>
      Stream.make(
        line({
          type: "result",
          ok: false,
          position: error._tag === "AuditFailed" ? error.position : null,
          rule: error._tag === "AuditFailed" ? error.invariant : null,
          reason: error._tag === "AuditFailed" ? error.reason : error.message
        })
      )
    )
  )
}

const isAccount = Schema.is(AccountId)

const notFound = ErrorAnswer.coded(404, "ACCOUNT_NOT_FOUND", "There is no such account")

/** Proofs at a time, on each node. */
const mostProofs = 4

const tooMany = ErrorAnswer.busy(`This node proves ${mostProofs} balances already.`, 5)

const untilOf = (given: string | undefined) => {
  if (given === undefined) return Effect.succeed(null)
  const until = Period.parseTime(given)
  return until === null
    ? invalid("until", "must be a date, or a date and time such as 2026-07-01T00:00:00Z")
    : Effect.succeed(until)
}

export const proveBalance = Route.prepared(
  endpoint,
  Effect.map(BalanceProof, ({ prove }) => {
    let open = 0
    const place = Effect.acquireRelease(
      Effect.sync(() => void open++),
      () => Effect.sync(() => void open--)
    )
    return Effect.fnUntraced(function* ({ params, query }: Route.Call<typeof endpoint>, operator: Operator) {
      yield* permit(operator, "auditor")
      const { accountId } = params
      if (!isAccount(accountId)) return yield* notFound
      const until = yield* untilOf(query.until)
      if (open >= mostProofs) return yield* tooMany
      const proven = yield* prove({ accountId, until }).pipe(
        Effect.catchTag("AccountNotFound", () => Effect.fail(notFound))
      )
      return streamed(Stream.unwrap(Effect.as(place, textsOf(proven))))
    })
  })
)
