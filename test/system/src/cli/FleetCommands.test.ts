/** The commands about nodes, workers and providers, on two nodes of one log. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as Until from "#test/support/Until.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as TestBrowser from "#test/support/src/edges/sso/TestBrowser.ts"
import * as TestIssuer from "#test/support/src/edges/sso/TestIssuer.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const model = (name: string, provider: object) => ({
  kind: "model",
  name,
  displayName: name,
  category: "utility",
  provider,
  concurrency: 8,
  pricing: { unit: "request", unitPrice: "0.001" },
  inputSchema: { type: "object" },
  outputSchema: { type: "object" },
  exampleInput: {}
})

const Nodes = Schema.Array(
  Schema.Struct({
    nodeId: Schema.String,
    isSelf: Schema.Boolean,
    state: Schema.String,
    address: Schema.NullOr(Schema.String),
    release: Schema.NullOr(Schema.String),
    runs: Schema.NullOr(Schema.Int),
    models: Schema.Array(Schema.Struct({ model: Schema.String, runs: Schema.Int, share: Schema.Int })),
    projections: Schema.Array(Schema.Struct({ name: Schema.String, behind: Schema.NullOr(Schema.Int) }))
  })
)

const Keys = Schema.Array(
  Schema.Struct({
    keyId: Schema.String,
    workers: Schema.Array(
      Schema.Struct({
        workerId: Schema.NullOr(Schema.String),
        version: Schema.NullOr(Schema.String),
        state: Schema.String,
        nodeId: Schema.String,
        models: Schema.NullOr(Schema.Array(Schema.String)),
        jobs: Schema.Int
      })
    )
  })
)

const Providers = Schema.Array(
  Schema.Struct({
    name: Schema.String,
    models: Schema.Array(Schema.String),
    nodes: Schema.Array(
      Schema.Struct({
        nodeId: Schema.String,
        circuit: Schema.String,
        why: Schema.NullOr(Schema.String),
        nextTryAt: Schema.NullOr(Schema.String),
        failures: Schema.Int
      })
    )
  })
)

const post = (
  { url }: ServerProcess.ServerProcess,
  route: string,
  body: object,
  headers: Readonly<Record<string, string>> = ServerProcess.authorization
) =>
  Effect.promise(() =>
    fetch(url + route, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
  )

/** Repeats the command until its answer is as expected. */
const until = <A>(ask: Effect.Effect<A>, isSo: (answer: A) => boolean) =>
  Until.polled("the expected answer", ask, isSo, Until.processes)

const started = Effect.gen(function* () {
  const { url } = yield* NatsServer.make()
  const parent = yield* TempDirectory.make
  const models = path.join(parent, "models")
  fs.mkdirSync(models)
  fs.writeFileSync(path.join(models, "up.json"), JSON.stringify(model("acme/up", { adapter: "pull" })))
  const away = { name: "gpu-box", adapter: "http", url: "http://127.0.0.1:9/run" }
  fs.writeFileSync(path.join(models, "away.json"), JSON.stringify(model("acme/away", away)))
  const ports = {
    one: yield* Effect.promise(() => ServerProcess.freePort()),
    two: yield* Effect.promise(() => ServerProcess.freePort())
  }
  const adminUrl = `http://127.0.0.1:${ports.one}`
  const issuer = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const made = await TestIssuer.make(`${adminUrl}/admin/v1/sign-in/callback`)
      await made.start()
      return made
    }),
    (made) => Effect.promise(() => made.stop())
  )
  issuer.person = { sub: "ada", name: "Ada", groups: ["admins"] }
  const shared = {
    ADMIN_URL: adminUrl,
    ALLOW_PRIVATE_TARGETS: "true",
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: TestIssuer.client.id,
    OIDC_CLIENT_SECRET: TestIssuer.client.secret,
    OIDC_ROLE_MAP: "owner=admins",
    EVENT_STORE: `${url}?sync=always`,
    BLOB_STORE: `file://${parent}/blobs`,
    MASTER_KEY: "5d".repeat(32),
    MODELS_DIR: models
  }
  const node = Effect.fnUntraced(function* (name: "one" | "two") {
    const dataDirectory = path.join(parent, name)
    const port = ports[name]
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => ServerProcess.start({ dataDirectory, port, env: shared })),
      (server) => Effect.promise(() => server.kill("SIGKILL"))
    )
    return { server, port, settings: { ...shared, DATA_DIR: dataDirectory } }
  })
  const one = yield* node("one")
  return { one, two: yield* node("two") }
})

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("The commands of the fleet"), () => {
  it.live("show nodes, workers and providers of all nodes on each of them, and reset a provider on all", () =>
    Effect.gen(function* () {
      const { one, two } = yield* started
      const listed = (settings: Inferlog.Settings) => Inferlog.json(Nodes, ["nodes", "list"], settings)
      const nodes = yield* until(listed(one.settings), (found) => found.filter(isReady).length === 2)
      const addresses = nodes.map(({ address }) => address)
      assert.sameMembers(addresses, [`127.0.0.1:${one.port}`, `127.0.0.1:${two.port}`])
      const self = nodes.find(({ isSelf }) => isSelf)
      assert.strictEqual(self?.address, `127.0.0.1:${one.port}`)
      assert.isTrue(nodes[0]?.projections.some(({ name }) => name === "duework"))
      const nodeTwo = nodes.find(({ isSelf }) => !isSelf)?.nodeId

      // A worker at the second node, as the first one shows it.
      const create = ["workers", "create", "--name", "gpu"]
      const Created = Schema.Struct({ keyId: Schema.String, key: Schema.String })
      const { key, keyId } = yield* Inferlog.json(Created, create, one.settings)
      const worker = { authorization: `Key ${key}`, "x-worker-id": "gpu-1", "x-worker-version": "2.0" }
      const waitingFor = (id: unknown) =>
        Effect.promise(async () => {
          const path = `/acme/up/requests/${String(id)}/status`
          const reply = await fetch(one.server.url + path, { headers: ServerProcess.authorization })
          return Object(await reply.json())["waiting_for"] as unknown
        })
      const submitted = yield* post(one.server, "/acme/up", {})
      const { request_id: first } = Object(yield* Effect.promise(() => submitted.json()))
      yield* until(waitingFor(first), (cause) => cause === "worker")
      const claimed = yield* post(two.server, "/workers/claim", { models: ["acme/up"], wait: 20 }, worker)
      assert.strictEqual(claimed.status, 200)
      const workers = yield* until(
        Inferlog.json(Keys, ["workers", "list"], one.settings),
        ([found]) => found?.workers[0]?.jobs === 1
      )
      assert.deepStrictEqual(workers, [
        {
          keyId,
          workers: [
            {
              workerId: "gpu-1",
              version: "2.0",
              state: "working",
              nodeId: nodeTwo ?? "",
              models: ["acme/up"],
              jobs: 1
            }
          ]
        }
      ])
      const busy = yield* until(listed(one.settings), (found) => found.some(({ runs }) => runs === 1))
      assert.deepStrictEqual(busy.find(({ nodeId }) => nodeId === nodeTwo)?.models, [
        { model: "acme/up", runs: 1, share: 4 }
      ])

      // The first node learns that the second one has a worker, which is busy: the next request waits for its turn.
      const later = yield* post(one.server, "/acme/up", {})
      const { request_id: second } = Object(yield* Effect.promise(() => later.json()))
      yield* until(waitingFor(second), (cause) => cause === undefined)

      // An autoscaler asks any node.
      const operator = ["operators", "create", "--name", "scaler", "--role", "viewer"]
      const scaler = yield* Inferlog.json(Schema.Struct({ key: Schema.String }), operator, one.settings)
      const demand = Effect.promise(async () => {
        const headers = { authorization: `Bearer ${scaler.key}` }
        return (await fetch(`${one.server.url}/admin/v1/demand?model=acme/up`, { headers })).json()
      })
      const seen = yield* until(demand, (found) => Object(found)["demand"] === 2)
      assert.deepStrictEqual(seen, { model: "acme/up", queued: 1, running: 1, demand: 2 })

      // A provider that refuses connections, until its probes are five seconds apart.
      yield* post(two.server, "/acme/away", {})
      const provider = (settings: Inferlog.Settings) =>
        Effect.map(Inferlog.json(Providers, ["providers", "list"], settings), (found) =>
          found.find(({ name }) => name === "gpu-box")
        )
      const isAway = (found: Effect.Success<ReturnType<typeof provider>>) =>
        found?.nodes[0]?.why === "connection_refused"
      const found = yield* until(provider(one.settings), isAway)
      assert.deepStrictEqual(found?.models, ["acme/away"])
      // The command goes to the node without the outage, if there is one.
      const isAtTwo = found?.nodes.some(({ nodeId }) => nodeId === nodeTwo) === true
      const [owner, other] = isAtTwo ? [two, one] : [one, two]
      const line = "An operator has reset a provider"
      assert.notInclude(owner.server.output(), line)
      const reset = yield* Inferlog.run(["providers", "reset", "gpu-box"], other.settings)
      assert.deepInclude(reset, { code: 0, stdout: "" })
      yield* until(
        Effect.sync(() => owner.server.output()),
        (output) => output.includes(line)
      )
      const Actions = Schema.Struct({
        actions: Schema.Array(
          Schema.Struct({ action: Schema.String, targets: Schema.Record(Schema.String, Schema.String) })
        )
      })
      const { actions } = yield* Inferlog.json(Actions, ["operators", "actions"], other.settings)
      assert.deepInclude(actions[0], { action: "resetProvider", targets: { name: "gpu-box" } })
      const unknown = yield* Inferlog.run(["providers", "reset", "nothing"], one.settings)
      assert.deepInclude(unknown, { code: 1 })

      // What one node ends is over on the other one.
      const statusAt = (node: typeof two, headers: Readonly<Record<string, string>>) =>
        Effect.promise(async () => (await fetch(`${node.server.url}/admin/v1/self`, { headers })).status)
      const isSoon = (headers: Readonly<Record<string, string>>, expected: number) =>
        until(statusAt(two, headers), (status) => status === expected)
      const Operator = Schema.Struct({ operatorId: Schema.String, key: Schema.String })
      const ownerCommand = ["operators", "create", "--name", "bob", "--role", "owner"]
      const bob = yield* Inferlog.json(Operator, ownerCommand, one.settings)
      const withKey = { authorization: `Key ${bob.key}` }
      yield* isSoon(withKey, 200)
      const elsewhere = { INFERLOG_ADMIN_URL: two.server.url, INFERLOG_OPERATOR_KEY: bob.key }
      for (const args of [
        ["tail", "-n", "3", "--type", "OperatorCreated"],
        ["export", "--until", "9"]
      ]) {
        const beside = yield* Inferlog.run(["log", ...args], two.settings)
        assert.deepStrictEqual(yield* Inferlog.run(["log", ...args], elsewhere), beside)
      }
      const browser = TestBrowser.make()
      const signedIn = yield* Effect.promise(() => browser.follow(`${one.server.url}/admin/v1/sign-in`))
      assert.include(signedIn.text, "As Ada, with the role owner")
      const cookie = [...browser.jarOf(one.server.url)].map((pair) => pair.join("=")).join("; ")
      yield* isSoon({ cookie }, 200)
      const ended = performance.now()
      assert.deepInclude(yield* Inferlog.run(["operators", "revoke", bob.operatorId], one.settings), {
        code: 0
      })
      yield* isSoon(withKey, 401)
      const origin = { method: "POST", headers: { origin: one.server.url } }
      yield* Effect.promise(() => browser.visit(`${one.server.url}/admin/v1/sign-out`, origin))
      yield* isSoon({ cookie }, 401)
      // The documents promise a second of each; this machine may be busy.
      assert.isBelow(performance.now() - ended, 10_000)

      // A node that has ended is listed as gone.
      yield* Effect.promise(() => two.server.kill("SIGTERM"))
      const left = yield* until(listed(one.settings), (all) => all.some(({ state }) => state === "gone"))
      assert.strictEqual(left.find(({ state }) => state === "gone")?.nodeId, nodeTwo)
    }).pipe(Effect.scoped)
  )
})

const isReady = ({ state }: (typeof Nodes.Type)[number]) => state === "ready"
