/**
 * The drill of `docs/operators/backup.md` with the packed file: installed in an empty folder, served, backed up under load,
 * destroyed, and restored elsewhere. A ledger of what was acknowledged stays outside.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as InstalledPackage from "#test/support/deploy/InstalledPackage.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"

const skipped = InstalledPackage.reasonToSkip()
const named = (name: string) => (skipped === null ? name : `${name} (${skipped})`)

/** Nano-USD: amounts are decimal texts, whose sums are exact in whole numbers only. */
const nano = (amount: string) => BigInt(Math.round(Number(amount) * 1e9))

const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { ...ServerProcess.authorization, "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

/** Submits from eight clients until `stop` or until the server is gone. `acknowledged` grows with each answer. */
const load = (url: string) => {
  const acknowledged: Array<string> = []
  const waiting: Array<{ readonly count: number; readonly resolve: () => void }> = []
  let serial = 0
  const client = async () => {
    for (;;) {
      const answer = await post(`${url}/sandbox/echo`, { value: serial++ }).catch(() => undefined)
      if (answer === undefined) return
      const body = (await answer.json().catch(() => undefined)) as { request_id: string } | undefined
      if (body === undefined) return
      assert.strictEqual(answer.status, 200)
      acknowledged.push(body.request_id)
      for (const { count, resolve } of waiting) if (acknowledged.length >= count) resolve()
    }
  }
  const ended = Promise.all(Array.from({ length: 8 }, client))
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      if (acknowledged.length >= count) resolve()
      else waiting.push({ count, resolve })
    })
  return { acknowledged, ended, until }
}

describe.skipIf(skipped !== null)("the installed package", () => {
  let installed: InstalledPackage.InstalledPackage
  const services: Array<InstalledPackage.Service> = []

  beforeAll(() => {
    installed = InstalledPackage.install()
  })
  afterAll(async () => {
    await Promise.all(services.map(({ kill }) => kill("SIGKILL")))
    installed.remove()
  })

  const serve = async (directory: string) => {
    const service = await installed.serve({ DATA_DIR: directory, BOOTSTRAP_BALANCE: "1000" })
    services.push(service)
    return service
  }

  const succeeds = async (args: ReadonlyArray<string>, directory: string) => {
    const { code, stderr, stdout } = await installed.run(args, {
      DATA_DIR: directory,
      BACKUP_PASSPHRASE: "twelve characters or more"
    })
    assert.strictEqual(code, 0, stderr)
    return stdout
  }

  it(named("reads a picture, and goes on after a restart"), async () => {
    const directory = path.join(installed.folder, "first")
    const service = await serve(directory)
    const example = fs.readFileSync(path.join(ServerProcess.root, "examples/ocr.json"), "utf8")
    const answer = await post(`${service.url}/vision/ocr`, JSON.parse(example), { prefer: "wait=30" })
    const read = (await answer.json()) as { id: string; output: { text: string } }
    assert.include(read.output.text, "The quick brown fox")
    assert.strictEqual(await service.kill("SIGTERM"), 0)

    const again = await serve(directory)
    const kept = await fetch(`${again.url}/requests/${read.id}`, { headers: ServerProcess.authorization })
    assert.strictEqual(((await kept.json()) as { status: string }).status, "COMPLETED")
    assert.strictEqual(await again.kill("SIGTERM"), 0)
    await succeeds(["log", "verify"], directory)
  })

  it(named("loses nothing acknowledged when it is destroyed and restored elsewhere"), async () => {
    const data = path.join(installed.folder, "data")
    const target = path.join(installed.folder, "backup")
    const elsewhere = path.join(installed.folder, "elsewhere")
    const service = await serve(data)
    const clients = load(service.url)

    await clients.until(100)
    await succeeds(["backup", target], data)
    await clients.until(clients.acknowledged.length + 100)
    const ledger = [...clients.acknowledged]
    const backup = JSON.parse(await succeeds(["backup", target, "--json"], data))
    assert.strictEqual(backup.kind, "increment")
    // Still under load.
    await clients.until(clients.acknowledged.length + 10)
    await service.kill("SIGKILL")
    await clients.ended
    fs.rmSync(data, { recursive: true })

    const restored = JSON.parse(await succeeds(["restore", target, "--json"], elsewhere))
    assert.deepStrictEqual([restored.position, restored.digest], [backup.position, backup.digest])
    await succeeds(["log", "verify", "--expect", `${backup.position}:${backup.digest}`], elsewhere)

    const again = await serve(elsewhere)
    const ask = async (route: string) =>
      (await (
        await fetch(`${again.url}${route}`, { headers: ServerProcess.authorization })
      ).json()) as Record<string, string>
    for (const id of ledger) {
      // Runs that the last server left behind are started again.
      let status = "IN_QUEUE"
      while (status === "IN_QUEUE" || status === "IN_PROGRESS") {
        status = (await ask(`/sandbox/echo/requests/${id}/status?wait=30`))["status"] ?? "unknown"
      }
      assert.strictEqual(status, "COMPLETED", id)
      const { billingStatus, cost } = await ask(`/requests/${id}`)
      assert.deepStrictEqual([billingStatus, cost], ["charged", "0.001"], id)
    }
    const books = JSON.parse(await succeeds(["balance", "show", "--json"], elsewhere))
    assert.strictEqual(await again.kill("SIGTERM"), 0)
    await succeeds(["audit"], elsewhere)
    const events = (await succeeds(["log", "export", "--type", "RequestCompleted"], elsewhere))
      .trim()
      .split("\n")
    assert.isAtLeast(events.length, ledger.length)
    assert.isAtMost(Number(nano("1000") - nano(books.balance)), events.length * 1e6)
    assert.isAtLeast(Number(nano("1000") - nano(books.balance)), ledger.length * 1e6)
  })
})
