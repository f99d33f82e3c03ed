/**
 * The drill of `docs/operators/backup.md` with the packed program: backed up under load, destroyed, and restored elsewhere. A
 * ledger of what was acknowledged stays outside.
 */
import * as fs from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { assert } from "@effect/vitest"
import { Schema } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as Installed from "./Installed.ts"

/** Acknowledged before each backup. Longer: BACKUP_REQUESTS=20000. */
const requests = Number(process.env["BACKUP_REQUESTS"] ?? 40)

/** Between two submits of a client: what is acknowledged is read back, one by one. */
const pauseMs = 50

const opening = 10_000_000_000n
const price = 1_000_000n

/** Nano-USD. */
const nano = (amount: string) => BigInt(Math.round(Number(amount) * 1e9))

const decodeAccepted = Schema.decodeUnknownSync(Schema.Struct({ request_id: Schema.String }))
const decodeStatus = Schema.decodeUnknownSync(Schema.Struct({ status: Schema.String }))
const decodeEnded = Schema.decodeUnknownSync(
  Schema.Struct({ billingStatus: Schema.String, cost: Schema.String })
)
const decodeEnd = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      kind: Schema.optionalKey(Schema.String),
      position: Schema.String,
      digest: Schema.String
    })
  )
)
const decodeBalance = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ balance: Schema.String }))
)

/** Submits from eight clients until the server is gone. `acknowledged` grows with each answer. */
const load = (url: string) => {
  const acknowledged: Array<string> = []
  const waiting: Array<{ readonly count: number; readonly resolve: () => void }> = []
  let serial = 0
  const submit = async () => {
    const response = await fetch(`${url}/sandbox/echo`, {
      method: "POST",
      headers: { ...ServerProcess.authorization, "content-type": "application/json" },
      body: JSON.stringify({ value: serial++ })
    })
    return response.ok ? decodeAccepted(await response.json()).request_id : undefined
  }
  const client = async () => {
    for (;;) {
      const id = await submit().catch(() => undefined)
      if (id === undefined) return
      acknowledged.push(id)
      for (const { count, resolve } of waiting) if (acknowledged.length >= count) resolve()
      await delay(pauseMs)
    }
  }
  const ended = Promise.all(Array.from({ length: 8 }, client))
  /** Resolves when so many more are acknowledged. */
  const more = (count: number) =>
    new Promise<void>((resolve) => waiting.push({ count: acknowledged.length + count, resolve }))
  return { acknowledged, ended, more }
}

export const run = async (installed: Installed.Installed): Promise<void> => {
  const succeeds = async (args: ReadonlyArray<string>, data: string) => {
    const { code, stderr, stdout } = await Installed.run(installed, process.execPath, args, {
      DATA_DIR: `${installed.folder}/${data}`,
      BACKUP_PASSPHRASE: "twelve characters or more"
    })
    assert.strictEqual(code, 0, stderr)
    return stdout
  }
  const target = `${installed.folder}/backup`

  const server = await Installed.serve(installed, process.execPath, "destroyed")
  const clients = load(server.url)
  await clients.more(requests)
  await succeeds(["backup", target], "destroyed")
  await clients.more(requests)
  const ledger = [...clients.acknowledged]
  const backup = decodeEnd(await succeeds(["backup", target, "--json"], "destroyed"))
  assert.strictEqual(backup.kind, "increment")
  // Still under load.
  await clients.more(10)
  await server.kill()
  await clients.ended
  fs.rmSync(`${installed.folder}/destroyed`, { recursive: true })

  const restored = decodeEnd(await succeeds(["restore", target, "--json"], "elsewhere"))
  assert.deepStrictEqual([restored.position, restored.digest], [backup.position, backup.digest])
  await succeeds(["log", "verify", "--expect", `${backup.position}:${backup.digest}`], "elsewhere")

  const again = await Installed.serve(installed, process.execPath, "elsewhere")
  const ask = async (route: string): Promise<unknown> =>
    (await fetch(`${again.url}${route}`, { headers: ServerProcess.authorization })).json()
  for (const id of ledger) {
    // Runs that the last server left behind are started again.
    let status = "IN_QUEUE"
    while (status === "IN_QUEUE" || status === "IN_PROGRESS") {
      ;({ status } = decodeStatus(await ask(`/sandbox/echo/requests/${id}/status?wait=30`)))
    }
    assert.strictEqual(status, "COMPLETED", id)
    const { billingStatus, cost } = decodeEnded(await ask(`/requests/${id}`))
    assert.deepStrictEqual([billingStatus, cost], ["charged", "0.001"], id)
  }
  assert.strictEqual(await again.stop(), 0)
  await succeeds(["audit"], "elsewhere")
  const charges = (await succeeds(["log", "export", "--type", "RequestCompleted"], "elsewhere"))
    .trim()
    .split("\n")
  const { balance } = decodeBalance(await succeeds(["balance", "show", "--json"], "elsewhere"))
  assert.isAtLeast(charges.length, ledger.length)
  assert.strictEqual(opening - nano(balance), BigInt(charges.length) * price)
}
