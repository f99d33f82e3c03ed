/** The routes that read the whole log. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Stream } from "effect"
import { allows, Role } from "#domain/operator/Role.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import {
  AdminUrl,
  type Answer,
  call,
  layer as served,
  operator
} from "#test/support/src/edges/admin/AdminHttp.ts"
import { quiet } from "#test/support/src/edges/admin/AdministrationLayers.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- each test expects another form
const linesOf = (text: string): ReadonlyArray<any> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

layer(Layer.provide(served, quiet), { excludeTestServices: true })("The log over HTTP", (it) => {
  it.effect("is for auditors and owners", () =>
    Effect.gen(function* () {
      for (const role of Role.literals) {
        const { key } = yield* operator(role)
        const { status } = yield* call("/admin/v1/log/events?until=1", { key })
        assert.strictEqual(status, allows(role, "auditor") ? 200 : 403, role)
        if (allows(role, "auditor")) continue
        for (const path of ["/admin/v1/log/verify", "/admin/v1/log/stats", "/admin/v1/audit"]) {
          assert.strictEqual((yield* call(path, { key })).status, 403, path)
        }
      }
      for (const path of ["/admin/v1/log/events", "/admin/v1/log/verify", "/admin/v1/audit"]) {
        assert.strictEqual((yield* call(path)).status, 401, path)
      }
    })
  )

  it.effect("has every event once, of a range, a type or a stream", () =>
    Effect.gen(function* () {
      const { key, operatorId } = yield* operator("auditor")
      const head = yield* (yield* EventReader).head
      const all = linesOf((yield* call(`/admin/v1/log/events?until=${head}`, { key })).text)
      assert.deepStrictEqual(
        all.map(({ position }) => position),
        Array.from({ length: GlobalPosition.sequence(head) }, (_, index) => String(index + 1))
      )
      const rest = linesOf((yield* call(`/admin/v1/log/events?after=1&until=3`, { key })).text)
      assert.deepStrictEqual(rest, all.slice(1, 3))
      const types = yield* call(
        `/admin/v1/log/events?type=OperatorCreated&type=OperatorRevoked&stream=Operator-${operatorId}`,
        { key }
      )
      assert.deepStrictEqual(
        linesOf(types.text).map(({ type }) => type),
        ["OperatorCreated"]
      )
      for (const query of ["after=x", "follow=perhaps", "follow=true&until=1"]) {
        assert.strictEqual((yield* call(`/admin/v1/log/events?${query}`, { key })).status, 400, query)
      }
    })
  )

  it.effect("goes on with new events while it is followed", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("auditor")
      const head = yield* (yield* EventReader).head
      const url = `${yield* AdminUrl}/admin/v1/log/events?follow=true&type=OperatorCreated&after=${head}`
      const response = yield* Effect.promise(() => fetch(url, { headers: { authorization: `Key ${key}` } }))
      const made = yield* operator("viewer")
      const body = response.body
      if (body === null) return assert.fail("no body")
      const [line] = yield* Stream.fromReadableStream({
        evaluate: () => body,
        onError: (cause) => new Error("broken off", { cause })
      }).pipe(
        Stream.decodeText,
        Stream.splitLines,
        Stream.filter((text) => text !== ""),
        Stream.take(1),
        Stream.runCollect
      )
      assert.include(line ?? "", made.operatorId)
    })
  )

  it.effect("is read by sixteen at a time", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("auditor")
      const path = "/admin/v1/log/events?last=1"
      const url = `${yield* AdminUrl}${path}&follow=true`
      const leaving = new AbortController()
      // Each has begun when its first event is here.
      yield* Effect.promise(() =>
        Promise.all(
          Array.from({ length: 16 }, async () => {
            const headers = { authorization: `Key ${key}` }
            const { body, status } = await fetch(url, { headers, signal: leaving.signal })
            assert.strictEqual(status, 200)
            await body?.getReader().read()
          })
        )
      )
      const { headers, status } = yield* call(path, { key })
      assert.deepStrictEqual([status, headers.get("retry-after")], [503, "5"])
      leaving.abort()
      const after = yield* call(path, { key }).pipe(Effect.repeat({ until: ({ status }) => status !== 503 }))
      assert.strictEqual(after.status, 200)
    })
  )

  it.effect("is proved by a process beside the server, one at a time", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("auditor")
      const leaving = new AbortController()
      const url = `${yield* AdminUrl}/admin/v1/audit`
      const first = yield* Effect.promise(() =>
        fetch(url, { headers: { authorization: `Key ${key}` }, signal: leaving.signal })
      )
      const second = yield* call("/admin/v1/log/verify", { key })
      assert.deepStrictEqual([second.status, second.json.details.code], [409, "PROOF_RUNNING"])
      yield* Effect.promise(async () => {
        leaving.abort()
        await first.text().catch(() => "")
      })
      // The audit ends with its client, and only then another proof may run.
      const verified = yield* call("/admin/v1/log/verify", { key }).pipe(
        Effect.repeat({ until: ({ status }) => status !== 409 })
      )
      const result = linesOf(verified.text).at(-1)
      assert.strictEqual(result.ok, true, verified.text)
      assert.isAbove(result.report.events, 0)
      const wrong = yield* call(`/admin/v1/log/verify?expect=1:${"A".repeat(43)}`, { key })
      assert.deepInclude(linesOf(wrong.text).at(-1), { type: "result", ok: false })
      // On a busy machine, how far it is comes between any two lines.
      const audited = linesOf((yield* call("/admin/v1/audit?incremental=true", { key })).text).filter(
        ({ type }) => type !== "running"
      )
      assert.deepInclude(audited.at(-1), { type: "result", ok: true, code: 0, report: null })
      assert.deepInclude(audited.at(-2), { type: "line" })
      assert.deepInclude(audited.at(-2).line, { ok: true, accounts: 0, overdrafts: [], since: null })
      assert.include(audited.at(-1).message, "--incremental: there is no usable checkpoint of an audit")
      assert.strictEqual((yield* call("/admin/v1/log/verify?incremental=yes", { key })).status, 400)
    })
  )

  it.effect("tells how far a proof is", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("auditor")
      const isTold = ({ text }: Answer) =>
        linesOf(text).some(({ done, type, unit }) => type === "running" && done > 0 && unit === "events")
      // A proof of so few events may end before its first report is read.
      yield* call("/admin/v1/log/verify", { key }).pipe(Effect.repeat({ until: isTold }))
    })
  )

  it.effect("lists the proofs that have left a checkpoint", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("auditor")
      const verified = yield* call("/admin/v1/log/verify", { key })
      const { report } = linesOf(verified.text).at(-1)
      assert.strictEqual(report.ok, true, verified.text)
      const { json } = yield* call("/admin/v1/log/proofs", { key })
      const { digest, events, position } = report
      assert.deepInclude(json.data[0], { kind: "verify", digest, events, position })
      assert.strictEqual(json.data[0].whole.position, position)
      assert.strictEqual(json.publicKey, report.checkpoint.publicKey)
    })
  )

  it.effect("proves the balance of an account event by event", () =>
    Effect.gen(function* () {
      const owner = yield* operator("owner")
      const { key } = yield* operator("auditor")
      const send = { method: "POST", key: owner.key }
      const made = yield* call("/admin/v1/accounts", { ...send, body: { name: "acme", balance: "2" } })
      const account = `/admin/v1/accounts/${made.json.accountId}`
      yield* call(`${account}/payments`, { ...send, body: { amount: "0.5", paymentId: "p-1" } })
      const path = `${account}/balance/proof`
      const [start, opening, payment, result, ...others] = linesOf((yield* call(path, { key })).text)
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(start, { type: "start", entries: 2 })
      const stream = `Account-${made.json.accountId}`
      assert.deepInclude(opening, { type: "event", stream, event: "BalanceToppedUp", balance: "2" })
      assert.deepStrictEqual(payment.entries, [
        { kind: "topup", debit: "external", credit: `${made.json.accountId}:available`, amount: "0.5" }
      ])
      assert.deepStrictEqual(result, {
        type: "result",
        ok: true,
        events: 2,
        position: payment.position,
        balance: "2.5",
        available: "2.5",
        held: "0"
      })
      assert.deepInclude(linesOf((yield* call(`${path}?until=2020-01-01`, { key })).text).at(-1), {
        balance: "0",
        position: null
      })
      assert.strictEqual((yield* call(`${path}?until=soon`, { key })).status, 400)
      const journal = yield* call(`/admin/v1/audit/journal?account=${made.json.accountId}`, { key })
      assert.strictEqual(journal.headers.get("content-disposition"), 'attachment; filename="journal.csv"')
      const [header, ...rows] = journal.text.trimEnd().split("\r\n")
      assert.match(String(header), /^date,account,debit,/)
      assert.deepStrictEqual(
        rows.map((row) => row.split(",").at(-1)),
        [opening.position, payment.position]
      )
      const broken = yield* Effect.exit(call("/admin/v1/audit/journal?account=acc_0000000000000000", { key }))
      assert.isTrue(Exit.isFailure(broken))
      const unknown = yield* call("/admin/v1/accounts/acc_0000000000000000/balance/proof", { key })
      assert.deepStrictEqual([unknown.status, unknown.json.details.code], [404, "ACCOUNT_NOT_FOUND"])
      const viewer = yield* operator("viewer")
      assert.strictEqual((yield* call(path, { key: viewer.key })).status, 403)
    })
  )

  it.effect("has the last events of a type or a stream", () =>
    Effect.gen(function* () {
      const { key, operatorId } = yield* operator("auditor")
      const path = "/admin/v1/log/events?last=1&type=OperatorCreated"
      const [found, ...others] = linesOf((yield* call(path, { key })).text)
      assert.include(found.stream, operatorId)
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(linesOf((yield* call(`${path}&until=1`, { key })).text), [])
      assert.deepStrictEqual(linesOf((yield* call("/admin/v1/log/events?last=0", { key })).text), [])
      const ofStream = yield* call(`/admin/v1/log/events?last=5&stream=${found.stream}`, { key })
      assert.deepStrictEqual(linesOf(ofStream.text), [found])
      for (const query of ["last=x", "last=10001", "last=1&after=1"]) {
        assert.strictEqual((yield* call(`/admin/v1/log/events?${query}`, { key })).status, 400, query)
      }
    })
  )

  it.effect("is measured without a pass over it", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("auditor")
      const head = yield* (yield* EventReader).head
      const { json, status } = yield* call("/admin/v1/log", { key })
      assert.strictEqual(status, 200)
      assert.deepInclude(json, { head, events: GlobalPosition.sequence(head), position: head })
      const { key: viewer } = yield* operator("viewer")
      assert.strictEqual((yield* call("/admin/v1/log", { key: viewer })).status, 403)
    })
  )

  it.effect("rebuilds read models for operators only, as a recorded action", () =>
    Effect.gen(function* () {
      const path = "/admin/v1/projections/rebuild"
      const auditor = yield* operator("auditor")
      assert.strictEqual((yield* call(path, { key: auditor.key, method: "POST" })).status, 403)
      const { key, operatorId } = yield* operator("operator")
      const unknown = yield* call(`${path}?name=none`, { key, method: "POST" })
      assert.strictEqual(unknown.status, 400)
      assert.strictEqual((yield* call("/admin/v1/projections/verify", { key })).status, 403)
      const rebuilt = linesOf((yield* call(`${path}?name=ledger`, { key, method: "POST" })).text).at(-1)
      assert.deepInclude(rebuilt, { type: "result", ok: true, code: 0 })
      assert.deepStrictEqual(rebuilt.report.projections, ["ledger"])
      const { json } = yield* call("/admin/v1/actions?limit=20", { key: auditor.key })
      const action = json.data.find((one: { operatorId: string }) => one.operatorId === operatorId)
      assert.deepInclude(action, { action: "rebuildProjections", result: "done" })
      assert.deepStrictEqual(action.targets, { name: "ledger" })

      // The program refuses its settings.
      const wrong = Effect.acquireRelease(
        Effect.sync(() => void (process.env["EVENT_STORE"] = "none")),
        () => Effect.sync(() => void delete process.env["EVENT_STORE"])
      )
      const failed = yield* Effect.scoped(
        Effect.andThen(wrong, call(`${path}?name=ledger`, { key, method: "POST" }))
      )
      assert.deepInclude(linesOf(failed.text).at(-1), { type: "result", ok: false })
      const after = yield* call("/admin/v1/actions?limit=1", { key: auditor.key })
      assert.deepInclude(after.json.data[0], { action: "rebuildProjections", result: "failed" })
    })
  )
})
