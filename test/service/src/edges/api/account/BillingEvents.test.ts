/** `GET /billing/events` (decisions, "Platform routes"): as JSON, and as CSV. */
import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { KeyId } from "#domain/Ids.ts"
import { Statements } from "#src/features/billing/Statements.ts"
import * as Callers from "#test/support/Callers.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as BilledAccount from "#test/support/src/edges/http/BilledAccount.ts"
import { accepted, assertEnvelope, call, issuesOf } from "#test/support/src/edges/http/Calls.ts"

const path = "/billing/events"
const at = Date.UTC(2026, 0, 5, 12)
const csv = { accept: "text/csv" }

interface Listed {
  readonly id: string
  readonly type: string
  readonly requestId: string | null
  readonly position: string
}

const typesOf = ({ data }: { readonly data: ReadonlyArray<Listed> }) => data.map(({ type }) => type)

const header = "id,type,requestId,modelEndpoint,amount,currency,balanceAfter,createdAt,position\r\n"

layer(TestServer.layer(), { excludeTestServices: true })("billing events", (it) => {
  it.effect("are the entries of the ledger, newest first", () =>
    Effect.gen(function* () {
      const { bill, get } = yield* BilledAccount.open("listed")
      const { position, requestId } = yield* bill({ at, hold: "0.004", cost: "0.003" })
      const { headers, json, status } = yield* get(path)
      assert.deepStrictEqual([status, headers["cache-control"], headers["vary"]], [200, "no-store", "accept"])
      const { data, ...page } = Object(json)
      assert.deepStrictEqual(page, { page: 1, limit: 20, total: 4, totalPages: 1, next: null })
      const of = { requestId, modelEndpoint: "sandbox/echo", currency: "USD" }
      const createdAt = "2026-01-05T12:00:00.000Z"
      assert.deepStrictEqual(data[0], {
        id: `bil_${position}-1`,
        type: "release",
        ...of,
        amount: "0.001",
        balanceAfter: "0.997",
        createdAt,
        position
      })
      assert.deepInclude(data[1], { id: `bil_${position}-0`, type: "charge", amount: "0.003", position })
      assert.deepInclude(data[2], { type: "hold", ...of, amount: "0.004", balanceAfter: "1", createdAt })
      assert.deepInclude(data[3], { type: "topup", requestId: null, modelEndpoint: null, amount: "1" })
    })
  )

  it.effect("are filtered by type and request", () =>
    Effect.gen(function* () {
      const { bill, json } = yield* BilledAccount.open("filtered")
      yield* bill({ at })
      const { requestId } = yield* bill({ at, cost: null })
      assert.deepStrictEqual(typesOf(yield* json(path)), ["release", "hold", "charge", "hold", "topup"])
      assert.deepStrictEqual(typesOf(yield* json(`${path}?type=hold`)), ["hold", "hold"])
      assert.deepStrictEqual(typesOf(yield* json(`${path}?type=revert`)), [])
      assert.deepStrictEqual(typesOf(yield* json(`${path}?requestId=${requestId}`)), ["release", "hold"])
      const one = yield* json(`${path}?requestId=${requestId}&type=hold&limit=1`)
      assert.deepInclude(one, { total: 1, totalPages: 1, next: null })
      assert.deepStrictEqual(one.data[0].requestId, requestId)
    })
  )

  it.effect("of an unknown request are an empty list; of another account's request they are 403", () =>
    Effect.gen(function* () {
      const requestId = yield* accepted()
      const { get, json } = yield* BilledAccount.open("stranger")
      assert.deepInclude(yield* json(`${path}?requestId=rq0000000000000000000`), { total: 0, data: [] })
      for (const headers of [{}, csv]) {
        assertEnvelope(yield* get(`${path}?requestId=${requestId}`, headers), 403)
      }
      assert.deepStrictEqual(typesOf(yield* json(path)), ["topup"])
    })
  )

  it.effect("are paginated by number and by cursor", () =>
    Effect.gen(function* () {
      const { bill, json } = yield* BilledAccount.open("paged")
      for (let count = 0; count < 4; count++) yield* bill({ at })
      const all: Array<Listed> = (yield* json(path)).data
      assert.strictEqual(new Set(all.map(({ id }) => id)).size, 9)
      const numbered = yield* Effect.forEach([1, 2, 3, 4], (page) => json(`${path}?page=${page}&limit=4`))
      assert.deepStrictEqual(
        numbered.flatMap(({ data }) => data),
        all
      )
      assert.deepInclude(numbered[2], { page: 3, limit: 4, total: 9, totalPages: 3, next: null })
      const first = yield* json(`${path}?limit=4`)
      // New entries neither shift nor repeat the following pages.
      yield* bill({ at })
      const second = yield* json(`${path}?limit=4&cursor=${first.next}`)
      const third = yield* json(`${path}?limit=4&cursor=${second.next}`)
      assert.deepStrictEqual([...first.data, ...second.data, ...third.data], all)
      assert.deepInclude(third, { page: 3, total: 11, next: null })
    })
  )

  it.effect.each([
    ["type=refund", csv, [["type", "enum"]]],
    ["requestId=short", {}, [["requestId", "pattern"]]],
    ["page=0", {}, [["page", "range"]]],
    ["limit=101", csv, [["limit", "range"]]],
    ["cursor=x", {}, [["cursor", "cursor"]]],
    [
      "type=x&limit=x",
      {},
      [
        ["type", "enum"],
        ["limit", "range"]
      ]
    ]
  ] as const)("are rejected with $0", ([query, headers, issues]) =>
    Effect.gen(function* () {
      const reply = yield* call({ path: `${path}?${query}`, headers })
      assertEnvelope(reply, 400)
      assert.deepStrictEqual(issuesOf(reply), issues)
    })
  )

  it.effect("are returned as CSV, byte for byte", () =>
    Effect.gen(function* () {
      const { bill, get, json } = yield* BilledAccount.open("as-csv", "0")
      const { position, requestId } = yield* bill({ at, hold: "0.5", cost: "0.25" })
      const hold = (yield* json(`${path}?type=hold`)).data[0].position
      const { headers, status, text } = yield* get(path, csv)
      assert.strictEqual(status, 200)
      assert.deepInclude(headers, {
        "content-type": "text/csv; charset=utf-8; header=present",
        "content-disposition": 'attachment; filename="billing-events.csv"',
        "cache-control": "no-store",
        vary: "accept",
        "x-content-type-options": "nosniff"
      })
      const rest = (balance: string) => `USD,${balance},2026-01-05T12:00:00.000Z`
      assert.strictEqual(
        text,
        header +
          `bil_${position}-1,release,${requestId},sandbox/echo,0.25,${rest("-0.25")},${position}\r\n` +
          `bil_${position}-0,charge,${requestId},sandbox/echo,0.25,${rest("-0.25")},${position}\r\n` +
          `bil_${hold}-0,hold,${requestId},sandbox/echo,0.5,${rest("0")},${hold}\r\n`
      )
    })
  )

  it.effect("are one page as CSV on request, and only the header when there are none", () =>
    Effect.gen(function* () {
      const { bill, get, head, json } = yield* BilledAccount.open("pages-as-csv", "0")
      assert.strictEqual((yield* get(path, csv)).text, header)
      for (let count = 0; count < 12; count++) yield* bill({ at })
      const lines = (text: string) => text.split("\r\n").slice(1, -1)
      const all = lines((yield* get(path, csv)).text)
      assert.lengthOf(all, 24)
      assert.deepStrictEqual(lines((yield* get(`${path}?page=1`, csv)).text), all.slice(0, 20))
      assert.deepStrictEqual(lines((yield* get(`${path}?page=2&limit=5`, csv)).text), all.slice(5, 10))
      const { next } = yield* json(`${path}?limit=7`)
      assert.deepStrictEqual(
        lines((yield* get(`${path}?cursor=${next}&limit=3`, csv)).text),
        all.slice(7, 10)
      )
      const charges = lines((yield* get(`${path}?type=charge`, csv)).text)
      assert.deepStrictEqual(
        charges,
        all.filter((line) => line.includes(",charge,"))
      )
      const { headers, status, text } = yield* head(path, csv)
      assert.deepStrictEqual(
        [status, headers["content-type"], text],
        [200, "text/csv; charset=utf-8; header=present", ""]
      )
    })
  )

  it.effect("are exported as CSV completely, as of the start, despite later entries", () =>
    Effect.gen(function* () {
      const { accountId, bill, get } = yield* BilledAccount.open("complete")
      yield* Effect.replicateEffect(bill({ at }), 1_250, { concurrency: "unbounded" })
      const { text } = yield* get(path, csv)
      const lines = text.split("\r\n").slice(1, -1)
      assert.lengthOf(lines, 2_501)
      assert.strictEqual(new Set(lines).size, 2_501)
      const { allEntries } = yield* Statements
      const caller = Callers.of(accountId, KeyId.make("complete"))
      const pages = yield* allEntries({ caller })
      const ids: Array<string> = []
      yield* Stream.runForEach(pages, (entries) =>
        Effect.andThen(
          bill({ at }),
          Effect.sync(() => {
            for (const { ordinal, position } of entries) ids.push(`bil_${position}-${ordinal}`)
          })
        )
      )
      assert.deepStrictEqual(
        ids,
        lines.map((line) => line.split(",")[0])
      )
    })
  )

  it.effect("are JSON or CSV as the Accept header prefers", () =>
    Effect.gen(function* () {
      const { get } = yield* BilledAccount.open("negotiated")
      const typeOf = Effect.fnUntraced(function* (accept: string) {
        const { headers } = yield* get(path, { accept })
        return headers["content-type"]?.split(";")[0]
      })
      for (const accept of ["text/csv", "text/*", "application/json;q=0.5, text/csv", "text/csv, */*"]) {
        assert.strictEqual(yield* typeOf(accept), "text/csv", accept)
      }
      for (const accept of ["*/*", "application/json, text/csv", "text/csv;q=0", "image/png"]) {
        assert.strictEqual(yield* typeOf(accept), "application/json", accept)
      }
    })
  )

  it.effect("are answered with 401 without a valid key", () =>
    Effect.gen(function* () {
      for (const headers of [csv, { accept: "*/*" }]) {
        assertEnvelope(yield* call({ path, headers: { ...headers, authorization: "Key none:none" } }), 401)
      }
    })
  )
})
