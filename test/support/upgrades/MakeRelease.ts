/**
 * Makes the fixture of a release: a data directory as its program leaves it, and what its API said about it.
 * `node test/support/upgrades/MakeRelease.ts PROGRAM VERSION`, where PROGRAM is a checkout of the release, with its packages.
 */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as http from "node:http"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import * as Until from "#test/support/Until.ts"

const [program = ".", version = ""] = process.argv.slice(2)
const target = path.resolve(import.meta.dirname, "../../fixtures/releases", version)
const data = fs.mkdtempSync(path.join(os.tmpdir(), "inferlog-release-"))
const port = 18_980
const url = `http://127.0.0.1:${port}`
const headers = { authorization: "Key test:0123456789abcdef", "content-type": "application/json" }
const env = {
  PATH: process.env["PATH"],
  DATA_DIR: data,
  HOST: "127.0.0.1",
  PORT: String(port),
  BASE_URL: url,
  BOOTSTRAP_API_KEY: "test:0123456789abcdef",
  BOOTSTRAP_BALANCE: "1000",
  ALLOW_PRIVATE_TARGETS: "true",
  RETENTION: "520 weeks"
}

const command = (...args: ReadonlyArray<string>) =>
  childProcess.execFileSync(process.execPath, ["bin/inferlog.js", ...args], {
    cwd: program,
    env,
    encoding: "utf8"
  })

const until = <A>(attempt: () => Promise<A | undefined>): Promise<A> =>
  Effect.runPromise(
    Until.answers(async () => {
      const found = await attempt()
      if (found === undefined) throw new Error("not yet")
      return found
    }, Until.processes)
  )

const text = async (path: string) => (await fetch(`${url}${path}`, { headers })).text()

const submit = async (model: string, input: object, more: Readonly<Record<string, string>> = {}) => {
  const body = JSON.stringify(input)
  const response = await fetch(`${url}/${model}`, { method: "POST", headers: { ...headers, ...more }, body })
  const [, id = ""] = /"(?:request_)?id":"([^"]+)"/.exec(await response.text()) ?? []
  if (!response.ok || id === "") throw new Error(`${model} was refused: ${response.status}`)
  return id
}

const ended = (id: string) =>
  until(async () => {
    const request = await text(`/requests/${id}`)
    return /"status":"(?:COMPLETED|FAILED|CANCELED|CANCELLED)"/.test(request) ? request : undefined
  })

let posts = 0
const receiver = http.createServer((request, response) => {
  posts += 1
  request.resume()
  response.writeHead(204).end()
})
receiver.listen(0, "127.0.0.1")
await once(receiver, "listening")
const address = receiver.address()
const webhook = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`

const server = childProcess.spawn(process.execPath, ["bin/inferlog.js", "serve"], {
  cwd: program,
  env,
  stdio: "ignore"
})
process.once("exit", () => server.kill())
await until(async () => ((await fetch(`${url}/health`)).ok ? true : undefined))

const ids = [
  await submit("sandbox/echo", { value: { kept: "as it was" } }, { "idempotency-key": "release" }),
  await submit("sandbox/echo", { value: "x".repeat(70_000) }),
  await submit("sandbox/echo", { value: "told", webhook }),
  await submit("sandbox/flaky", { failures: 1 }),
  await submit("sandbox/flaky", { failures: 10 }),
  await submit("vision/ocr", JSON.parse(fs.readFileSync(path.join(program, "examples/ocr.json"), "utf8"))),
  await submit("vision/ocr", { image: "data:image/png;base64,AAAA" })
]
const cancelled = await submit("sandbox/slow", { seconds: 60 })
for (const method of ["PUT", "POST"]) {
  await fetch(`${url}/sandbox/slow/requests/${cancelled}/cancel`, { method, headers })
}
const requests: Record<string, unknown> = {}
for (const id of [...ids, cancelled]) requests[id] = JSON.parse(await ended(id))
await until(async () => (posts > 0 ? true : undefined))
await until(async () => ((await text("/webhooks/deliveries")).includes('"delivered"') ? true : undefined))

const announced = await fetch(`${url}/storage/upload/initiate`, {
  method: "POST",
  headers,
  body: JSON.stringify({ file_name: "note.txt", content_type: "text/plain" })
})
const upload = await announced.text()
const [, file_url = ""] = /"file_url":"([^"]+)"/.exec(upload) ?? []
const [, upload_url = ""] = /"upload_url":"([^"]+)"/.exec(upload) ?? []
await fetch(upload_url, { method: "PUT", headers: { "content-type": "text/plain" }, body: "kept for later" })

command("keys", "create", "--name", "ci")
command("accounts", "create", "--name", "second", "--balance", "5")
server.kill("SIGTERM")
await once(server, "exit")
receiver.close()

const accounts = command("accounts", "list", "--json")
fs.mkdirSync(target, { recursive: true })
const expected = { requests, file: { path: new URL(file_url).pathname, text: "kept for later" }, accounts }
fs.writeFileSync(path.join(target, "expected.json"), `${JSON.stringify(expected, null, 1)}\n`)
const left = ["--exclude=./tmp", "--exclude=./lock", "--exclude=./admin.sock"]
const archive = path.join(target, "data.tar.xz")
childProcess.execFileSync("tar", ["-cJf", archive, ...left, "--owner=0", "--group=0", "-C", data, "."])
fs.rmSync(data, { recursive: true })
